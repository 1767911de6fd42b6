/** Reports of providers compared with the records: what is found, what moves, and what a second reading changes. */
import { assert, describe } from "@effect/vitest"
import {
  type Payment,
  Pointsman,
  ReportBeingRead,
  ReportBroken,
  ReportRefused,
  ReportTaken,
  settlementOf
} from "@pointsman/core"
import type { ReportEntry, ReportRow } from "@pointsman/core/connector"
import { Settlements, StorageError } from "@pointsman/core/ports"
import { Effect, Exit, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn, itRuns } from "./support/ItIn.ts"
import { createMany, creating, operate } from "./support/Operations.ts"
import { attemptIdOf, bookOf, stored, typesOf } from "./support/Pages.ts"
import { day, entriesOf, eur, foundIn, orderOf, paidAt, reconcile, rowOf } from "./support/Reports.ts"
import { created, unanswered } from "./support/Statements.ts"
import { dyingAt } from "./support/Steps.ts"
import { tenant, type World, world } from "./support/World.ts"

const createOne = (own: World) =>
  Effect.map(createMany(own, 1), ([payment]) => payment ?? assert.fail("no payment was created"))

/** A payment whose charge was never answered, and the row that says that it was captured. */
const unknown = Effect.fnUntraced(function* (own: World) {
  const payment = yield* created(unanswered)(own)
  return { payment, row: rowOf(payment, { names: { attemptId: attemptIdOf(payment), providerRef: "ch_1" } }) }
})

describe("a report", () => {
  itIn("a charge without an answer is captured and settled when its row arrives", world(), function* (own) {
    const { payment, row } = yield* unknown(own)
    assert.strictEqual(payment.state, "ChargeUnknown")
    yield* TestClock.setTime(paidAt + day)
    const run = yield* reconcile(orderOf([row]))
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.capturedMinor, after.providerRef], ["Settled", 1999, "ch_1"])
    assert.deepStrictEqual(after.review, null)
    assert.deepStrictEqual(run.counts.status_differs, 1)
    const [entry] = yield* entriesOf
    assert.deepStrictEqual([entry?.result, entry?.expected], ["status_differs", "ChargeUnknown"])
    assert.deepStrictEqual(entry?.closed, { by: "statement", note: "", at: paidAt + day })
  })

  const every = world({
    connections: [{ id: "main", fees: [{ fixed: { EUR: 25 }, partsPerMillion: 10_000 }] }, { id: "backup" }]
  })
  itIn("each kind of difference in a report is found and named, and no other", every, function* (own) {
    const [fine, less, twice, fee, missing, disputed, refunded] = yield* createMany(own, 7)
    assert(fine && less && twice && fee && missing && disputed && refunded)
    const fees = { fee: eur(45), net: eur(1954) }
    yield* operate("refund", refunded.id, { amountMinor: 400 })
    const { refunds } = yield* bookOf(refunded)
    const refundId = refunds[0]?.id ?? ""
    yield* TestClock.setTime(paidAt + 5 * day)
    const rows = [
      rowOf(fine, { ...fees, occurredAt: -day }),
      rowOf(less, { gross: eur(900) }),
      rowOf(twice, { id: "twice 1", ...fees }),
      rowOf(twice, { id: "twice 2", ...fees }),
      rowOf(fee, { fee: eur(46), net: eur(1953) }),
      rowOf(disputed, { ...fees }),
      rowOf(disputed, { id: "dispute", kind: "dispute", names: { disputeId: "dp_1" }, gross: eur(-1000) }),
      rowOf(refunded, { ...fees }),
      rowOf(refunded, { id: "refund", kind: "refund", gross: eur(-400), names: { refundId } }),
      rowOf(refunded, { id: "another refund", kind: "refund", gross: eur(-400) }),
      rowOf(refunded, { id: "unknown refund", kind: "refund", gross: eur(-1), names: { providerRefundId: "re_x" } }),
      rowOf(undefined, { id: "unknown charge", gross: eur(1000), names: { providerRef: "ch_other" } }),
      rowOf(undefined, { id: "payout", kind: "payout", gross: eur(-4000) }),
      rowOf(undefined, { id: "wrong sum", kind: "adjustment", gross: eur(10), fee: eur(1), net: eur(8) }),
      rowOf(fine, { ...fees, occurredAt: -day })
    ]
    const run = yield* reconcile(orderOf(rows))
    assert.strictEqual(run.state, "done")
    assert.deepStrictEqual(foundIn(yield* entriesOf), {
      [`row_${fine.id}`]: "matched by_id",
      [`row_${fine.id}#${run.id}.15`]: "duplicate same_row",
      [`row_${less.id}`]: "amount_differs by_id",
      "twice 1": "matched by_id",
      "twice 2": "duplicate by_id",
      [`row_${fee.id}`]: "fee_differs by_id",
      [`row_${disputed.id}`]: "matched by_id",
      dispute: "status_differs by_id",
      [`row_${refunded.id}`]: "matched by_id",
      refund: "matched by_id",
      "another refund": "missing_here by_id",
      "unknown refund": "status_differs by_id",
      "unknown charge": "missing_here not_found",
      payout: "matched no_payment",
      "wrong sum": "fee_differs no_payment",
      [`missing:${missing.id}`]: "missing_there not_found"
    })
    assert.deepStrictEqual(
      [(yield* stored(fine)).state, (yield* stored(disputed)).state, (yield* stored(less)).review !== null],
      ["Settled", "ChargedBack", true]
    )
    // The one that only the provider names was made there.
    assert.strictEqual((yield* stored(refunded)).refundedMinor, 401)
    const found = yield* entriesOf
    for (const [result, count] of Object.entries(run.counts)) {
      assert.lengthOf(
        found.filter((one) => one.result === result),
        count,
        result
      )
    }
  })

  itIn("a report that was read changes nothing when it or its rows come again", world(), function* (own) {
    const payments = yield* createMany(own, 5)
    const rows = payments.map((payment) => rowOf(payment))
    const first = yield* reconcile(orderOf(rows))
    const before = yield* Effect.forEach(payments, stored)
    const entries = yield* entriesOf
    assert.deepStrictEqual(yield* reconcile(orderOf(rows)), first)
    const other = yield* reconcile(orderOf(rows.toReversed(), { rowsAtOnce: 2 }))
    assert.deepStrictEqual([other.rowsKnown, other.counts.matched, other.counts.duplicate], [5, 0, 0])
    assert.deepStrictEqual(yield* entriesOf, entries)
    assert.deepStrictEqual(yield* Effect.forEach(payments, stored), before)
  })

  itIn("the newest contents of a row count, and none is counted twice", world(), function* (corrected) {
    const payment = yield* createOne(corrected)
    const { balance } = (yield* Pointsman).reconciliation
    const open = rowOf(payment, { payoutId: null, settledAt: null })
    const versions = [open, { ...open, fee: eur(3), net: eur(1996) }, rowOf(payment, { fee: eur(4), net: eur(1995) })]
    const states: Array<string> = []
    const late = versions.map((row) => ({ ...row, generatedAt: paidAt - 1 }))
    for (const [index, row] of [...versions, ...late].entries()) {
      yield* TestClock.setTime(paidAt + index)
      const run = yield* reconcile(orderOf([row], { sha256: `report ${index}` }))
      assert.deepStrictEqual([run.counts.matched, run.rowsKnown], index < 3 ? [1, 0] : [0, 1])
      states.push((yield* stored(payment)).state)
    }
    assert.deepStrictEqual(states, ["Captured", "Captured", "Settled", "Settled", "Settled", "Settled"])
    const entries = yield* entriesOf
    const newest = entries.find(({ corrected: later }) => later === null)
    assert(newest !== undefined)
    assert.deepStrictEqual(
      entries
        .flatMap(({ closed, corrected: later, recordedAt, result }) =>
          later === null ? [] : [[result, recordedAt, later, closed?.by, closed?.at]]
        )
        .toSorted(),
      [
        ["matched", paidAt, { by: newest.rowId, at: paidAt + 1 }, "row", paidAt + 1],
        ["matched", paidAt + 1, { by: newest.rowId, at: paidAt + 2 }, "row", paidAt + 2]
      ]
    )
    const paid = { connectionId: "main", payoutId: "po_1", feeMinor: 4, netMinor: 1995, currency: "EUR" }
    assert.deepStrictEqual(settlementOf(entries), { ...paid, settledAt: paidAt + day })
    const [moved, ...others] = yield* balance({ tenant, from: 0, until: paidAt + 9 * day })
    assert.deepStrictEqual([moved?.rows, moved?.chargesMinor, moved?.feesMinor, others.length], [1, 1999, 4, 0])
  })

  itIn("a report that corrects itself, or a later one that does, leaves nothing open", world(), function* (own) {
    const payment = yield* createOne(own)
    const wrong = rowOf(payment, { gross: eur(900), fee: eur(3), net: eur(897) })
    yield* reconcile(orderOf([rowOf(undefined, { id: "p", kind: "payout" }), wrong]))
    const right = rowOf(payment)
    const run = yield* reconcile(orderOf([right, rowOf(payment, { fee: eur(1), net: eur(1998) })], { sha256: "two" }))
    assert.deepStrictEqual([run.counts.matched, run.counts.duplicate], [2, 0])
    assert.deepStrictEqual(yield* (yield* Pointsman).reconciliation.differences({ differences: "open", limit: 9 }), [])
    assert.strictEqual(settlementOf((yield* entriesOf).filter(({ kind }) => kind === "charge"))?.feeMinor, 1)
    const again = orderOf([rowOf(payment, { id: "second" })])
    assert.strictEqual((yield* reconcile(again)).counts.duplicate, 1)
  })

  itIn("each currency of a run adds up by itself for a charge in EUR paid out in USD", world(), function* () {
    const usd = (minorUnits: number) => ({ minorUnits, currency: "USD" })
    const converted = { converted: usd(1080), fee: usd(30), net: usd(1050) }
    const rows = [
      rowOf(undefined, { id: "eur", gross: eur(1000), ...converted }),
      rowOf(undefined, { id: "usd", gross: usd(500), fee: usd(20), net: usd(480) })
    ]
    const { sums } = yield* reconcile(orderOf(rows))
    assert.deepStrictEqual(sums, { USD: { grossMinor: 1580, feeMinor: 50, netMinor: 1530 } })
  })
})

describe("payments that no report has", () => {
  itIn("nothing is missing before the provider's delay; a late row ends it after", world(), function* (own) {
    const early = yield* createOne(own)
    yield* TestClock.setTime(2 * day)
    const late = yield* createOne(own)
    yield* TestClock.setTime(9 * day)
    const row = (id: string, at: number) => rowOf(undefined, { id, kind: "payout", occurredAt: at })
    const missing = Effect.map(entriesOf, (entries) =>
      entries.filter(({ result }) => result === "missing_there").map(({ closed, paymentId }) => [paymentId, closed?.by])
    )
    yield* reconcile(orderOf([row("a", -day), row("b", 2 * day - 1)]))
    assert.deepStrictEqual(yield* missing, [])
    yield* reconcile(orderOf([row("c", day), row("d", 4 * day - 1)]))
    assert.deepStrictEqual(yield* missing, [[early.id, undefined]])
    yield* reconcile(orderOf([row("e", 3 * day), row("f", 4 * day)]))
    assert.deepStrictEqual(
      (yield* missing).map(([id]) => id),
      [early.id, late.id]
    )
    yield* reconcile(orderOf([rowOf(early)]))
    assert.deepStrictEqual(yield* missing, [
      [early.id, "row"],
      [late.id, undefined]
    ])
  })
})

describe("a row without ids", () => {
  itIn("a row of no payment suggests only a payment of its amount and time", world(), function* (own) {
    yield* createMany(own, 0)
    const single = yield* creating({ details: { money: eur(777) } })
    for (const _ of [1, 2]) yield* creating({ details: { money: eur(888) } })
    const named = yield* creating({ details: { money: eur(999), reference: "order-9" } })
    const none = { providerRef: null }
    const run = yield* reconcile(
      orderOf([
        rowOf(undefined, { id: "single", gross: eur(777), occurredAt: day, names: none }),
        rowOf(undefined, { id: "two", gross: eur(888), occurredAt: day, names: none }),
        rowOf(undefined, { id: "later", gross: eur(777), occurredAt: 8 * day, names: none }),
        rowOf(undefined, { id: "named", gross: eur(999), names: { ...none, reference: "order-9" } }),
        rowOf(undefined, { id: "other", gross: eur(777), names: { ...none, attemptId: "att_lost" } })
      ])
    )
    assert.strictEqual(run.state, "done")
    const entries = yield* entriesOf
    assert.deepStrictEqual(foundIn(entries), {
      single: "missing_here not_found",
      two: "missing_here not_found",
      later: "missing_here not_found",
      named: "missing_here not_found",
      other: "missing_here not_found"
    })
    assert.deepStrictEqual(
      Object.fromEntries(entries.map(({ rowId, suggestedPaymentId }) => [rowId, suggestedPaymentId])),
      { single: single.id, two: null, later: null, named: named.id, other: null }
    )
  })
})

/** How long a process that died holds up the next one. */
const leaseMillis = 60_000

describe("a run that is killed", () => {
  const rowsOf = ([first, ...others]: ReadonlyArray<Payment>) => [
    ...others.map((payment) => rowOf(payment)),
    rowOf(first, { gross: eur(5) }),
    rowOf(first, { id: "dispute", kind: "dispute", gross: eur(-5), names: { disputeId: "dp_1" } }),
    rowOf(others[0], { id: "again" }),
    rowOf(others[1], { payoutId: null, fee: eur(9), net: eur(1990) })
  ]
  /** Everything that a run leaves, without the ids that differ. */
  const left = Effect.fnUntraced(function* (payments: ReadonlyArray<Payment>) {
    const states = yield* Effect.forEach(payments, (one) =>
      Effect.map(Effect.all([stored(one), typesOf(one)]), ([{ capturedMinor, review, state }, types]) => [
        state,
        capturedMinor,
        review === null,
        types
      ])
    )
    const entries = (yield* entriesOf).map(({ closed, number, result }) => [number, result, closed?.by])
    return { states, entries: entries.toSorted() }
  })

  type Process = (own: World) => typeof own.another
  const readKilled = (killed?: Process) => {
    const own = world()
    return Effect.gen(function* () {
      const payments = yield* createMany(own, 9)
      yield* TestClock.setTime(paidAt + day)
      const order = () => orderOf(rowsOf(payments), { rowsAtOnce: 3 })
      let died = false
      if (killed !== undefined) {
        const process = yield* killed(own)
        died = Exit.isFailure(yield* Effect.exit(process.reconciliation.run(order())))
        yield* TestClock.setTime(paidAt + day + leaseMillis)
      }
      const { counts, rowsDone, state, sums } = yield* reconcile(order())
      return { died, report: { counts, rowsDone, state, sums, ...(yield* left(payments)) } }
    }).pipe(Effect.scoped, Effect.provide(own.layer))
  }
  const withSettlements =
    (process: Process, over: (settlements: Settlements) => Partial<Settlements>): Process =>
    (own) =>
      Effect.flatMap(Settlements, (settlements) =>
        Effect.provideService(process(own), Settlements, { ...settlements, ...over(settlements) })
      )

  itRuns("the next run ends the same after a death before or after any write", function* () {
    const { report: expected } = yield* readKilled()
    assert.deepStrictEqual([expected.state, expected.counts.amount_differs, expected.counts.duplicate], ["done", 1, 1])
    let deaths = 0
    for (let write = 1; write <= 18; write++) {
      for (const dies of ["before", "after"] as const) {
        // A dead process gives no lease back.
        const killed = withSettlements(
          (own) => dyingAt(own, write, dies),
          () => ({ release: () => Effect.void })
        )
        const { died, report } = yield* readKilled(killed)
        if (died) deaths += 1
        assert.deepStrictEqual(report, expected)
      }
    }
    assert.strictEqual(deaths, 32)
  })

  itRuns("what is stored decides after a write with a lost answer", function* () {
    const lost = Effect.fail(new StorageError({ operation: "applyBatch", cause: new Error("lost") }))
    const losing = (isWritten: boolean) =>
      withSettlements(
        ({ another }) => another,
        ({ applyBatch }) => ({
          applyBatch: (batch) => Effect.andThen(isWritten ? applyBatch(batch) : Effect.void, lost)
        })
      )
    const { report: expected } = yield* readKilled()
    const written = yield* readKilled(losing(true))
    assert.deepStrictEqual(written, { died: false, report: expected })
    assert.deepStrictEqual(yield* readKilled(losing(false)), { died: true, report: expected })
  })
})

describe("reports in any order", () => {
  const readIn = (order: ReadonlyArray<number>) => {
    const own = world()
    return Effect.gen(function* () {
      const payments = yield* createMany(own, 6)
      yield* operate("refund", payments[1]?.id ?? "", { amountMinor: 300 })
      yield* TestClock.setTime(paidAt + 5 * day)
      const [a, b, c, d, e, f] = payments
      const { refunds } = yield* bookOf(b ?? assert.fail("no payment was created"))
      const names = { refundId: refunds[0]?.id ?? "" }
      const refund = rowOf(b, { id: "refund", kind: "refund", gross: eur(-300), occurredAt: paidAt + 2, names })
      const disputes = [
        rowOf(c, {
          id: "dp",
          kind: "dispute",
          gross: eur(-1000),
          names: { disputeId: "dp_1" },
          occurredAt: paidAt + 3
        }),
        rowOf(c, { id: "won", kind: "dispute_reversed", names: { disputeId: "dp_1" }, occurredAt: paidAt + 4 })
      ]
      const whole = payments.slice(0, 5).map((one) => rowOf(one))
      const reports = [
        whole,
        // A part of it, again, and what came late.
        [...whole.slice(2, 4), rowOf(f, { payoutId: null }), refund],
        [...disputes, refund],
        // Corrected: the fee was left out.
        [rowOf(a, { fee: eur(5), net: eur(1994) }), rowOf(d), rowOf(e)]
      ]
      for (const index of order) {
        yield* reconcile(orderOf(reports[index] ?? [], { sha256: String(index), delayMillis: 30 * day }))
      }
      const states = yield* Effect.forEach(payments, (one) =>
        Effect.map(stored(one), ({ capturedMinor, refundedMinor, reported, review, state }) => [
          state,
          capturedMinor,
          refundedMinor,
          reported?.isPaidOut === true,
          review === null
        ])
      )
      const entries = (yield* entriesOf).filter(({ corrected }) => corrected === null)
      const rows = entries.map(({ paymentId, rowId }) => [
        rowId.replace(/row_.*/u, () => `row ${payments.findIndex(({ id }) => id === paymentId)}`),
        payments.findIndex(({ id }) => id === paymentId)
      ])
      return { states, rows: rows.toSorted() }
    }).pipe(Effect.scoped, Effect.provide(own.layer))
  }

  itRuns("late, partial, repeated and corrected reports in any order end in the same books", function* () {
    const permutations = (of: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
      of.length <= 1
        ? [of]
        : of.flatMap((one) => permutations(of.filter((other) => other !== one)).map((rest) => [one, ...rest]))
    const expected = yield* readIn([0, 1, 2, 3])
    for (const order of permutations([0, 1, 2, 3])) assert.deepStrictEqual(yield* readIn(order), expected)
    assert.deepStrictEqual(yield* readIn([2, 0, 0, 3, 1, 2, 3]), expected)
  })
})

describe("a report that cannot be read", () => {
  itIn("another provider's format is refused; a broken file continues once corrected", world(), function* (own) {
    const payment = yield* createOne(own)
    const rows = [rowOf(payment), rowOf(undefined, { id: "payout", kind: "payout" })]
    const format = { name: "stripe-balance", kinds: ["stripe"], delayMillis: 0 }
    const refused = yield* Effect.result(reconcile(orderOf(rows, { format })))
    const reason = "format: stripe-balance is of stripe; the connection is one of scripted"
    assert.deepStrictEqual(Result.getOrThrow(Result.flip(refused)), new ReportRefused({ reason }))
    const unknown = yield* Effect.result(reconcile(orderOf(rows, { connectionId: "none" })))
    assert.instanceOf(Result.getOrThrow(Result.flip(unknown)), ReportRefused)
    const broken = orderOf(rows, { entries: breakingAfter(rows.slice(0, 1)), rowsAtOnce: 1 })
    const failed = yield* Effect.result(reconcile(broken))
    const said = new ReportBroken({ reason: "row 2: the quotes do not end" })
    assert.deepStrictEqual(Result.getOrThrow(Result.flip(failed)), said)
    const [run] = yield* (yield* Pointsman).reconciliation.list({ limit: 1 })
    assert.deepStrictEqual([run?.state, run?.failure, run?.rowsDone], ["failed", said.reason, 1])
    const done = yield* reconcile(orderOf(rows))
    assert.deepStrictEqual([done.id, done.state, done.failure, done.counts.matched], [run?.id, "done", null, 2])
  })

  itIn("a file that breaks after a statement was taken still has its difference closed", world(), function* (own) {
    const { payment, row } = yield* unknown(own)
    const broken = Effect.result(reconcile(orderOf([row], { entries: breakingAfter([row]), rowsAtOnce: 1 })))
    assert.isTrue(Result.isFailure(yield* broken))
    assert.strictEqual((yield* stored(payment)).state, "Settled")
    const [entry] = yield* entriesOf
    assert.deepStrictEqual([entry?.result, entry?.closed?.by], ["status_differs", "statement"])
    const [run] = yield* (yield* Pointsman).reconciliation.list({ limit: 1 })
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.rowsApplied], ["failed", 1, 1])
  })
})

async function* breakingAfter(rows: ReadonlyArray<ReportRow>): AsyncGenerator<ReadonlyArray<ReportEntry>> {
  yield rows.map((row) => ({ _tag: "Row", row }) as const)
  throw new Error("row 2: the quotes do not end")
}

describe("two reports of one connection", () => {
  const payouts = Array.from({ length: 6 }, (_, at) => rowOf(undefined, { id: `p${at}`, kind: "payout" }))

  /** Gives the first rows, calls `meanwhile`, and goes on with the others once it ends. */
  async function* pausing(rows: ReadonlyArray<ReportRow>, meanwhile: () => Promise<unknown>) {
    const entries = rows.map((row) => ({ _tag: "Row", row }) as const)
    yield entries.slice(0, 2)
    await meanwhile()
    yield entries.slice(2)
  }

  /** The first file, in whose middle that happens, and what came of both. */
  const readPausing = Effect.fnUntraced(function* <A, E>(
    rows: ReadonlyArray<ReportRow>,
    meanwhile: Effect.Effect<A, E, Pointsman>
  ) {
    const run = Effect.runPromiseWith(yield* Effect.context<Pointsman>())
    const seen: Array<A> = []
    const pause = () => run(Effect.map(meanwhile, (one) => seen.push(one)))
    yield* TestClock.setTime(paidAt)
    const order = { sha256: "first", fileName: "first.csv", rowsAtOnce: 2, entries: pausing(rows, pause) }
    return { first: yield* Effect.result(reconcile(orderOf(rows, order))), seen: seen[0] }
  })

  itIn("a second file is refused during a report, with its name and start", world(), function* (_, { reconciliation }) {
    const begin = Effect.result(reconcile(orderOf(payouts, { sha256: "second", fileName: "second.csv" })))
    const { first, seen } = yield* readPausing(payouts, Effect.all([begin, reconciliation.list({ limit: 9 })]))
    const run = Result.getOrThrow(first)
    const until = paidAt + 60_000
    const told = Result.fail(new ReportBeingRead({ runId: run.id, fileName: "first.csv", since: paidAt, until }))
    assert.deepStrictEqual([seen?.[0], seen?.[1].length], [told, 1])
    assert.deepStrictEqual(Result.getOrThrow(yield* begin).rowsKnown, 6)
    assert.strictEqual((yield* entriesOf).length, 6)
  })

  itIn("a file begun again by another process continues there, and the first one ends", world(), function* () {
    const { first, seen } = yield* readPausing(
      payouts,
      reconcile(orderOf(payouts, { sha256: "first", fileName: "first.csv", rowsAtOnce: 2 }))
    )
    assert.deepStrictEqual(first, Result.fail(new ReportTaken()))
    assert.deepStrictEqual([seen?.state, seen?.rowsDone], ["done", payouts.length])
    assert.strictEqual((yield* entriesOf).length, payouts.length)
  })

  itIn("a process paused for longer than its lease writes no more after another report", world(), function* () {
    const newer = payouts.map((row) => ({ ...row, gross: eur(-7) }))
    const { first } = yield* readPausing(
      [...payouts.slice(1), ...payouts.slice(0, 1)],
      Effect.andThen(TestClock.setTime(paidAt + 60_001), reconcile(orderOf(newer, { sha256: "second", rowsAtOnce: 2 })))
    )
    assert.deepStrictEqual(first, Result.fail(new ReportTaken()))
    const counting = (yield* entriesOf).filter(({ corrected }) => corrected === null)
    assert.deepStrictEqual(
      counting.map(({ gross }) => gross.minorUnits),
      newer.map(() => -7)
    )
  })
})
