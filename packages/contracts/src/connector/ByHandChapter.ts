/** What people, and time, do to a charge at the provider: stated by each source, under the provider's ids, and never dropped. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ChargeName,
  type ChargeRecord,
  type Connector,
  type FoundRefund,
  type MessageAbout,
  type Money,
  money,
  type ReportRow,
  type TransportAnswer
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import {
  type ByHandAtProvider,
  type ByHandSituation,
  byHandSituations,
  type ConnectorUnderTest,
  type SignedMessage,
  type ToldByHand
} from "./ConnectorUnderTest.ts"
import { anySecret } from "./MessagesChapter.ts"
import { readBy, readKept } from "./OwnReads.ts"
import { connect } from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"

const hour = 60 * 60_000
const noon = Date.UTC(2026, 10, 21, 12, 0, 0)
const eur = (minorUnits: number): Money => money(minorUnits, "EUR")
const captures = [
  { id: "prv_capture_1", money: eur(200), total: eur(200) },
  { id: "prv_capture_2", money: eur(300), total: eur(500) }
]

const situationOf = (name: ByHandSituation["name"]): ByHandSituation => ({
  name,
  attemptId: "att_of_the_contract",
  providerRef: "prv_charge_1",
  money: eur(1234),
  providerRefundId: "prv_refund_1",
  refunded: eur(200),
  captures: name === "two captures" ? captures : name === "capture" ? captures.slice(0, 1) : [],
  at: noon
})

const refundOf = ({ name, providerRefundId, refunded: stated }: ByHandSituation) =>
  ({ _tag: name === "refund" ? "Succeeded" : "RefundPending", providerRefundId, stated }) as const

interface Stated {
  readonly charges: ReadonlyArray<ChargeRecord>
  readonly refunds: ReadonlyArray<FoundRefund>
}

const assertNamed = (charge: ChargeName, { attemptId, providerRef }: ByHandSituation): void =>
  assert.deepStrictEqual<unknown>(charge, "attemptId" in charge ? { attemptId } : { providerRef })

const statedBy = (abouts: ReadonlyArray<MessageAbout>, of: ByHandSituation): Stated => ({
  charges: abouts.flatMap((about) => (about._tag === "Charge" ? [about.state(of.money)] : [])),
  refunds: abouts.flatMap((about) => {
    if (about._tag !== "UnnamedRefund") return []
    assert.strictEqual(about.providerRefundId, of.providerRefundId)
    return [{ refundId: null, state: about.state(of.money) }]
  })
})

/** Captures add up by their ids, and a total counts as it is. */
const takenBy = (charges: ReadonlyArray<ChargeRecord>): number | null => {
  const byId = new Map<string, number>()
  let total: number | null = null
  for (const charge of charges) {
    if (charge._tag !== "Captured") continue
    const { capture, stated } = charge
    assert.isUndefined(capture?.operationId, "no operation of ours captured it")
    if (capture !== undefined) byId.set(capture.id, capture.money.minorUnits)
    total = stated?.minorUnits ?? [...byId.values()].reduce((sum, one) => sum + one, 0)
  }
  return total
}

const assertStated = ({ charges, refunds }: Stated, of: ByHandSituation): void => {
  const taken = of.captures.at(-1)?.total.minorUnits
  if (of.name.endsWith("refund")) assert.deepStrictEqual(refunds, [{ refundId: null, state: refundOf(of) }])
  else if (taken !== undefined) assert.strictEqual(takenBy(charges), taken)
  else assert.strictEqual(charges.at(-1)?._tag, "Canceled")
}

/** Of each situation a test, which says why the provider does not tell it, or is given the provider's shapes. */
const eachOf = <Shape>(
  source: string,
  names: ReadonlyArray<ByHandSituation["name"]>,
  tell: ((of: ByHandSituation) => ToldByHand<Shape>) | undefined,
  check: (shapes: ReadonlyArray<Shape>, of: ByHandSituation, isChanged: boolean) => Effect.Effect<void, unknown>
): void => {
  for (const name of tell === undefined ? [] : names) {
    const of = situationOf(name)
    const told = tell?.(of) ?? []
    if ("lacks" in told) it(`${source} does not state ${name}: ${told.lacks}`, () => assert.isNotEmpty(told.lacks))
    else {
      const isChanged = "changed" in told
      const shapes = isChanged ? told.changed : told
      it.effect(`${source} states ${name}${isChanged ? " as a changed charge" : ""}`, () =>
        Effect.suspend(() => {
          assert.isNotEmpty(shapes)
          return check(shapes, of, isChanged)
        })
      )
    }
  }
}

const aboutOf = Effect.fnUntraced(function* (connector: Connector, raw: SignedMessage, secret: string) {
  const { about } = Result.getOrThrow(yield* readBy(connector, raw, secret, noon))
  if (connector.readStored === undefined) return about
  // What was kept of it says no less.
  const again = Result.getOrThrow(yield* readKept(connector, new TextDecoder().decode(raw.body), secret))
  assert.strictEqual(again.about._tag, about._tag)
  return again.about
})

export const byHandChapter = (subject: ConnectorUnderTest): void => {
  const { byHand } = subject
  const connector = connect(subject, scriptedTransport([]).transport)
  describe("by hand", () => {
    it("names each source that the connector has, and no other", () => {
      const sources: Record<keyof ByHandAtProvider, boolean> = {
        messages: connector.readMessage !== undefined,
        hints: connector.hints !== undefined,
        lookUp: true,
        rows: connector.reports !== undefined
      }
      for (const [source, has] of Object.entries(sources) as ReadonlyArray<[keyof ByHandAtProvider, boolean]>) {
        assert.strictEqual(
          byHand?.[source] !== undefined,
          has && subject.wire !== undefined,
          `tell by \`byHand\` what people do at the provider, by its field \`${source}\``
        )
      }
    })
    if (byHand !== undefined) toldBy(subject, byHand)
  })
}

const toldBy = (subject: ConnectorUnderTest, { hints, lookUp, messages, rows }: ByHandAtProvider): void => {
  const over = (answers: ReadonlyArray<TransportAnswer>) =>
    connect(subject, scriptedTransport(answers.map((one) => Effect.succeed(one))).transport)
  const secret = subject.messages?.secrets?.right ?? anySecret

  eachOf("a message", byHandSituations, messages && ((of) => messages(of, secret, noon)), (raws, of, isChanged) =>
    Effect.gen(function* () {
      const abouts = yield* Effect.forEach(raws, (raw) => aboutOf(over([]), raw, secret))
      for (const about of abouts) if ("charge" in about) assertNamed(about.charge, of)
      if (!isChanged) return assertStated(statedBy(abouts, of), of)
      assert.deepStrictEqual(new Set(abouts.map(({ _tag }) => _tag)), new Set(["Changed"]))
      assert.isFalse("lacks" in lookUp(of), "its lookup tells what changed")
    })
  )
  eachOf("a hint", byHandSituations, hints, (answers, of) =>
    Effect.gen(function* () {
      const { hints: connected } = over(answers)
      const told = yield* connected?.lookUp(subject.hints?.reference ?? "") ?? Effect.die("no hints")
      assertStated(
        statedBy(
          told.map(({ message }) => message.about),
          of
        ),
        of
      )
    })
  )
  eachOf("a lookup", byHandSituations, lookUp, (answers, of) =>
    Effect.gen(function* () {
      const { attemptId, money, providerRef } = of
      const asked = { attemptId, money, providerRef, checkoutReference: null, sentAt: noon, simulation: null }
      const found = yield* over(answers).lookUpCharge(asked)
      if (found._tag === "NotFound") return assert.fail("expected the provider's record of the charge")
      assertStated({ charges: [found.state], refunds: found.refunds ?? [] }, of)
    })
  )
  eachOf("a report", ["refund"], rows, (answers, of) =>
    Effect.gen(function* () {
      const [report] = over(answers).reports ?? []
      const window = { createdFrom: noon, createdBefore: noon + hour, cursor: null }
      const { entries } = yield* report?.list(window) ?? Effect.die("no report")
      const read = entries.flatMap((entry): ReadonlyArray<ReportRow> => (entry._tag === "Row" ? [entry.row] : []))
      const { kind, names } = read[0] ?? assert.fail("expected a row")
      assert.deepStrictEqual([kind, names.refundId, names.providerRefundId], ["refund", null, of.providerRefundId])
    })
  )
  const { lists } = subject
  eachOf("a list", ["refund", "pending refund"], lists && ((of) => [of]), (_, of) =>
    Effect.gen(function* () {
      const { at: created, providerRef, refunded } = of
      const item = { refundId: null, providerRef, money: refunded, state: refundOf(of), created }
      const page = lists?.refunds({ items: [item], hasMore: false })
      const window = { createdFrom: noon, createdBefore: noon + hour, cursor: null }
      const { items } = yield* over(page === undefined ? [] : [page]).listRefunds?.(window) ?? Effect.die("no list")
      assert.deepStrictEqual(items, [item])
    })
  )
}
