/** The objective `value` of mode `auto`: fees, what may be given up for them, and what the decision records. */
import { assert, describe, it } from "@effect/vitest"
import {
  bySuccess,
  type FeeRule,
  type OutcomeCounts,
  type PaymentDetails,
  Pointsman,
  type RouteValue,
  type StrategyCandidate
} from "@pointsman/core"
import type { ChargeAnswer } from "@pointsman/core/ports"
import { Effect, Stream } from "effect"
import { chance } from "./support/Drift.ts"
import { itIn } from "./support/ItIn.ts"
import { liveCaller } from "./support/Pages.ts"
import { request, world } from "./support/World.ts"

const onePoint = { maxApprovalLossPpm: 10_000 }

/** `feeMinor`: of the payment of 1,999 cents; `undefined` where it is unknown. */
const candidate = (
  connectionId: string,
  [succeeded, failed]: readonly [number, number],
  feeMinor: number | undefined,
  segment: OutcomeCounts = { succeeded, failed }
): StrategyCandidate => {
  const known: OutcomeCounts = { succeeded, failed }
  return {
    connectionId,
    name: `The ${connectionId} acquirer`,
    priority: 1,
    rates: { connection: known, segment },
    fee: feeMinor === undefined ? undefined : { feeMinor, rule: 1 }
  }
}

const orderOf = (candidates: ReadonlyArray<StrategyCandidate>, objective = onePoint, minorUnits = 1999) =>
  bySuccess("payment", 0, objective).order({
    payment: request({ details: { money: { minorUnits, currency: "EUR" } } }).details,
    candidates,
    draw: () => 0.999
  })

describe("ordering by value", () => {
  it("the cheaper connection leads if rates differ by noise, and the note says so", () => {
    const { note, order, values } = orderOf([candidate("dear", [47, 3], 88), candidate("cheap", [46, 4], 29)])
    assert.deepStrictEqual(order, ["cheap", "dear"])
    assert.strictEqual(note, "The cheap acquirer leads by its expected value, and gives up 0.5061 points of approval.")
    // Scores of 0.9361 and 0.9167, with 60 outcomes behind each: 19,400 × 60 / 230.
    assert.deepStrictEqual(values, {
      dear: { fee: { feeMinor: 88, rule: 1 }, approvalPpm: 936_100, expectedMicros: 936_100 * 1911 },
      cheap: { fee: { feeMinor: 29, rule: 1 }, approvalPpm: 931_039, expectedMicros: 931_039 * 1970 }
    })
  })

  it("the best leads if the cheaper one approves less than may be given up", () => {
    const candidates = [candidate("dear", [48, 2], 300), candidate("cheap", [43, 7], 1)]
    assert.deepStrictEqual(orderOf(candidates).order, ["dear", "cheap"])
    assert.isUndefined(orderOf(candidates).note)
    assert.deepStrictEqual(orderOf(candidates, { maxApprovalLossPpm: 100_000 }).order, ["cheap", "dear"])
    // Nothing may be given up: only of equal scores the cheaper one leads.
    assert.deepStrictEqual(
      orderOf([candidate("dear", [47, 3], 88), candidate("cheap", [46, 4], 1)], { maxApprovalLossPpm: 0 }).order,
      ["dear", "cheap"]
    )
    assert.deepStrictEqual(
      orderOf([candidate("dear", [47, 3], 88), candidate("cheap", [47, 3], 1)], { maxApprovalLossPpm: 0 }).order,
      ["cheap", "dear"]
    )
  })

  it("a loose bound stays as it is if a difference is far beyond noise", () => {
    const { order, values } = orderOf([candidate("dear", [49, 1], 88), candidate("down", [20, 30], 1)], {
      maxApprovalLossPpm: 450_000
    })
    assert.deepStrictEqual(order, ["dear", "down"])
    // Of the 56.39 points between them, no more than 170 / 60 points count as noise.
    const loss = (values?.["dear"]?.approvalPpm ?? 0) - (values?.["down"]?.approvalPpm ?? 0)
    assert.strictEqual(loss, 535_567)
  })

  it("outcomes of whole connections say how much is noise in a segment without any", () => {
    const none: OutcomeCounts = { succeeded: 0, failed: 0 }
    const { order, values } = orderOf([candidate("dear", [47, 3], 88, none), candidate("cheap", [42, 8], 1, none)])
    assert.deepStrictEqual(order, ["dear", "cheap"])
    // Scores of 0.9167 and 0.8333, with 60 outcomes behind each: of 8.34 points, 170 / 60 points count as noise.
    assert.deepStrictEqual([values?.["dear"]?.approvalPpm, values?.["cheap"]?.approvalPpm], [916_700, 861_633])
  })

  it("the better score, then the priority, leads of equal expected values", () => {
    assert.deepStrictEqual(orderOf([candidate("a", [47, 3], 50), candidate("b", [47, 3], 50)]).order, ["a", "b"])
  })

  it("the smaller loss leads if fees exceed the amount, not the lower approval", () => {
    const { order, values } = orderOf([candidate("a", [46, 4], 60), candidate("b", [47, 3], 60)], onePoint, 50)
    assert.deepStrictEqual(order, ["b", "a"])
    assert.deepStrictEqual([values?.["a"]?.expectedMicros, values?.["b"]?.expectedMicros], [-10_000_000, -10_000_000])
    assert.deepStrictEqual(orderOf([candidate("a", [47, 3], 60), candidate("b", [46, 4], 55)], onePoint, 50).order, [
      "b",
      "a"
    ])
  })

  it("only approval decides if the best one's fee is unknown, and the note says so", () => {
    const { note, order } = orderOf([candidate("dear", [47, 3], undefined), candidate("cheap", [46, 4], 1)])
    assert.deepStrictEqual(order, ["dear", "cheap"])
    assert.strictEqual(note, "The fee of The dear acquirer is unknown, so approval alone decides.")
  })

  it("a connection with an unknown fee stays behind those that were compared", () => {
    const candidates = [candidate("a", [47, 3], 60), candidate("b", [46, 4], undefined), candidate("c", [45, 5], 10)]
    assert.deepStrictEqual(orderOf(candidates, { maxApprovalLossPpm: 50_000 }).order, ["c", "a", "b"])
  })

  it("a first connection that is not known well leads by priority, at any fee", () => {
    const { note, order } = orderOf([candidate("a", [4, 1], 88), candidate("b", [48, 2], 1)])
    assert.deepStrictEqual(order, ["a", "b"])
    assert.match(note ?? "", /leads by its priority until 20 outcomes/u)
  })
})

/** 1,000 outcomes are remembered as they came, and the last 50 as `short` says. */
const remembered = (
  connectionId: string,
  short: readonly [number, number],
  long: readonly [number, number],
  feeMinor: number
): StrategyCandidate => {
  const of = ([succeeded, failed]: readonly [number, number]): OutcomeCounts => ({ succeeded, failed })
  const known = { ...of(short), memory: { short: of(short), long: of(long) } }
  return { ...candidate(connectionId, short, feeMinor), rates: { connection: known, segment: known } }
}

describe("ordering by what is remembered", () => {
  // Scores of 0.9361 and 0.8806 by the last 50: of the 5.55 points, 2.72 count as noise.
  const lucky = [48, 2] as const
  const unlucky = [44, 6] as const
  it("only 180 outcomes of both decide, whatever the last fifty say", () => {
    const alike = [remembered("dear", lucky, [184, 16], 88), remembered("cheap", unlucky, [183, 17], 1)]
    assert.deepStrictEqual(orderOf(alike).order, ["cheap", "dear"])
    const worse = [remembered("dear", [46, 4], [190, 10], 88), remembered("cheap", [46, 4], [170, 30], 1)]
    assert.deepStrictEqual(orderOf(worse).order, ["dear", "cheap"])
    // Rates of 0.9476 and 0.8492, with 210 outcomes behind each: of 9.84 points, 550 / 210 points count as noise.
    const { values } = orderOf(worse)
    assert.deepStrictEqual([values?.["dear"]?.approvalPpm, values?.["cheap"]?.approvalPpm], [916_700, 844_490])
  })

  it("a connection may lead after 120 to 180 outcomes of either if both allow it", () => {
    const long = [remembered("dear", lucky, [110, 10], 88), remembered("cheap", unlucky, [110, 10], 1)]
    assert.deepStrictEqual(orderOf(long).order, ["cheap", "dear"])
    const short = [remembered("dear", [46, 4], [118, 2], 88), remembered("cheap", [46, 4], [98, 22], 1)]
    assert.deepStrictEqual(orderOf(short).order, ["cheap", "dear"])
  })

  it("the last fifty decide if there are fewer outcomes of either", () => {
    const few = [remembered("dear", lucky, [109, 10], 88), remembered("cheap", unlucky, [300, 10], 1)]
    assert.deepStrictEqual(orderOf(few).order, ["dear", "cheap"])
  })

  it("the best of the last fifty does not lead if far behind by what is remembered", () => {
    const candidates = [remembered("a", [49, 1], [170, 30], 50), remembered("b", [46, 4], [190, 10], 50)]
    assert.deepStrictEqual(orderOf(candidates).order, ["b", "a"])
  })

  it("a hundred outcomes in other segments count at most", () => {
    const of = (succeeded: number, failed: number): OutcomeCounts => ({ succeeded, failed })
    const here = (connectionId: string, feeMinor: number, long: OutcomeCounts): StrategyCandidate => {
      const short = of(46, 4)
      const rates = {
        connection: { ...short, memory: { short, long: of(390, 10) } },
        segment: { ...short, memory: { short, long } }
      }
      return { ...candidate(connectionId, [46, 4], feeMinor), rates }
    }
    // 79 and a hundred do not decide alone yet, and by the last fifty the cheaper one may lead.
    const almost = [here("dear", 88, of(77, 2)), here("cheap", 1, of(40, 39))]
    assert.deepStrictEqual(orderOf(almost).order, ["cheap", "dear"])
    const enough = [here("dear", 88, of(78, 2)), here("cheap", 1, of(40, 40))]
    assert.deepStrictEqual(orderOf(enough).order, ["dear", "cheap"])
  })

  it("nothing that is remembered counts for the objective approval", () => {
    const candidates = [remembered("dear", lucky, [10, 200], 88), remembered("cheap", unlucky, [200, 1], 1)]
    const question = { payment: request().details, candidates, draw: () => 0.999 }
    assert.deepStrictEqual(bySuccess("payment", 0).order(question).order, ["dear", "cheap"])
  })
})

const fees: ReadonlyArray<FeeRule> = [
  { when: { cardBrand: ["amex"] }, partsPerMillion: 35_000 },
  { when: { region: ["international"], currency: ["EUR"] }, partsPerMillion: 32_500, fixed: { EUR: 25 } },
  { when: { region: ["domestic", "eea"] }, partsPerMillion: 15_000, fixed: { EUR: 25, JPY: 40 } }
]

const feeAt = Effect.fnUntraced(function* (details: Partial<PaymentDetails>) {
  const { payment } = yield* (yield* Pointsman).create(liveCaller, request({ details }))
  return payment.routing?.candidates.find(({ connectionId }) => connectionId === "main")?.value?.fee
})

describe("the fee of a payment", () => {
  const stated = world({
    environment: "production",
    routing: { mode: "auto", auto: { exploration: 0, objective: "value" } },
    connections: [{ id: "main", fees }, { id: "backup" }]
  })

  itIn("the first rule whose condition is met is charged, in whole minor units", stated, function* () {
    const euros = (minorUnits: number) => ({ minorUnits, currency: "EUR" })
    assert.deepStrictEqual(yield* feeAt({ money: euros(1000), country: "NL", cardBrand: "Amex" }), {
      feeMinor: 35,
      rule: 1
    })
    assert.deepStrictEqual(yield* feeAt({ money: euros(1000), country: "US" }), { feeMinor: 58, rule: 2 })
    assert.deepStrictEqual(yield* feeAt({ money: euros(1000), country: "IS" }), { feeMinor: 40, rule: 3 })
    assert.deepStrictEqual(yield* feeAt({ money: euros(1000), country: "NL" }), { feeMinor: 40, rule: 3 })
    // 1.5 % of 1,033 is 15.495, and of 1,034 it is 15.51; of 1,100 it is 16.5, which is rounded up.
    assert.deepStrictEqual(yield* feeAt({ money: euros(1033) }), { feeMinor: 40, rule: 3 })
    assert.deepStrictEqual(yield* feeAt({ money: euros(1034) }), { feeMinor: 41, rule: 3 })
    assert.deepStrictEqual(yield* feeAt({ money: euros(1100) }), { feeMinor: 42, rule: 3 })
    assert.deepStrictEqual(yield* feeAt({ money: euros(100_000_000) }), { feeMinor: 1_500_025, rule: 3 })
    assert.deepStrictEqual(yield* feeAt({ money: { minorUnits: 2000, currency: "JPY" } }), { feeMinor: 70, rule: 3 })
  })

  itIn("the fee is unknown if no amount has the currency, or no rule is met", stated, function* () {
    assert.isNull(yield* feeAt({ money: { minorUnits: 1000, currency: "USD" }, country: "NL" }))
    assert.isNull(yield* feeAt({ money: { minorUnits: 1000, currency: "USD" }, country: "US" }))
  })
})

describe("payments that are routed by value", () => {
  const captured = ({ attemptId }: { readonly attemptId: string }): ChargeAnswer => ({
    _tag: "Captured",
    providerRef: `ref_${attemptId}`
  })

  const shop = world({
    environment: "production",
    routing: { mode: "auto", auto: { exploration: 0.3, objective: "value" } },
    connections: [
      { id: "main", fees: [{ partsPerMillion: 29_000, fixed: { EUR: 30 } }] },
      { id: "backup", fees: [{ partsPerMillion: 12_000, fixed: { EUR: 5 } }] }
    ],
    chance: chance(5)
  })
  itIn("the cheaper of two that approve leads, explained, and a replay agrees", shop, function* (own, pointsman) {
    own.provider.onCharge = (charge) => Effect.succeed(captured(charge))
    for (let number = 0; number < 150; number++) yield* pointsman.create(liveCaller, request())
    const recent = own.provider.charges.slice(-60).map(({ connectionId }) => connectionId)
    assert.isAbove(recent.filter((id) => id === "backup").length, 30)
    const all = yield* Stream.runCollect(pointsman.replayRouting(liveCaller.tenant, { from: 0 }))
    assert.deepStrictEqual(new Set(all.map(({ verdict }) => verdict)), new Set(["same"]))
    const led = all.findLast(({ payment }) => payment.routing.note?.includes("leads by its expected value"))?.payment
    const decision = led?.routing
    assert.deepInclude(decision, { strategy: "auto", maxApprovalLossPpm: 10_000 })
    const [first, second] = decision?.candidates ?? []
    assert.isAbove(first?.rates?.segment.memory?.long.succeeded ?? 0, first?.rates?.segment.succeeded ?? 1000)
    assert.deepStrictEqual(
      [first?.value?.fee, second?.value?.fee],
      [
        { feeMinor: 29, rule: 1 },
        { feeMinor: 88, rule: 1 }
      ]
    )
    const expected = ({ approvalPpm, fee }: RouteValue) => approvalPpm * (1999 - (fee?.feeMinor ?? 0))
    for (const { value } of decision?.candidates ?? [])
      assert.strictEqual(value?.expectedMicros, value && expected(value))
    const { chapters } = yield* pointsman.explainRouting(liveCaller.tenant, led?.id ?? "")
    const sentences = chapters.flatMap((chapter) => chapter.sentences)
    assert.include(
      sentences,
      "The objective is value: of the connections that give up at most 1 point of approval, the one with the greatest expected value is first."
    )
    assert.match(
      sentences.find((sentence) => sentence.startsWith("1. The backup acquirer")) ?? "",
      /, since they last changed 100 % of [\d.]+ outcomes and 100 % of [\d.]+ outcomes, expected approval [\d.]+ %, fee €0\.29 by rule 1, expected value [\d.]+ minor units\.$/u
    )
  })

  const byApproval = world({
    environment: "production",
    routing: { mode: "auto" },
    connections: [{ id: "main", fees: [{ fixed: { EUR: 1 } }] }, { id: "backup" }]
  })
  itIn("no decision for the objective approval has anything of fees", byApproval, function* () {
    const { payment } = yield* (yield* Pointsman).create(liveCaller, request())
    assert.notProperty(payment.routing, "maxApprovalLossPpm")
    for (const one of payment.routing?.candidates ?? []) assert.notProperty(one, "value")
    const { payment: next } = yield* (yield* Pointsman).create(liveCaller, request())
    for (const { rates } of next.routing?.candidates ?? [])
      for (const rate of Object.values(rates ?? {})) assert.hasAllKeys(rate, ["succeeded", "failed"])
  })
})
