/** Reports of a provider: rows of payments, and runs of them. */
import { assert } from "@effect/vitest"
import {
  type JournalTransaction,
  type Payment,
  Pointsman,
  type ReportOrder,
  type SettlementEntry
} from "@pointsman/core"
import type { ListRequest, ReportEntry, ReportPage, ReportRow } from "@pointsman/core/connector"
import { Ledger, Settlements } from "@pointsman/core/ports"
import { Effect, Exit, Stream } from "effect"
import { TestClock } from "effect/testing"
import { created } from "./Operations.ts"
import { tenant, type World } from "./World.ts"

export const day = 24 * 60 * 60_000
/** After what the tests create, at 0. */
export const paidAt = 10 * day

export const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

/** The row of a payout of a payment without fees, unless told otherwise. */
export const rowOf = (
  payment: Payment | undefined,
  { names, ...fields }: Partial<Omit<ReportRow, "names">> & { readonly names?: Partial<ReportRow["names"]> } = {}
): ReportRow => ({
  id: `row_${payment?.id}`,
  kind: "charge",
  gross: eur(payment?.money.minorUnits ?? 0),
  converted: null,
  fee: null,
  net: null,
  payoutId: "po_1",
  occurredAt: paidAt,
  settledAt: paidAt + day,
  ...fields,
  names: {
    attemptId: null,
    operationId: null,
    refundId: null,
    providerRef: payment?.providerRef ?? null,
    providerRefundId: null,
    disputeId: null,
    reference: null,
    ...names
  }
})

async function* chunksOf(
  entries: ReadonlyArray<ReportEntry>,
  size: number
): AsyncGenerator<ReadonlyArray<ReportEntry>> {
  for (let at = 0; at < entries.length; at += size) yield entries.slice(at, at + size)
}

export const orderOf = (
  rows: ReadonlyArray<ReportRow>,
  more: Partial<ReportOrder> & { readonly delayMillis?: number } = {}
): ReportOrder => {
  const { delayMillis = 2 * day, ...order } = more
  return {
    connectionId: "main",
    format: { name: "test", kinds: ["scripted"], delayMillis },
    fileName: "report.csv",
    sha256: `sha of ${JSON.stringify(rows.map(({ id }) => id))}`,
    entries: chunksOf(
      rows.map((row) => ({ _tag: "Row", row })),
      7
    ),
    ...order
  }
}

export const reconcile = (order: ReportOrder) =>
  Effect.flatMap(Pointsman, ({ reconciliation }) => reconciliation.run(order))

/** A process reads the report, and dies before it applies what it has stored. */
export const runDying = Effect.fnUntraced(function* (own: World, order: ReportOrder) {
  const ledger = yield* Ledger
  const dying = { ...ledger, commit: () => Effect.die(new Error("the process died")) }
  const process = yield* Effect.provideService(own.another, Ledger, dying)
  assert.isTrue(Exit.isFailure(yield* Effect.exit(process.reconciliation.run(order))))
})

/** Every transaction of the journal, of all time. */
export const journalNow = Effect.gen(function* () {
  const entries = yield* Stream.runCollect((yield* Pointsman).journal(tenant, { before: 1_000 * day }))
  return entries.flatMap((entry) => (entry._tag === "Transaction" ? [entry.transaction] : []))
})

/** What no event and no row explains, in minor units. */
export const unexplainedIn = (journal: ReadonlyArray<JournalTransaction>): number =>
  journal
    .flatMap(({ postings }) => postings)
    .reduce((sum, { account, minorUnits }) => sum + (account === "unexplained" ? minorUnits : 0), 0)

/** By row id. */
export const entriesOf = Effect.gen(function* () {
  const settlements = yield* Settlements
  return yield* settlements.entries({ tenant, connectionId: "main", limit: 10_000 })
})

/** What was found, by row id. */
export const foundIn = (entries: ReadonlyArray<SettlementEntry>) =>
  Object.fromEntries(entries.map(({ reason, result, rowId }) => [rowId, `${result} ${reason}`]))

/** Two rows a page, oldest first, of the window alone. A cursor is a number of rows. */
export const pageOf = (
  entries: ReadonlyArray<Extract<ReportEntry, { readonly _tag: "Row" }>>,
  { createdBefore, createdFrom, cursor }: ListRequest
): ReportPage => {
  const inside = entries.filter(({ row }) => row.occurredAt >= createdFrom && row.occurredAt < createdBefore)
  const at = Number(cursor ?? "0")
  return { entries: inside.slice(at, at + 2), nextCursor: at + 2 < inside.length ? String(at + 2) : null }
}

/** Payments, and a provider that lists their rows, of three days ago, by two on a page. */
export const listedPayments = Effect.fnUntraced(function* (own: World, count: number) {
  own.provider.onListReport = () => Effect.succeed({ entries: [], nextCursor: null })
  const payments = yield* Effect.forEach(Array.from({ length: count }), () => created())
  const entries = payments.map(
    (payment, at) => ({ _tag: "Row", row: rowOf(payment, { occurredAt: paidAt + at }) }) as const
  )
  own.provider.onListReport = (asked) => Effect.succeed(pageOf(entries, asked))
  yield* TestClock.setTime(paidAt + 3 * day)
  return { entries, payments }
})
