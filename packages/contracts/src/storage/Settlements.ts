/** Runs and entries of reconciliations: what is written together, what a name finds, and what leaves. */
import { expect } from "@effect/vitest"
import { type Attempt, missingRowId, type ReconciliationRun, type SettlementEntry, type Tenant } from "@pointsman/core"
import { newRun } from "@pointsman/core/internal"
import { longestLeaseMillis, type RunHolder, type SettlementBatch, Settlements } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { newTenant, reach } from "./Given.ts"
import { names, newRefund, nextOf } from "./GivenEntries.ts"
import { chapter, itWith } from "./StorageTest.ts"
import { awkward } from "./Text.ts"
import { atOnce, pagesOf } from "./Unguarded.ts"

/** Every awkward text at once. */
const odd = Object.values(awkward).join("|")

const day = 24 * 60 * 60_000
const minute = 60_000
const at = 1_700_000_000_000 - (1_700_000_000_000 % day)

const runOf = (tenant: Tenant, fields: Partial<ReconciliationRun> = {}): ReconciliationRun => ({
  ...newRun(
    {
      id: `rec_${tenant.workspaceId}`,
      tenant,
      connectionId: "first",
      format: "csv",
      fileName: "june.csv",
      sha256: "ab"
    },
    at
  ),
  ...fields
})

const entryOf = (run: ReconciliationRun, fields: Partial<SettlementEntry> = {}): SettlementEntry => ({
  tenant: run.tenant,
  connectionId: run.connectionId,
  rowId: "row-1",
  runId: run.id,
  number: 1,
  generatedAt: at,
  kind: "charge",
  result: "matched",
  reason: "by_id",
  paymentId: null,
  suggestedPaymentId: null,
  refundId: null,
  disputeId: null,
  providerRef: "ch_1",
  names: null,
  gross: eur(1000),
  converted: null,
  fee: eur(30),
  net: eur(970),
  payoutId: "po_1",
  occurredAt: at,
  settledAt: at + day,
  recordedAt: at + 3,
  corrected: null,
  expected: null,
  openedAt: null,
  closed: null,
  ...fields
})

const difference = { result: "missing_here", reason: "not_found", openedAt: at + 5 } as const

const batchOf = (
  run: ReconciliationRun,
  entries: ReadonlyArray<SettlementEntry>,
  more: Partial<SettlementBatch> = {}
): SettlementBatch => ({
  tenant: run.tenant,
  connectionId: run.connectionId,
  run: { expected: run.version, after: { ...run, version: run.version + 1, rowsDone: run.rowsDone + entries.length } },
  lease: { holder: "reader", until: at + minute },
  entries,
  closes: [],
  corrections: [],
  ...more
})

const apply = (...batch: Parameters<typeof batchOf>) =>
  Effect.flatMap(Settlements, ({ applyBatch }) => applyBatch(batchOf(...batch)))

const usd = (minorUnits: number) => ({ minorUnits, currency: "USD" })
const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

const taking = (more: Partial<RunHolder> = {}): RunHolder => ({
  holder: "reader",
  now: at,
  until: at + minute,
  ...more
})

const beginRun = Effect.fnUntraced(function* (run: ReconciliationRun) {
  const begun = yield* (yield* Settlements).begin(run, taking())
  if (begun._tag === "Taken") return yield* Effect.die(new Error("another holder has the lease"))
  return begun.run
})

const all = (tenant: Tenant) =>
  Effect.flatMap(Settlements, ({ entries }) => entries({ tenant, connectionId: "first", limit: 100 }))

const rowIds = (entries: ReadonlyArray<SettlementEntry>): ReadonlyArray<string> => entries.map(({ rowId }) => rowId)

export const settlements = chapter("settlements", (suiteIt) => {
  /** With a run that has begun. */
  const it = itWith(suiteIt, ({ settlements: store, tenant }) =>
    Effect.map(beginRun(runOf(tenant)), (run) => ({ run, store }))
  )

  it("a file that begins again is the same run", function* ({ run, store, tenant }) {
    expect(run).toStrictEqual(runOf(tenant))
    expect(yield* beginRun(runOf(tenant, { id: "rec_other" }))).toStrictEqual(run)
    const other = yield* beginRun(runOf(tenant, { id: "rec_other", sha256: "cd" }))
    expect(other.id).toBe("rec_other")
    expect(Option.getOrUndefined(yield* store.run(tenant, run.id))).toStrictEqual(run)
    expect((yield* store.runs({ tenant, limit: 10 })).map(({ id }) => id)).toEqual([run.id, other.id].sort().reverse())
    const third = runOf(tenant, { id: "rec_third", sha256: "ef", format: odd })
    expect((yield* beginRun(third)).format).toBe(odd)
    const found = yield* store.runs({ tenant, connectionId: run.connectionId, format: odd, limit: 10 })
    expect(found.map(({ id }) => id)).toEqual(["rec_third"])
  })

  it("a run is refused with the lease's holder while another of its connection is read", function* (given) {
    const { run, store, tenant } = given
    const second = runOf(tenant, { id: "rec_second", sha256: "cd", fileName: odd })
    const other = (more: Partial<RunHolder> = {}) => store.begin(second, taking({ holder: "other", ...more }))
    const by = { runId: run.id, holder: "reader", fileName: "june.csv", since: at, until: at + minute }
    expect(yield* other({ now: at + minute - 1 })).toStrictEqual({ _tag: "Taken", by })
    expect(Option.getOrUndefined(yield* store.run(tenant, second.id))).toBe(undefined)
    const third = runOf(tenant, { id: "rec_third", connectionId: "second" })
    expect((yield* store.begin(third, taking({ holder: "other" })))._tag).toBe("Begun")
    const batch = batchOf(run, [entryOf(run)], { lease: { holder: "reader", until: at + 2 * minute } })
    expect(yield* store.applyBatch(batch)).toBe(true)
    expect((yield* other({ now: at + 2 * minute - 1 }))._tag).toBe("Taken")
    yield* store.release(tenant, "first", "other")
    expect((yield* other({ now: at + minute }))._tag).toBe("Taken")
    const takenOver = { now: at + 2 * minute, until: at + 3 * minute }
    expect(yield* other(takenOver)).toStrictEqual({ _tag: "Begun", run: second })
    const lease = { holder: "other", fileName: odd, runId: second.id, since: takenOver.now, until: takenOver.until }
    expect(yield* store.begin(run, taking({ now: at + 2 * minute }))).toStrictEqual({ _tag: "Taken", by: lease })
    const late = batchOf({ ...run, version: 2 }, [entryOf(run, { rowId: "late" })])
    expect(yield* store.applyBatch(late)).toBe(false)
    expect(rowIds(yield* all(tenant))).toEqual(["row-1"])
    yield* store.release(tenant, "first", "other")
    expect((yield* store.begin(run, taking({ now: at + 2 * minute })))._tag).toBe("Begun")
  })

  it("a run that begins again elsewhere lets its first holder write no more", function* ({ run, store }) {
    const again = { ...run, id: "rec_again" }
    expect(yield* store.begin(again, taking({ holder: "other" }))).toStrictEqual({ _tag: "Begun", run })
    expect(yield* apply(run, [entryOf(run)])).toBe(false)
    const lease = { holder: "other", until: at + 2 * minute }
    expect(yield* apply(run, [entryOf(run)], { lease })).toBe(true)
  })

  it("a run takes a lease of a wrong clock, and one that is done needs none", function* ({ run, store, tenant }) {
    const done: ReconciliationRun = { ...run, version: 2, state: "done" }
    yield* apply(run, [], { run: { expected: 1, after: done } })
    const second = runOf(tenant, { id: "rec_second", sha256: "cd" })
    const ahead = longestLeaseMillis + minute
    yield* store.begin(second, taking({ now: at + minute, until: at + 2 * ahead }))
    expect(yield* store.begin(run, taking({ holder: "other" }))).toStrictEqual({ _tag: "Begun", run: done })
    const taken = yield* store.begin(second, taking({ holder: "other" }))
    expect(taken).toStrictEqual({ _tag: "Begun", run: second })
  })

  suiteIt(
    "a comparison of open differences writes with the lease, and no run begins",
    function* ({ settlements: store, tenant }) {
      const run = runOf(tenant)
      const holding = { ...taking(), runId: "reader", fileName: odd }
      const lease = { holder: "reader", runId: "reader", fileName: odd, since: at, until: at + minute }
      expect(yield* store.hold(tenant, "first", holding)).toStrictEqual(lease)
      expect(yield* store.begin(run, taking({ holder: "other" }))).toStrictEqual({ _tag: "Taken", by: lease })
      expect(yield* store.runs({ tenant, limit: 10 })).toEqual([])
      const batch = { ...batchOf(run, [entryOf(run, difference)]), run: null }
      expect(yield* store.applyBatch({ ...batch, lease: { holder: "other", until: at + minute } })).toBe(false)
      expect(yield* store.applyBatch(batch)).toBe(true)
      expect(rowIds(yield* all(tenant))).toEqual(["row-1"])
      yield* store.release(tenant, "first", "reader")
      expect(yield* store.applyBatch(batch)).toBe(false)
      expect((yield* store.begin(run, taking({ holder: "other" })))._tag).toBe("Begun")
      const other = { ...lease, holder: "other", runId: run.id, fileName: "june.csv" }
      expect(yield* store.hold(tenant, "first", holding)).toStrictEqual(other)
      const later = { ...holding, now: at + minute, until: at + 2 * minute }
      expect((yield* store.hold(tenant, "first", later)).holder).toBe("reader")
    }
  )

  it("a difference closed and corrected at once keeps what closed it", function* ({ run, tenant }) {
    yield* apply(run, [entryOf(run, difference)])
    const closed = { by: "comparison", note: "row-1#c1", at: at + 7 } as const
    const corrected = { by: "row-1#c1", at: at + 7 }
    yield* apply({ ...run, version: 2 }, [entryOf(run, { rowId: "row-1#c1", paymentId: "p" })], {
      closes: [{ rowId: "row-1", closed }],
      corrections: [{ rowId: "row-1", corrected }]
    })
    expect((yield* all(tenant)).map((one) => [one.rowId, one.corrected, one.closed])).toStrictEqual([
      ["row-1", corrected, closed],
      ["row-1#c1", null, null]
    ])
  })

  suiteIt("one of two files' runs that begin at once has the lease", function* ({ settlements: store, tenant }) {
    const begun = yield* atOnce(["a", "b", "c", "d"], (name) =>
      store.begin(runOf(tenant, { id: `rec_${name}`, sha256: name }), taking({ holder: name }))
    )
    expect(begun.filter(({ _tag }) => _tag === "Begun")).toHaveLength(1)
    expect(yield* store.runs({ tenant, limit: 10 })).toHaveLength(1)
  })

  it("entries with every field and odd text are read back", function* ({ run, store, tenant }) {
    const entries = [
      entryOf(run, { rowId: "a" }),
      entryOf(run, {
        rowId: "b",
        number: 2,
        kind: "refund",
        gross: { minorUnits: -9_007_199_254_740_991, currency: "USD" },
        converted: { minorUnits: -5, currency: "EUR" },
        fee: null,
        net: null,
        suggestedPaymentId: odd,
        refundId: "rf_1",
        disputeId: odd,
        expected: odd,
        payoutId: null,
        settledAt: null,
        names: {
          attemptId: null,
          operationId: odd,
          refundId: "rf_1",
          providerRef: "ch_1",
          providerRefundId: null,
          disputeId: odd,
          reference: odd
        },
        corrected: { by: odd, at: at + 8 },
        ...difference,
        closed: { by: "person", note: odd, at: at + 9 }
      })
    ]
    yield* apply(run, entries)
    expect(yield* all(tenant)).toStrictEqual(entries)
    for (const one of entries) {
      expect(yield* store.known(tenant, "first", [one.rowId])).toStrictEqual([one])
    }
    expect(yield* store.known(tenant, "first", ["none"])).toEqual([])
  })

  it("nothing is written of a batch of an older version", function* ({ run, store, tenant }) {
    yield* apply(run, [entryOf(run, difference)])
    const late = batchOf(run, [entryOf(run, { rowId: "late" })], {
      closes: [{ rowId: "row-1", closed: { by: "row", note: "late", at } }]
    })
    expect(yield* store.applyBatch(late)).toBe(false)
    expect((yield* all(tenant)).map(({ closed, rowId }) => [rowId, closed])).toEqual([["row-1", null]])
    expect(Option.getOrUndefined(yield* store.run(tenant, run.id))?.rowsDone).toBe(1)
  })

  it("the first of a row written twice stays", function* ({ run, store, tenant }) {
    yield* apply(run, [entryOf(run)])
    const next = { ...run, version: 2 }
    yield* apply(next, [entryOf(run, { generatedAt: at + 1 }), entryOf(run, { rowId: "row-2" })])
    expect((yield* all(tenant)).map(({ generatedAt, rowId }) => [rowId, generatedAt])).toEqual([
      ["row-1", at],
      ["row-2", at]
    ])
    const known = yield* store.known(tenant, "first", ["row-2", "row-1", "row-3"])
    expect(rowIds(known).toSorted()).toEqual(["row-1", "row-2"])
    expect(yield* store.known(tenant, "second", ["row-1"])).toEqual([])
  })

  it("open differences are listed in their order without the closed ones", function* ({ run, store, tenant }) {
    const entries = [3, 1, 2].map((after) =>
      entryOf(run, { ...difference, rowId: `row-${after}`, openedAt: at + after })
    )
    yield* apply(run, [...entries, entryOf(run, { rowId: "fine" })])
    const list = (more: object = {}) =>
      Effect.map(store.differences({ tenant, differences: "open", limit: 10, ...more }), rowIds)
    expect(yield* list()).toEqual(["row-1", "row-2", "row-3"])
    expect(yield* list({ limit: 2 })).toEqual(["row-1", "row-2"])
    expect(yield* list({ after: { connectionId: "first", rowId: "row-2", openedAt: at + 2 } })).toEqual(["row-3"])
    expect(yield* list({ openedBefore: at + 2 })).toEqual(["row-1"])
    expect(yield* list({ result: "missing_there" })).toEqual([])
    expect(yield* list({ runId: run.id, connectionId: "first", result: "missing_here" })).toHaveLength(3)
    const closed = { by: "person", note: "paid by hand", at: at + 7 } as const
    expect(yield* store.close(tenant, "first", { rowId: "row-2", closed })).toBe(true)
    expect(yield* store.close(tenant, "first", { rowId: "row-2", closed })).toBe(false)
    expect(yield* store.close(tenant, "first", { rowId: "fine", closed })).toBe(false)
    expect(yield* list()).toEqual(["row-1", "row-3"])
    expect(yield* list({ differences: "all" })).toEqual(["row-1", "row-2", "row-3"])
    const next = { ...run, version: 2 }
    const closes = [{ rowId: "row-1", closed: { by: "statement", note: "", at } as const }]
    yield* apply(next, [], { closes })
    expect(yield* list()).toEqual(["row-3"])
    const counted = (yield* store.open).find(({ result }) => result === "missing_here")
    expect(counted?.count).toBeGreaterThanOrEqual(1)
    expect(counted?.oldestAt).toBeLessThanOrEqual(at + 3)
  })

  it("each version of a row with other contents, again and again, knows the newest", function* (given) {
    const { run, store, tenant } = given
    const closed = { by: "person", note: "seen", at: at + 6 } as const
    const other = entryOf(run, { rowId: "closed", ...difference, closed })
    yield* apply(run, [entryOf(run), other, entryOf(run, { rowId: "fine" })])
    const correction = (rowId: string, by: string, when: number) => ({ rowId, corrected: { by, at: when } })
    yield* apply({ ...run, version: 2 }, [entryOf(run, { rowId: "row-1#2" })], {
      corrections: [correction("row-1", "row-1#2", at + 7), correction("closed", odd, at + 7)]
    })
    yield* apply({ ...run, version: 3 }, [entryOf(run, { rowId: "row-1#3" })], {
      corrections: [correction("row-1", "row-1#3", at + 8), correction("row-1#2", "row-1#3", at + 8)]
    })
    expect((yield* all(tenant)).map(({ closed: end, corrected, rowId }) => [rowId, corrected, end])).toStrictEqual([
      ["closed", { by: odd, at: at + 7 }, closed],
      ["fine", null, null],
      ["row-1", { by: "row-1#3", at: at + 7 }, { by: "row", note: "row-1#2", at: at + 7 }],
      ["row-1#2", { by: "row-1#3", at: at + 8 }, { by: "row", note: "row-1#3", at: at + 8 }],
      ["row-1#3", null, null]
    ])
    const [known] = yield* store.known(tenant, "first", ["row-1"])
    expect(known?.corrected).toStrictEqual({ by: "row-1#3", at: at + 7 })
  })

  it("an unchanged row of other reports has the time of the one generated last", function* ({ run, store, tenant }) {
    const written = [odd, "row-1", "row-2"].map((rowId) => entryOf(run, { rowId }))
    yield* apply(run, written)
    const later = { generatedAt: at + 9 }
    const confirmed = [
      { rowId: odd, ...later },
      { rowId: "row-1", generatedAt: at - 9 },
      { rowId: "none", ...later }
    ]
    expect(yield* apply(run, [], { confirmed })).toBe(false)
    expect(yield* apply({ ...run, version: 2 }, [], { confirmed })).toBe(true)
    const known = yield* store.known(tenant, "first", [odd, "row-1", "row-2", "none"])
    expect(new Set(known)).toStrictEqual(
      new Set(written.map((one) => (one.rowId === odd ? { ...one, ...later } : one)))
    )
  })

  it("entries without a payment are read once in pages", function* ({ run, store, tenant }) {
    const { walked } = yield* reach(tenant, "Captured")
    const rowIds = ["a", "b", `b${odd}`, "c"]
    yield* apply(run, [
      ...rowIds.map((rowId) => entryOf(run, { rowId })),
      entryOf(run, { rowId: "of a payment", paymentId: walked.payment.id })
    ])
    const second = yield* beginRun(runOf(tenant, { id: "rec_second", connectionId: "second" }))
    yield* apply(second, [entryOf(second, { rowId: "a" })])
    const found = yield* pagesOf((after?: SettlementEntry) =>
      store.entries({ tenant, isWithoutPayment: true, after, limit: 2 })
    )
    const read = found.map(({ connectionId, rowId }) => `${connectionId} ${rowId}`)
    expect(read.toSorted()).toStrictEqual([...rowIds.map((rowId) => `first ${rowId}`), "second a"].toSorted())
    expect(yield* store.entries({ tenant: yield* newTenant(), isWithoutPayment: true, limit: 2 })).toEqual([])
  })

  it("each name of a payment finds its book", function* ({ store, tenant }) {
    const { walked } = yield* reach(tenant, "Refunded")
    const { attempts, payment, refunds } = walked
    const [attemptId = ""] = attempts.map(({ id }) => id)
    const [refundId = ""] = refunds.map(({ id }) => id)
    const wanted = names({
      attemptIds: [attemptId, "att_none"],
      refundIds: [refundId],
      providerRefs: [payment.providerRef ?? "", odd]
    })
    const found = yield* store.booksNamed(tenant, "first", wanted)
    expect(found.books).toStrictEqual([walked])
    expect(found.named.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual(
      [`attemptIds ${attemptId}`, `refundIds ${refundId}`, `providerRefs ${payment.providerRef}`].toSorted()
    )
    expect(yield* store.booksNamed(tenant, "second", wanted)).toEqual({ named: [], books: [] })
    expect(yield* store.booksNamed(yield* newTenant(), "first", wanted)).toEqual({ named: [], books: [] })
  })

  it("an attempt id of several payments finds the one that was sent", function* ({ ledger, store, tenant }) {
    const [sample] = (yield* reach(tenant, "Captured")).walked.attempts
    const shared = { ...sample, id: "att_shared", providerRef: null } as Attempt
    const sharing = Effect.fnUntraced(function* (outcome: Attempt["outcome"]) {
      const { payment } = (yield* reach(tenant, "Declined")).walked
      yield* ledger.commit(nextOf(payment, {}, { attempts: [{ ...shared, paymentId: payment.id, outcome }] }))
      return payment.id
    })
    const found = Effect.map(store.booksNamed(tenant, "first", names({ attemptIds: ["att_shared"] })), ({ named }) =>
      named.map(({ paymentId }) => paymentId)
    )
    const first = yield* sharing("Abandoned")
    expect(yield* found).toEqual([first])
    const sent = yield* sharing(null)
    yield* sharing("Abandoned")
    yield* sharing("Abandoned")
    expect(yield* found).toEqual([sent])
  })

  it("the provider's id of a refund finds the payment", function* ({ ledger, store, tenant }) {
    const { walked } = yield* reach(tenant, "Captured")
    const { payment } = walked
    const pending = { stage: "Pending", money: eur(10), providerRefundId: "re_1" } as const
    const refunds = [yield* newRefund(payment, pending)]
    yield* ledger.commit(nextOf(payment, { refundPendingMinor: 10 }, { refunds }))
    const found = yield* store.booksNamed(tenant, "first", names({ providerRefundIds: ["re_1", "re_2"] }))
    expect(found.named).toEqual([{ kind: "providerRefundIds", name: "re_1", paymentId: payment.id }])
  })

  it("captured payments without an entry are read without the others", function* ({ run, store, tenant }) {
    const made = []
    for (const state of ["Captured", "Captured", "Captured", "Captured", "Authorized", "Declined"] as const) {
      made.push((yield* reach(tenant, state)).walked.payment)
    }
    const [reported, missing, seen, open] = made.map(({ id }) => id).toSorted()
    const captured = made.filter(({ state }) => state === "Captured").map(({ id }) => id)
    expect(captured.toSorted()).toEqual([reported, missing, seen, open])
    yield* apply(run, [
      entryOf(run, { paymentId: reported ?? "" }),
      ...[missing, seen].map((id = "") =>
        entryOf(run, { rowId: missingRowId(id), number: 0, paymentId: id, ...difference })
      ),
      entryOf(run, { rowId: "refund", kind: "refund", paymentId: open ?? "" })
    ])
    const settledAt = made[0]?.settledAt ?? 0
    const query = { tenant, connectionId: "first", from: settledAt, until: settledAt + day, captureWithinMillis: 0 }
    const unreported = (more: Partial<typeof query> & { readonly limit?: number } = {}) =>
      Effect.map(store.unreported({ ...query, after: "", limit: 10, ...more }), ({ next, payments }) => [
        payments.map(({ id }) => id),
        next
      ])
    expect(yield* unreported()).toEqual([[open], null])
    expect(yield* unreported({ limit: 2 })).toEqual([[], missing])
    expect(yield* unreported({ from: settledAt + 1 })).toEqual([[], null])
    // What a comparison closed may be missing again; what a person closed is not.
    for (const [id = "", by] of [
      [missing, "comparison"],
      [seen, "person"]
    ] as const) {
      yield* store.close(tenant, "first", { rowId: missingRowId(id), closed: { by, note: "", at } })
    }
    expect(yield* unreported()).toEqual([[missing, open], null])
    expect(yield* unreported({ connectionId: "second" })).toEqual([[], null])
  })

  it("the balance of rows of two days is by day and currency", function* ({ run, store, tenant }) {
    yield* apply(run, [
      entryOf(run, { rowId: "1" }),
      entryOf(run, { rowId: "1#2", result: "duplicate", reason: "same_row", openedAt: at }),
      entryOf(run, { rowId: "1 earlier", corrected: { by: "1", at } }),
      entryOf(run, { rowId: "2", kind: "refund", gross: eur(-400), fee: null, net: null }),
      entryOf(run, { rowId: "3", kind: "payout", gross: eur(-570), fee: null, net: null, occurredAt: at + day }),
      entryOf(run, { rowId: "4", gross: usd(100), converted: eur(90), fee: eur(2), net: eur(88) }),
      entryOf(run, { rowId: "5", gross: usd(7), fee: null, net: null }),
      entryOf(run, { rowId: "6", kind: "dispute", gross: eur(-50), fee: eur(15), net: eur(-65) }),
      entryOf(run, { rowId: "7", kind: "adjustment", gross: eur(3), fee: null, net: null })
    ])
    const balance = yield* store.balance({ tenant, from: at, until: at + 2 * day })
    const none = { chargesMinor: 0, refundsMinor: 0, disputesMinor: 0, feesMinor: 0, payoutsMinor: 0, othersMinor: 0 }
    const moves = { chargesMinor: 1090, refundsMinor: -400, disputesMinor: -50, feesMinor: 47, othersMinor: 3 }
    expect(balance).toStrictEqual([
      { connectionId: "first", day: at, currency: "EUR", rows: 5, ...none, ...moves },
      { connectionId: "first", day: at, currency: "USD", rows: 1, ...none, chargesMinor: 7 },
      { connectionId: "first", day: at + day, currency: "EUR", rows: 1, ...none, payoutsMinor: -570 }
    ])
    expect(yield* store.balance({ tenant, connectionId: "second", from: at, until: at + day })).toEqual([])
  })

  it("one of two payouts has what counts of its own rows, by currency", function* ({ run, store, tenant }) {
    const none = { fee: null, net: null }
    yield* apply(run, [
      entryOf(run, { rowId: "1", payoutId: odd }),
      entryOf(run, { rowId: "1#2", payoutId: odd, result: "duplicate", reason: "same_row", openedAt: at }),
      entryOf(run, { rowId: "1 earlier", payoutId: odd, corrected: { by: "1", at } }),
      entryOf(run, { rowId: "2", payoutId: odd, kind: "refund", gross: eur(-400), ...none, occurredAt: at + 9 }),
      entryOf(run, { rowId: "3", payoutId: odd, gross: usd(100), converted: eur(90), fee: eur(2), net: eur(88) }),
      entryOf(run, { rowId: "4", payoutId: odd, gross: usd(7), ...none, settledAt: null, occurredAt: at - 1 }),
      entryOf(run, { rowId: "5", payoutId: odd, kind: "payout", gross: eur(-658), ...none, occurredAt: at + 9 }),
      entryOf(run, { rowId: "6", payoutId: `${odd}2`, gross: eur(5) }),
      entryOf(run, { rowId: "7", payoutId: null, gross: eur(5) })
    ])
    const name = { connectionId: "first", payoutId: odd }
    const zero = { disputesMinor: 0, othersMinor: 0, settledAt: null }
    expect(yield* store.payoutParts(tenant, name)).toStrictEqual([
      {
        ...{ ...zero, currency: "EUR", rows: 4, chargesMinor: 1090, refundsMinor: -400, feesMinor: 32 },
        ...{ payoutsMinor: -658, firstAt: at, lastAt: at + 9, settledAt: at + day }
      },
      {
        ...{ ...zero, currency: "USD", rows: 1, chargesMinor: 7, refundsMinor: 0, feesMinor: 0 },
        ...{ payoutsMinor: 0, firstAt: at - 1, lastAt: at - 1 }
      }
    ])
    const entries = pagesOf((after?: SettlementEntry) => store.payoutEntries(tenant, { ...name, after, limit: 2 }))
    expect(rowIds(yield* entries)).toEqual(["4", "1", "3", "2", "5"])
    for (const [where, what] of [
      [tenant, { ...name, connectionId: "second" }],
      [tenant, { ...name, payoutId: "" }],
      [yield* newTenant(), name]
    ] as const) {
      expect(yield* store.payoutParts(where, what)).toEqual([])
      expect(yield* store.payoutEntries(where, { ...what, after: undefined, limit: 2 })).toEqual([])
    }
  })

  it("payouts that left and came back each have their own moves by currency", function* ({ run, store, tenant }) {
    const itself = (rowId: string, fields: Partial<SettlementEntry>) =>
      entryOf(run, { rowId, kind: "payout", payoutId: odd, fee: null, net: null, ...fields })
    yield* apply(run, [
      entryOf(run, { rowId: "charge", payoutId: odd }),
      itself("1", { gross: eur(-658) }),
      itself("1 earlier", { gross: eur(-1), corrected: { by: "1", at } }),
      itself("1#2", { gross: eur(-658), result: "duplicate", reason: "same_row", openedAt: at }),
      itself("2", { kind: "payout_failed", gross: usd(300), converted: eur(200) }),
      itself("3", { kind: "payout_failed", gross: eur(58), ...difference }),
      itself("4", { gross: usd(-7) }),
      itself("5", { gross: eur(-9), payoutId: "other" }),
      itself("6", { gross: eur(-9), payoutId: null }),
      entryOf(run, { rowId: "7", payoutId: "open" })
    ])
    const name = { connectionId: "first", payoutId: odd }
    const moves = yield* store.payoutMoves(
      tenant,
      [odd, "open", "other", ""].map((payoutId) => ({ ...name, payoutId }))
    )
    expect(moves.toSorted((a, b) => a.leftMinor - b.leftMinor)).toStrictEqual([
      { ...name, leftMinor: -658, returnedMinor: 258 },
      { ...name, payoutId: "other", leftMinor: -9, returnedMinor: 0 },
      { ...name, leftMinor: -7, returnedMinor: 0 }
    ])
    expect(yield* store.payoutMoves(tenant, [{ ...name, payoutId: "open" }])).toEqual([])
    expect(yield* store.payoutMoves(tenant, [{ ...name, connectionId: "second" }])).toEqual([])
    expect(yield* store.payoutMoves(yield* newTenant(), [name])).toEqual([])
  })

  it("the payouts of a period are listed with the newest first", function* ({ run, store, tenant }) {
    const payout = (rowId: string, fields: Partial<SettlementEntry> = {}) =>
      entryOf(run, { rowId, kind: "payout", fee: null, net: null, ...fields })
    yield* apply(run, [
      payout("1"),
      payout("2", { occurredAt: at + day }),
      payout("3", { occurredAt: at + 2 * day }),
      payout("2 earlier", { corrected: { by: "2", at } }),
      payout("2#9", { result: "duplicate", reason: "same_row", openedAt: at }),
      payout("failed", { kind: "payout_failed" }),
      entryOf(run, { rowId: "fee", kind: "fee" })
    ])
    const query = { tenant, from: at, until: at + 2 * day, limit: 10 }
    const listed = (more: Partial<typeof query & { readonly connectionId: string }>) =>
      Effect.map(store.payouts({ ...query, ...more }), rowIds)
    expect(yield* listed({})).toEqual(["2", "1"])
    expect(yield* listed({ until: at + 3 * day, limit: 2 })).toEqual(["3", "2"])
    expect(yield* listed({ from: at + 1 })).toEqual(["2"])
    expect(yield* listed({ connectionId: "first" })).toEqual(["2", "1"])
    expect(yield* listed({ connectionId: "second" })).toEqual([])
    expect(yield* listed({ tenant: yield* newTenant() })).toEqual([])
  })

  it("a payment's entries leave with it, and an open difference stays", function* ({ retention, run, store, tenant }) {
    const { walked } = yield* reach(tenant, "Declined")
    const paymentId = walked.payment.id
    yield* apply(run, [
      entryOf(run, { rowId: "gone", paymentId }),
      entryOf(run, { rowId: "open", paymentId, ...difference }),
      entryOf(run, { rowId: "payout", kind: "payout" }),
      entryOf(run, { rowId: "young", kind: "payout", occurredAt: at + day })
    ])
    expect(rowIds(yield* store.entriesOf(tenant, [paymentId]))).toEqual(["gone", "open"])
    yield* retention.remove([{ tenant, paymentId, version: walked.payment.version }])
    expect(rowIds(yield* store.entriesOf(tenant, [paymentId]))).toEqual(["open"])
    expect(yield* store.prune({ tenant, before: at + 1, limit: 10 })).toBe(1)
    expect(rowIds(yield* all(tenant))).toEqual(["open", "young"])
    const kept = (yield* reach(tenant, "Captured")).walked.payment.id
    const closed = { by: "person", note: "refunded by hand", at: at + 7 } as const
    const stays = entryOf(run, { rowId: "payment is stored", paymentId: kept, ...difference, closed })
    yield* apply({ ...run, version: 2 }, [stays])
    expect(yield* store.prune({ tenant, before: at + 1, limit: 10 })).toBe(0)
    yield* store.close(tenant, "first", { rowId: "open", closed })
    expect(yield* store.prune({ tenant, before: at, limit: 10 })).toBe(0)
    expect(yield* store.prune({ tenant, before: at + 1, limit: 0 })).toBe(0)
    expect(yield* store.prune({ tenant, before: at + 1, limit: 10 })).toBe(1)
    expect(rowIds(yield* all(tenant))).toEqual(["payment is stored", "young"])
  })
})
