/**
 * Compares the open differences of a connection again: what a row names may be recorded later than the row is read, by
 * another row, a message, a recovery or an operator. A difference that is one no longer is closed. What rows state is
 * applied first, and what was found is written afterwards, so that a process may die at any point and the next comparison
 * writes the same. It runs under the lease of the connection's reports: a row may come with other contents meanwhile.
 */
import { Clock, Effect, Option } from "effect"
import type { Connection } from "../../model/Connection.ts"
import type { RunLease } from "../../model/ReconciliationRun.ts"
import type { SettlementEntry } from "../../model/SettlementEntry.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ids } from "../../ports/Ids.ts"
import { type SettlementBatch, Settlements } from "../../ports/Settlements.ts"
import { applyStatement } from "./ApplyStatement.ts"
import { type Compared, compareEntries } from "./CompareEntries.ts"
import { leaseMillis, ReportTaken } from "./WriteBatch.ts"

/** Differences in memory at once, unless fewer are asked for. */
const openAtOnce = 500
/** A lease that was kept so recently, in milliseconds, is not kept again for a page that changes nothing. */
const keptMillis = leaseMillis / 4
/** What one row states may be what another one waits for: a charge, its refund, its dispute, and the end of that. */
const passesAtMost = 4
/** Payments to which statements are applied at once. */
const appliedAtOnce = 16

export type ComparedBatch = Pick<SettlementBatch, "entries" | "closes" | "corrections">

/** `write`: writes a page under the lease of the connection, which was just taken or kept, and keeps it. `atOnce`: of a page. */
export const compareOpen = Effect.fnUntraced(function* <E, R>(
  connection: Connection,
  write: (batch: ComparedBatch) => Effect.Effect<void, E, R>,
  atOnce = openAtOnce
) {
  const { environment, id: connectionId, workspaceId } = connection
  const settlements = yield* Settlements
  const limit = Math.min(atOnce, openAtOnce)
  const query = { tenant: { workspaceId, environment }, connectionId, differences: "open", limit } as const
  let keptAt = yield* Clock.currentTimeMillis
  for (let pass = 0; pass < passesAtMost; pass++) {
    let changes = 0
    let after: (SettlementEntry & { readonly openedAt: number }) | undefined
    for (;;) {
      const page: ReadonlyArray<SettlementEntry> = yield* settlements.differences({ ...query, after })
      if (page.length === 0) break
      const compared = yield* applyCompared(connection, page, yield* compareEntries(connection, page))
      changes += compared.applied + compared.closes.length
      const now = yield* Clock.currentTimeMillis
      if (changesOf(compared) > 0 || now - keptAt >= keptMillis) {
        yield* write(compared)
        keptAt = now
      }
      const last = page.at(-1)
      if (last === undefined || page.length < limit) break
      after = { ...last, openedAt: last.openedAt ?? 0 }
    }
    if (changes === 0) return
  }
})

const changesOf = ({ closes, corrections, entries }: ComparedBatch): number =>
  closes.length + corrections.length + entries.length

/** Applies what rows of the page state, and compares them once more. `first`: what they were found to be before. */
export const applyCompared = Effect.fnUntraced(function* (
  connection: Connection,
  page: ReadonlyArray<SettlementEntry>,
  first: Compared,
  acceptedId?: string
) {
  const applied = first.stated.length
  yield* Effect.forEach(
    Map.groupBy(first.stated, ({ book }) => book.payment.id).values(),
    (ofPayment) => Effect.forEach(ofPayment, (one) => applyStatement(one.book, undefined, one)),
    { concurrency: appliedAtOnce, discard: true }
  )
  const { closes, corrections, entries }: Compared =
    applied === 0 ? first : yield* compareEntries(connection, page, acceptedId)
  return { applied, closes, corrections, entries }
})

/** In the place of a report's file. */
const comparisonName = "open differences"

/** As a run does at its end, after records were recovered; a report that is being read compares them itself. */
export const compareConnection = Effect.fnUntraced(function* (connectionId: string) {
  const directory = yield* Directory
  const settlements = yield* Settlements
  const connection = Option.getOrUndefined(yield* directory.connection(connectionId))
  if (connection === undefined) return
  const { environment, workspaceId } = connection
  const tenant = { workspaceId, environment }
  const [open] = yield* settlements.differences({ tenant, connectionId, differences: "open", limit: 1 })
  if (open === undefined) return
  yield* underLease(
    connection,
    (write) => compareOpen(connection, write),
    () => Effect.void
  )
})

type Write = ReturnType<typeof writeUnder>

/** With the lease of the connection's reports. `taken`: where a report of the connection is read. */
export const underLease = Effect.fnUntraced(function* <A, E, R, B, F, S>(
  connection: Connection,
  use: (write: Write) => Effect.Effect<A, E, R>,
  taken: (by: RunLease) => Effect.Effect<B, F, S>
) {
  const { environment, id: connectionId, workspaceId } = connection
  const tenant = { workspaceId, environment }
  const settlements = yield* Settlements
  const holder = yield* (yield* Ids).request
  const now = yield* Clock.currentTimeMillis
  const lease = { holder, runId: holder, fileName: comparisonName, now, until: now + leaseMillis }
  return yield* Effect.acquireUseRelease(
    settlements.hold(tenant, connectionId, lease),
    (held): Effect.Effect<A | B, E | F, R | S> =>
      held.holder === holder ? use(writeUnder(holder, connection)) : taken(held),
    // Without it, the lease ends by its time.
    () => Effect.ignore(settlements.release(tenant, connectionId, holder))
  )
})

const writeUnder = (holder: string, { environment, id: connectionId, workspaceId }: Connection) =>
  Effect.fnUntraced(function* ({ closes, corrections, entries }: ComparedBatch) {
    const settlements = yield* Settlements
    const lease = { holder, until: (yield* Clock.currentTimeMillis) + leaseMillis }
    const batch = { tenant: { workspaceId, environment }, connectionId, run: null, lease, entries, closes, corrections }
    if (!(yield* settlements.applyBatch(batch))) return yield* new ReportTaken()
  })

/**
 * The differences of one payment, after a person corrected its record: those that match by now are closed. What is to be
 * applied or replaced is left to the next report, whose lease it needs.
 */
export const compareOfPayment = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const directory = yield* Directory
  const settlements = yield* Settlements
  const entries = yield* settlements.entriesOf(tenant, [paymentId])
  const open = entries.filter(({ closed, result }) => result !== "matched" && closed === null)
  for (const [connectionId, ofOne] of Map.groupBy(open, (entry) => entry.connectionId)) {
    const connection = Option.getOrUndefined(yield* directory.connection(connectionId))
    if (connection === undefined) continue
    const { closes } = yield* compareEntries(connection, ofOne)
    const kept = closes.filter(({ closed }) => closed.note === "")
    yield* Effect.forEach(kept, (one) => settlements.close(tenant, connectionId, one), { discard: true })
  }
})
