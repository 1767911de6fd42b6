/** Open differences that are compared again: what ends them, what they become, and what stays as it was. */
import { assert, describe } from "@effect/vitest"
import { type JournalTransaction, type OperatorStatement, type Payment, Pointsman, settlementOf } from "@pointsman/core"
import type { ReportRow } from "@pointsman/core/connector"
import { Settlements, StorageError, Unanswered } from "@pointsman/core/ports"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { begin, disputeEvents } from "./support/Disputes.ts"
import { itHere, itIn, itRuns } from "./support/ItIn.ts"
import { listingProvider } from "./support/ListingProvider.ts"
import { authorized, chargeSays, created, operate } from "./support/Operations.ts"
import { attemptIdOf, bookOf, changeConnections, stored } from "./support/Pages.ts"
import {
  day,
  entriesOf,
  eur,
  journalNow,
  orderOf,
  paidAt,
  reconcile,
  rowOf,
  runDying,
  unexplainedIn
} from "./support/Reports.ts"
import { assertFields, dyingAt } from "./support/Steps.ts"
import { recovered, tenant, type World, world } from "./support/World.ts"

/** A report of one payout, which has nothing to do with the other rows. */
const payout = (id: string) => orderOf([rowOf(undefined, { id, kind: "payout", gross: eur(-1) })])

/** `result` of each entry that counts, and what closed it; closed entries that do not count any more have `by` before it. */
const standing = Effect.map(entriesOf, (entries) =>
  Object.fromEntries(
    entries
      .filter(({ kind }) => kind !== "payout")
      .map(({ closed, corrected, result, rowId }) => [
        rowId,
        [...(corrected === null ? [] : ["replaced"]), result, ...(closed === null ? [] : [closed.by])].join(" ")
      ])
  )
)

/** Every transaction of before, unchanged. */
const assertGrown = (before: ReadonlyArray<JournalTransaction>, after: ReadonlyArray<JournalTransaction>) => {
  const now = new Map(after.map((one) => [one.id, one]))
  for (const one of before) assert.deepStrictEqual(now.get(one.id), one)
}

const corrects = Effect.fnUntraced(function* (payment: Payment, stated: OperatorStatement) {
  const pointsman = yield* Pointsman
  return yield* pointsman.resolveReview({ tenant, paymentId: payment.id, stated, evidence: "dashboard", by: "Jo" })
})

describe("a row of a refund that is recovered later", () => {
  const noon = 2.5 * day
  const lose = Effect.fnUntraced(function* (provider: ReturnType<typeof listingProvider>) {
    return yield* Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const payment = yield* created()
      yield* operate("refund", payment.id, { amountMinor: 500 })
      const { refunds } = yield* bookOf(payment)
      return { payment, attemptId: attemptIdOf(payment), refundId: refunds[0]?.id ?? "" }
    }).pipe(Effect.provide(world({ provider }).layer))
  })
  const rowsOf = ({ attemptId, payment, refundId }: Effect.Success<ReturnType<typeof lose>>) => {
    const names = { attemptId, providerRef: payment.providerRef }
    return [
      rowOf(payment, { id: "charge", names, fee: eur(40), net: eur(1959) }),
      rowOf(payment, { id: "refund", kind: "refund", gross: eur(-500), names: { ...names, refundId } })
    ]
  }
  const recoverAll = Effect.flatMap(Pointsman, (pointsman) =>
    recovered(pointsman.recover({ since: noon - day, connectionId: null, isDryRun: false }))
  )

  /** A test in a new store, a day after the provider reported rows of what the earlier one lost. */
  const itLost = (
    title: string,
    body: (
      lost: Effect.Success<ReturnType<typeof lose>>,
      rows: ReadonlyArray<ReportRow>,
      own: World
    ) => Effect.fn.Return<unknown, unknown, Effect.Services<typeof recoverAll> | Layer.Success<World["layer"]>>
  ) =>
    itRuns(title, function* () {
      const provider = listingProvider()
      const lost = yield* lose(provider)
      const own = world({ provider })
      const read = Effect.andThen(
        TestClock.setTime(paidAt + day),
        Effect.gen(() => body(lost, rowsOf(lost), own))
      )
      yield* Effect.provide(read, own.layer)
    })

  itLost("rows read before records are recovered both match, and books only grow", function* (lost, rows) {
    yield* reconcile(orderOf(rows))
    assert.deepStrictEqual(yield* standing, { charge: "missing_here", refund: "missing_here" })
    const before = yield* journalNow
    yield* TestClock.setTime(paidAt + 2 * day)
    yield* recoverAll
    const entries = yield* entriesOf
    assert.deepStrictEqual(yield* standing, {
      charge: "replaced missing_here comparison",
      [`charge#${entries[0]?.runId}.1`]: "matched",
      refund: "replaced missing_here comparison",
      [`refund#${entries[0]?.runId}.2`]: "matched"
    })
    const counted = entries.filter(({ corrected }) => corrected === null)
    // A recovery waits for what was sent before.
    const recoveredAt = paidAt + 2 * day + 35_000
    assert.deepStrictEqual(
      counted.map((one) => [one.kind, one.paymentId, one.refundId, one.recordedAt, one.runId]),
      [
        ["charge", lost.payment.id, null, recoveredAt, entries[0]?.runId],
        ["refund", lost.payment.id, lost.refundId, recoveredAt, entries[0]?.runId]
      ]
    )
    assert.strictEqual(settlementOf(counted.filter(({ kind }) => kind === "charge"))?.feeMinor, 40)
    // The row states that it is paid out, too.
    assert.strictEqual((yield* stored(lost.payment)).reported?.isPaidOut, true)
    const after = yield* journalNow
    assertGrown(before, after)
    assert.strictEqual(unexplainedIn(before), -1499)
    assert.strictEqual(unexplainedIn(after), 0)
    // Nothing is left to compare: neither a recovery nor a report writes an entry.
    yield* recoverAll
    yield* reconcile(payout("later"))
    assert.strictEqual((yield* entriesOf).length, entries.length + 1)
  })

  itLost("a replaced entry counts once when the row comes again, also with its payout", function* (_, rows) {
    yield* reconcile(orderOf(rows))
    yield* recoverAll
    const run = yield* reconcile(orderOf(rows, { sha256: "again" }))
    assert.deepStrictEqual([run.rowsKnown, run.counts.duplicate], [2, 0])
    yield* TestClock.setTime(paidAt + 2 * day)
    const paid = rows.map((row) => ({ ...row, payoutId: "po_2" }))
    yield* reconcile(orderOf(paid, { sha256: "paid" }))
    const counted = (yield* entriesOf).filter(({ corrected }) => corrected === null)
    assertFields(counted, ["kind", "payoutId", "result"], ["charge", "po_2", "matched"], ["refund", "po_2", "matched"])
    assert.strictEqual(unexplainedIn(yield* journalNow), 0)
  })

  itLost("recovered records match the newest version of a row with newer contents", function* (_, rows) {
    yield* reconcile(orderOf(rows.map((row) => ({ ...row, payoutId: null }))))
    yield* reconcile(orderOf(rows, { sha256: "paid" }))
    yield* TestClock.setTime(paidAt + 2 * day)
    yield* recoverAll
    const counted = (yield* entriesOf).filter(({ corrected }) => corrected === null)
    assertFields(counted, ["kind", "payoutId", "result"], ["charge", "po_1", "matched"], ["refund", "po_1", "matched"])
    assert.strictEqual(unexplainedIn(yield* journalNow), 0)
    const run = yield* reconcile(orderOf(rows, { sha256: "again" }))
    assert.deepStrictEqual([run.rowsKnown, run.counts.duplicate], [2, 0])
  })

  itRuns("a comparison repeated after its process died at any write has the same result", function* () {
    const results = new Set<string>()
    for (const dies of ["never", "before", "after"] as const) {
      for (let at = 1; at <= 4; at++) {
        const provider = listingProvider()
        const lost = yield* lose(provider)
        const own = world({ provider })
        const result = yield* Effect.gen(function* () {
          yield* TestClock.setTime(paidAt + day)
          yield* reconcile(orderOf(rowsOf(lost)))
          yield* recoverRecords(own)
          const process = yield* dyingAt(own, at, dies)
          yield* Effect.exit(recovered(process.recover({ since: noon - day, connectionId: "main", isDryRun: false })))
          yield* recoverAll
          const entries = (yield* entriesOf).map(({ closed, corrected, kind, paymentId, refundId, result, rowId }) => [
            ...[kind, rowId.includes("#"), result, paymentId !== null, refundId !== null, corrected !== null],
            closed?.by
          ])
          const { capturedMinor, refundedMinor, reported, state } = yield* stored(lost.payment)
          return JSON.stringify([entries, state, capturedMinor, refundedMinor, reported?.isPaidOut])
        }).pipe(Effect.scoped, Effect.provide(own.layer))
        results.add(result)
      }
    }
    assert.strictEqual(results.size, 1)
  })

  /** The records alone, as a store does that fails when the differences are compared. */
  const recoverRecords = Effect.fnUntraced(function* (own: World) {
    const settlements = yield* Settlements
    const failing = Effect.fail(new StorageError({ operation: "hold", cause: new Error("down") }))
    const process = yield* own.another.pipe(Effect.provideService(Settlements, { ...settlements, hold: () => failing }))
    yield* recovered(process.recover({ since: noon - day, connectionId: null, isDryRun: false }))
    assert.deepStrictEqual(yield* standing, { charge: "missing_here", refund: "missing_here" })
  })

  itLost("a report being read while records are recovered compares them itself", function* (_, rows) {
    yield* reconcile(orderOf(rows))
    const settlements = yield* Settlements
    const lease = { holder: "a reader", runId: "rec_1", fileName: "june.csv" }
    const now = paidAt + day
    yield* settlements.hold(tenant, "main", { ...lease, now, until: now + 60_000 })
    yield* recoverAll
    assert.deepStrictEqual(yield* standing, { charge: "missing_here", refund: "missing_here" })
    yield* settlements.release(tenant, "main", "a reader")
    yield* reconcile(payout("later"))
    const each = ["replaced missing_here comparison", "matched"]
    assert.deepStrictEqual(Object.values(yield* standing), [...each, ...each])
  })
})

const given = Effect.fnUntraced(function* (own: World) {
  own.provider.onCharge = ({ attemptId }) => Effect.succeed({ _tag: "Pending", providerRef: `ch_${attemptId}` })
  yield* TestClock.setTime(begin)
  const payment = yield* created()
  yield* TestClock.setTime(begin + 20 * day)
  const names = { attemptId: attemptIdOf(payment) }
  const taken = { id: "dispute", kind: "dispute", gross: eur(-1999), occurredAt: begin + day } as const
  return {
    payment,
    charge: rowOf(payment, { id: "charge", occurredAt: begin, names }),
    dispute: rowOf(payment, { ...taken, names: { ...names, disputeId: "du_1" } })
  }
})

for (const [how, inOne] of [
  ["in one report", true],
  ["in an earlier report", false]
] as const) {
  itHere(`a dispute that is ${how} is recorded, and no difference stays open`, function* (own) {
    const { charge, dispute, payment } = yield* given(own)
    if (!inOne) yield* reconcile(orderOf([dispute]))
    yield* reconcile(orderOf(inOne ? [dispute, charge] : [charge], { rowsAtOnce: 1 }))
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened"])
    const open = (yield* entriesOf).filter(({ closed, result }) => result !== "matched" && closed === null)
    assert.deepStrictEqual(open, [])
  })
}

describe("a difference of a payment that a person corrects", () => {
  itHere("a difference is closed at once by records that agree; others stay open", function* (own) {
    own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "lost" }))
    const payment = yield* created({ reference: "order-1" })
    const other = yield* created({ reference: "order-2" })
    yield* TestClock.setTime(paidAt + day)
    const rows = [payment, other].map((one) => {
      const id = one.reference ?? ""
      return rowOf(one, { id, names: { attemptId: attemptIdOf(one), providerRef: `ch_${id}` } })
    })
    yield* runDying(own, orderOf(rows))
    assert.deepStrictEqual(yield* standing, { "order-1": "status_differs", "order-2": "status_differs" })
    yield* corrects(payment, chargeSays("captured", { providerRef: "ch_order-1" }))
    assert.strictEqual((yield* stored(payment)).capturedMinor, 1999)
    assert.deepStrictEqual(yield* standing, { "order-1": "status_differs comparison", "order-2": "status_differs" })
    const [entry] = yield* entriesOf
    assert.deepStrictEqual(entry?.closed, { by: "comparison", note: "", at: paidAt + day })
  })

  itHere("a record found right stays as it was, and no report opens the review again", function* () {
    const payment = yield* created()
    yield* TestClock.setTime(paidAt + day)
    yield* reconcile(orderOf([rowOf(payment, { id: "less", gross: eur(900), payoutId: null })]))
    assert.exists((yield* stored(payment)).review)
    assert.deepStrictEqual(yield* standing, { less: "amount_differs" })
    const [before] = yield* entriesOf
    yield* corrects(payment, chargeSays("captured", { amountMinor: 1999, providerRef: payment.providerRef }))
    const resolved = yield* stored(payment)
    assert.strictEqual(resolved.review, null)
    yield* reconcile(payout("next"))
    yield* reconcile(payout("last"))
    assert.deepStrictEqual(yield* stored(payment), resolved)
    assert.deepStrictEqual(
      (yield* entriesOf).find(({ rowId }) => rowId === "less"),
      before
    )
  })
})

describe("a difference that is still one", () => {
  const rule = (fixed: number) => ({ fees: [{ fixed: { EUR: fixed }, partsPerMillion: 0 }] })
  const fee = world({ connections: [{ id: "main", ...rule(25) }] })
  itIn("a differing fee stays open when the connection's rules change to it", fee, function* () {
    const payment = yield* created()
    yield* TestClock.setTime(paidAt + day)
    yield* reconcile(orderOf([rowOf(payment, { id: "fee", fee: eur(30), net: eur(1969) })]))
    yield* changeConnections((one) => ({ ...one, ...rule(30) }))
    yield* reconcile(payout("next"))
    assert.deepStrictEqual(yield* standing, { fee: "fee_differs" })
  })

  itHere("a row of the provider's own refund is not of one of its amount made here", function* () {
    const payment = yield* created()
    yield* TestClock.setTime(paidAt + day)
    yield* reconcile(orderOf([rowOf(payment, { id: "refund", kind: "refund", gross: eur(-500) })]))
    assert.deepStrictEqual(yield* standing, { refund: "missing_here" })
    yield* operate("refund", payment.id, { amountMinor: 500 })
    yield* reconcile(payout("next"))
    assert.deepStrictEqual(yield* standing, { refund: "missing_here" })
  })

  for (const [how, before, after, expected] of [
    ["of one report", ["b", "a"], [], { a: "missing_here", b: "matched" }],
    ["that came before and after", ["older"], ["newer"], { newer: "matched", older: "missing_here" }]
  ] as const) {
    itHere(`one of two rows ${how} matches a charge known later; the other stays open`, function* (own) {
      own.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: "ch_1" })
      yield* TestClock.setTime(paidAt)
      const row = (id: string) => rowOf(undefined, { id, gross: eur(1999), names: { providerRef: "ch_1" } })
      yield* reconcile(orderOf(before.map(row)))
      yield* created()
      yield* reconcile(after.length === 0 ? payout("next") : orderOf(after.map(row)))
      const counted = (yield* entriesOf).filter(({ corrected, kind }) => corrected === null && kind === "charge")
      const found = counted.map(({ result, rowId }) => [rowId.split("#")[0], result])
      assert.deepStrictEqual(Object.fromEntries(found), expected)
    })
  }

  itHere("a refund made at the provider is recorded once when two rows name it", function* (own) {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: "ch_1" })
    yield* TestClock.setTime(paidAt)
    const payment = yield* created()
    const names = { providerRef: "ch_1", providerRefundId: "re_1" }
    for (const id of ["first", "second"]) {
      yield* reconcile(orderOf([rowOf(undefined, { id, kind: "refund", gross: eur(-500), names })]))
    }
    assert.deepStrictEqual(yield* standing, { first: "status_differs statement", second: "duplicate" })
    const { refunds } = yield* bookOf(payment)
    assertFields(refunds, ["origin", "money", "stage"], ["provider", eur(500), "Succeeded"])
  })

  itHere("more than a report takes at once is read in its pages, and nothing is written", function* (own) {
    yield* TestClock.setTime(paidAt + day)
    const settlements = yield* Settlements
    const pages: Array<number> = []
    let writes = 0
    const process = yield* own.another.pipe(
      Effect.provideService(Settlements, {
        ...settlements,
        differences: (query) =>
          Effect.tap(settlements.differences(query), (page) => Effect.sync(() => void pages.push(page.length))),
        applyBatch: (batch) =>
          Effect.suspend(() => {
            writes += 1
            return settlements.applyBatch(batch)
          })
      })
    )
    const written = Effect.fnUntraced(function* (id: string) {
      writes = 0
      yield* process.reconciliation.run({ ...payout(id), rowsAtOnce: 2 })
      return writes
    })
    yield* written("first")
    const without = yield* written("second")
    yield* reconcile(orderOf(["a", "b", "c"].map((id) => rowOf(undefined, { id, names: { providerRef: id } }))))
    pages.length = 0
    assert.strictEqual(yield* written("third"), without)
    assert.deepStrictEqual(pages, [2, 1])
  })

  itHere("a payment without a report is not missing after a failed capture, until captured", function* (own) {
    const other = yield* created()
    const payment = yield* authorized
    yield* operate("capture", payment.id)
    yield* TestClock.setTime(paidAt + 5 * day)
    yield* reconcile(orderOf([rowOf(undefined, { id: "p", kind: "payout", occurredAt: -day }), rowOf(other)]))
    assert.strictEqual((yield* standing)[`missing:${payment.id}`], "missing_there")
    const { operations } = yield* bookOf(payment)
    const names = { operationId: operations[0]?.id ?? "" }
    yield* reconcile(orderOf([rowOf(payment, { id: "failed", kind: "charge_failed", gross: eur(-1999), names })]))
    assert.strictEqual((yield* stored(payment)).capturedMinor, 0)
    assert.strictEqual((yield* standing)[`missing:${payment.id}`], "missing_there comparison")
    // Captured again, and never paid out.
    yield* TestClock.setTime(paidAt + 6 * day)
    own.provider.onCapture = ({ money, providerRef }) =>
      Effect.succeed({ _tag: "Captured", providerRef, stated: money })
    yield* operate("capture", payment.id)
    assert.strictEqual((yield* stored(payment)).capturedMinor, 1999)
    yield* TestClock.setTime(paidAt + 12 * day)
    const late = (id: string) =>
      orderOf([rowOf(undefined, { id, kind: "payout", gross: eur(-1), occurredAt: paidAt + 11 * day })])
    yield* reconcile(late("late"))
    const again = `missing:${payment.id}#${paidAt + 6 * day}`
    assert.strictEqual((yield* standing)[again], "missing_there")
    yield* reconcile(late("later"))
    const entries = Object.keys(yield* standing).filter((id) => id.startsWith(`missing:${payment.id}`))
    assert.deepStrictEqual(entries, [`missing:${payment.id}`, again])
  })
})
