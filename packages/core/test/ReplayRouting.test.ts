/** A decision that is made again: under its own configuration the same, under another one what would move. */
import { assert, describe, it } from "@effect/vitest"
import {
  type Connection,
  Pointsman,
  type Replayed,
  type RoutingDecision,
  type RoutingSettings,
  type RoutingStrategy,
  type Tenant
} from "@pointsman/core"
import { type ChargeAnswer, Directory, Ledger, type NotSent, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { chance } from "./support/Drift.ts"
import { itIn } from "./support/ItIn.ts"
import { liveCaller } from "./support/Pages.ts"
import { caller, request, tenant, world } from "./support/World.ts"

/** `POINTSMAN_LONG=all`: more than ten thousand of them, some twenty seconds. */
const payments = process.env["POINTSMAN_LONG"] === "all" ? 10_400 : 1_300

/** Six connections with all that can be configured of one. */
const connections: ReadonlyArray<Partial<Connection> & { readonly id: string }> = [
  {
    id: "main",
    supports: { currencies: ["EUR", "USD", "GBP"], amount: { EUR: { max: 900_000 } } },
    fees: [{ when: { region: ["domestic"] }, partsPerMillion: 29_000, fixed: { EUR: 30 } }, { partsPerMillion: 35_000 }]
  },
  {
    id: "backup",
    supports: { payerCountries: ["NL", "DE", "US"], recurring: false },
    priority: 2,
    fees: [{ partsPerMillion: 12_000, fixed: { EUR: 5, USD: 5 } }]
  },
  { id: "fragile", priority: 2, circuitBreaker: { failures: 2, openMillis: 4_000 } },
  { id: "strict", priority: 3, restrictions: [{ initiator: ["mit"], amount: { min: 5_000 } }] },
  { id: "cards", priority: 4, supports: { methods: ["card"], cardBrands: ["visa", "amex"] } },
  { id: "off", priority: 5, active: false }
]

const byDraw: RoutingStrategy = {
  name: "by draw",
  order: ({ candidates, draw }) => {
    const scores = Object.fromEntries(candidates.map(({ connectionId }) => [connectionId, draw(connectionId)]))
    return {
      order: candidates.map(({ connectionId }) => connectionId).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0)),
      scores
    }
  }
}

const settings: RoutingSettings = {
  mode: "auto",
  maxAttempts: 3,
  auto: { exploration: 0.1, objective: "value", maxApprovalLoss: 0.05 },
  control: { share: 0.2, order: ["backup", "fragile", "main"] },
  rules: [
    { name: "big tickets", when: { amount: { min: 500_000 } }, use: { mode: "fixed", order: ["main"] } },
    { name: "split", when: { currency: ["USD"] }, use: { mode: "failover", split: { main: 2, fragile: 1, cards: 1 } } },
    { name: "alone", when: { country: ["BR"], method: ["wallet"] }, use: { mode: "failover", order: ["fragile"] } },
    { name: "drawn", when: { currency: ["GBP"] }, use: { mode: "failover", strategy: "by draw" } },
    { name: "banks", when: { method: ["bank"] }, use: { mode: "priority", order: ["strict", "backup", "fragile"] } },
    { name: "auto here", when: { country: ["DE"] }, use: { mode: "auto", order: ["fragile", "main", "backup"] } }
  ]
}

const pick = <A>(list: ReadonlyArray<A>, drawn: number): A => list[Math.floor(drawn * list.length)] as A

const silence = Effect.fail(new Unanswered({ reason: "time-out" }))

/** Stores so many payments of every kind, in simulated hours. */
const storePayments = Effect.fnUntraced(function* (provider: ReturnType<typeof world>["provider"], count: number) {
  const pointsman = yield* Pointsman
  const next = chance(7)
  const answers = (providerRef: string): ReadonlyArray<Effect.Effect<ChargeAnswer, NotSent | Unanswered>> => [
    Effect.succeed({ _tag: "Captured", providerRef }),
    Effect.succeed({ _tag: "Declined", providerRef, category: "do_not_honor", code: "05", soft: true }),
    Effect.succeed({ _tag: "Rejected", code: "E1", message: "no" }),
    silence
  ]
  provider.onCharge = ({ attemptId, connectionId }) =>
    connectionId === "fragile" && next() < 0.7 ? silence : pick(answers(`ref_${attemptId}`), next() ** 3)
  for (let number = 0; number < count; number++) {
    if (number % 20 === 0) yield* TestClock.adjust(Math.floor(next() * 60_000))
    const details = {
      money: {
        minorUnits: Math.floor(100 + next() ** 4 * 1_000_000),
        currency: pick(["EUR", "EUR", "USD", "GBP"], next())
      },
      country: pick(["NL", "NL", "DE", "US", "BR"], next()),
      method: pick(["card", "card", "bank", "wallet"] as const, next()),
      cardBrand: pick([null, "visa", "amex", "mastercard"], next()),
      initiator: pick(["cit", "cit", "mit"] as const, next())
    }
    const instruments =
      next() < 0.1 ? ["main", "cards"].map((connectionId) => ({ connectionId, token: Redacted.make("tok_1") })) : null
    if (number % 50 > 0) {
      yield* Effect.ignore(pointsman.create(liveCaller, request({ instruments, details })))
      continue
    }
    // Some on a hosted page: not every connection opens a checkout. Of some, no connection takes the amount.
    const asked = number % 250 > 0 ? details : { ...details, money: { minorUnits: 950_000, currency: "EUR" } }
    const page = request({ returnUrl: "https://shop.example/back", details: asked })
    const { payment } = yield* pointsman.create(liveCaller, page)
    yield* pointsman.openCheckout(yield* pointsman.pageToken(payment.id), "https://pay.example/return")
  }
})

const replayed = Effect.fnUntraced(function* (
  under?: Parameters<Pointsman["Service"]["replayRouting"]>[1]["under"],
  from = 0
) {
  const pointsman = yield* Pointsman
  return yield* Stream.runCollect(pointsman.replayRouting(liveCaller.tenant, { from, under }))
})

const verdicts = (all: ReadonlyArray<Replayed>) => {
  const counts = { same: 0, reordered: 0, moved: 0, nowhere: 0 }
  for (const { verdict } of all) counts[verdict]++
  return counts
}

describe("thousands of stored payments", () => {
  const stored = world({
    environment: "production",
    routing: settings,
    connections,
    strategies: [byDraw],
    chance: chance(11)
  })

  it.effect(
    "every replayed decision is the same under its own configuration",
    () =>
      Effect.gen(function* () {
        const directory = yield* Directory
        stored.provider.opensCheckouts = (connectionId) => connectionId !== "backup"
        yield* storePayments(stored.provider, payments)
        const asked = stored.provider.charges.length
        const { changes } = stored.ledger
        const written = changes.length
        const all = yield* replayed()
        assert.isAtLeast(all.length, payments * 0.96)
        assert.deepStrictEqual(verdicts(all), { same: all.length, reordered: 0, moved: 0, nowhere: 0 })
        for (const { after, before } of all) assert.deepStrictEqual(after?.order ?? [], before.order)
        // Nothing of it was a matter of course: every path, mode, open circuits, draws and scores are among them.
        const decisions = all.map(({ payment }) => payment.routing)
        const seen = (what: (decision: (typeof decisions)[number]) => unknown) => new Set(decisions.map(what))
        assert.sameMembers([...seen(({ path }) => path)], ["engine", "rule", "control"])
        assert.sameMembers([...seen(({ rule }) => rule)], [null, ...(settings.rules ?? []).map(({ name }) => name)])
        assert.sameMembers([...seen(({ mode }) => mode)], ["auto", "fixed", "failover", "priority"])
        assert.sameMembers([...seen(({ strategy }) => strategy)], ["auto", "order", "split", "by draw"])
        assert.isAbove(
          decisions.filter(({ given }) => given.circuits.some(({ isOpen }) => isOpen)).length,
          payments / 52
        )
        assert.isAbove(decisions.filter(({ note }) => note?.includes("explores")).length, payments / 104)
        assert.isAbove(
          decisions.filter(({ note }) => note?.includes("leads by its expected value")).length,
          payments / 520
        )
        assert.isAbove(decisions.filter(({ note }) => note?.includes("is unknown, so approval")).length, payments / 520)
        assert.isAbove(decisions.filter(({ given }) => given.instruments !== null).length, payments / 21)
        assert.isAbove(decisions.filter(({ given }) => given.unable.includes("backup")).length, payments / 104)
        assert.isAbove(decisions.filter(({ degraded }) => degraded).length, payments / 520)
        // Hosted ones that no connection could take are recorded as failed, and decided the same way again.
        assert.isAbove(decisions.filter(({ candidates }) => candidates.length === 0).length, payments / 520)
        const oldestFirst = all.map(({ payment }) => payment.id)
        assert.deepStrictEqual(oldestFirst, oldestFirst.toSorted())
        assert.deepStrictEqual([stored.provider.charges.length, changes.length], [asked, written])

        // Another configuration: what it names alone differs.
        const other = yield* replayed({
          settings: { mode: "failover", order: ["cards"] },
          connections: yield* directory.connections(liveCaller.tenant),
          providerSupports: () => ({}),
          strategies: []
        })
        const counts = verdicts(other)
        assert.strictEqual(counts.same, 0)
        for (const one of other) {
          const takesIt = one.payment.method === "card" && ["visa", "amex", null].includes(one.payment.cardBrand)
          assert.strictEqual(one.after === null, !takesIt)
          if (takesIt) assert.deepStrictEqual(one.after?.order, ["cards"])
          else
            assert.include(
              one.excluded.map(({ code }) => code),
              "METHOD_NOT_SUPPORTED"
            )
        }

        // From a time on: those before it are left alone.
        const half = all[Math.floor(all.length / 2)]?.payment.createdAt ?? 0
        assert.isAbove(half, all[0]?.payment.createdAt ?? half)
        const later = yield* replayed(undefined, half)
        assert.deepStrictEqual(
          later.map(({ payment }) => payment.id),
          all.filter(({ payment }) => payment.createdAt >= half).map(({ payment }) => payment.id)
        )
      }).pipe(Effect.provide(stored.layer)),
    600_000
  )
})

describe("replays of a few payments", () => {
  const sandbox = world({ routing: { mode: "failover" } })
  itIn("sandbox outcomes replayed under auto take priority, as they would have", sandbox, function* (own, pointsman) {
    const directory = yield* Directory
    own.provider.onCharge = () =>
      Effect.succeed({ _tag: "Declined", providerRef: "r", category: "do_not_honor", code: "05", soft: false })
    for (let number = 0; number < 30; number++) yield* pointsman.create(caller, request())
    const under = {
      settings: { mode: "auto", auto: { exploration: 0 } } as const,
      connections: yield* directory.connections(caller.tenant),
      providerSupports: () => ({}),
      strategies: []
    }
    const all = yield* Stream.runCollect(pointsman.replayRouting(caller.tenant, { from: 0, under }))
    assert.deepStrictEqual(new Set(all.map(({ after }) => after?.order[0])), new Set(["main"]))
  })

  itIn("a decision stored before all of this was kept is explained and replayed", world(), function* (_, pointsman) {
    const ledger = yield* Ledger
    const { payment } = yield* pointsman.create(caller, request())
    const { draws, given, maxAttempts, note, ...before } = payment.routing as RoutingDecision
    const candidates = before.candidates.map(({ rates, score, ...candidate }) => candidate)
    const after = {
      ...payment,
      version: payment.version + 1,
      routing: { ...before, candidates } as unknown as RoutingDecision
    }
    yield* ledger.commit({ tenant, payment: { expected: payment.version, after }, attempts: [], events: [] })
    const { chapters } = yield* pointsman.explainRouting(tenant, payment.id)
    assert.include(
      chapters.map(({ title }) => title),
      "Order of connections"
    )
    const [replayed] = yield* Stream.runCollect(pointsman.replayRouting(tenant, { from: 0 }))
    assert.deepStrictEqual(replayed?.after?.order, ["main", "backup"])
    assert.deepStrictEqual([given.unable, draws, note, maxAttempts], [[], [], null, 2])
  })
})

describe("explanations", () => {
  const sentencesOf = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
    const { chapters } = yield* (yield* Pointsman).explainRouting(tenant, id)
    return chapters.flatMap(({ sentences }) => sentences)
  })

  const unrouted = world({
    environment: "production",
    connections: [{ id: "main", supports: { currencies: ["USD"] } }]
  })
  itIn("a hosted payment that no connection took says which was excluded and why", unrouted, function* (_, pointsman) {
    const { payment } = yield* pointsman.create(liveCaller, request({ returnUrl: "https://shop.example/back" }))
    yield* pointsman.openCheckout(yield* pointsman.pageToken(payment.id), "https://pay.example/return")
    const sentences = yield* sentencesOf(liveCaller.tenant, payment.id)
    assert.includeMembers(sentences, [
      "No connection could accept the payment.",
      "The main acquirer (main): CURRENCY_NOT_SUPPORTED. The connection does not accept EUR."
    ])
  })

  const jumped = world({
    connections: [{ id: "a" }, { id: "b", circuitBreaker: { failures: 1, openMillis: 60_000 } }, { id: "c" }],
    routing: { mode: "failover", maxAttempts: 3 }
  })
  itIn("an explanation says who was skipped when a circuit opened between attempts", jumped, function* (own) {
    const pointsman = yield* Pointsman
    const { provider } = own
    const answer = yield* Deferred.make<void>()
    const rejected: ChargeAnswer = { _tag: "Rejected", code: "E1", message: "no" }
    provider.onCharge = ({ attemptId, connectionId }) =>
      connectionId === "a" && provider.charges.length === 1
        ? Effect.as(Deferred.await(answer), rejected)
        : connectionId === "c"
          ? Effect.succeed({ _tag: "Captured", providerRef: `ref_${attemptId}` })
          : Effect.succeed(rejected)
    const slow = yield* Effect.forkChild(pointsman.create(caller, request()))
    while (provider.charges.length === 0) yield* Effect.yieldNow
    yield* pointsman.create(caller, request())
    yield* Deferred.succeed(answer, undefined)
    const { payment } = yield* Fiber.join(slow)
    const sentences = yield* sentencesOf(tenant, payment.id)
    assert.include(sentences, "The b acquirer (b) was skipped: its circuit had opened in the meantime.")
    assert.match(sentences.at(-1) ?? "", /^Attempt 2 at The c acquirer/u)
  })
})
