/** Reconciliation runs and settlement entries in maps. */
import { isDifference, type ReconciliationRun, type RunLease, type SettlementEntry } from "@pointsman/core"
import {
  type BalanceQuery,
  type BalanceRow,
  type Begun,
  type ComparisonHolder,
  type EntryQuery,
  longestLeaseMillis,
  type NamedInRows,
  type NamedPayment,
  type NameKind,
  type OpenDifferences,
  type RunHolder,
  type SettlementBatch,
  type Settlements,
  type UnreportedQuery
} from "@pointsman/core/ports"
import { Effect, Option, type Semaphore } from "effect"
import { bookOf } from "./Payments.ts"
import { byName, entriesIn, isCounted, make as makePayouts, movedCurrency, noMoves, withMove } from "./Payouts.ts"
import { byText, copy, forTenant, ofTenant, type State, type TenantState } from "./State.ts"

export const make = (state: State, turn: Semaphore.Semaphore): Settlements => {
  const inTurn = <A>(body: () => A) => turn.withPermit(Effect.sync(body))
  const allTenants = () => [...state.tenants.values()]
  return {
    begin: (run, lease) => inTurn(() => begin(forTenant(state, run.tenant), run, lease)),
    hold: (tenant, connectionId, lease) => inTurn(() => takeLease(forTenant(state, tenant), connectionId, lease)),
    release: (tenant, connectionId, holder) => inTurn(() => release(forTenant(state, tenant), connectionId, holder)),
    run: (tenant, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(ofTenant(state, tenant).runs.get(id)), copy)),
    runs: ({ before, connectionId, format, limit, tenant }) =>
      Effect.sync(() =>
        (tenant === undefined ? allTenants() : [ofTenant(state, tenant)])
          .flatMap(({ runs }) => [...runs.values()])
          .filter((one) => connectionId === undefined || one.connectionId === connectionId)
          .filter((one) => format === undefined || one.format === format)
          .filter(({ id }) => before === undefined || id < before)
          .sort((a, b) => byText(b.id, a.id))
          .slice(0, limit)
          .map(copy)
      ),
    applyBatch: (batch) => inTurn(() => applyBatch(state, batch)),
    known: (tenant, connectionId, rowIds) =>
      Effect.sync(() => {
        const { settlements } = ofTenant(state, tenant)
        return rowIds.flatMap((rowId) => {
          const entry = settlements.get(entryKey({ connectionId, rowId }))
          return entry === undefined ? [] : [copy(entry)]
        })
      }),
    booksNamed: (tenant, connectionId, names) =>
      Effect.sync(() => {
        const stored = ofTenant(state, tenant)
        const named = namedIn(stored, connectionId, names)
        const ids = new Set(named.map(({ paymentId }) => paymentId))
        return { named, books: [...ids].map((id) => bookOf(stored, id)) }
      }),
    entriesOf: (tenant, paymentIds) =>
      Effect.sync(() => {
        const wanted = new Set(paymentIds)
        return entriesIn(ofTenant(state, tenant))
          .filter(({ paymentId }) => paymentId !== null && wanted.has(paymentId))
          .sort((a, b) => a.occurredAt - b.occurredAt || byText(a.rowId, b.rowId))
          .map(copy)
      }),
    unreported: (query) => Effect.sync(() => unreported(ofTenant(state, query.tenant), query)),
    differences: (query) =>
      Effect.sync(() =>
        (query.tenant === undefined ? allTenants() : [ofTenant(state, query.tenant)])
          .flatMap(entriesIn)
          .filter((one) => isListed(one, query))
          .sort(byOpening)
          .slice(0, query.limit)
          .map(copy)
      ),
    entries: ({ after, connectionId, limit, tenant }) =>
      Effect.sync(() =>
        entriesIn(ofTenant(state, tenant))
          .filter((one) => one.connectionId === connectionId && one.rowId > after)
          .sort((a, b) => byText(a.rowId, b.rowId))
          .slice(0, limit)
          .map(copy)
      ),
    withoutPayment: (tenant, { after, limit }) =>
      Effect.sync(() =>
        entriesIn(ofTenant(state, tenant))
          .filter(({ paymentId }) => paymentId === null)
          .sort(byName)
          .filter((one) => after === undefined || byName(one, after) > 0)
          .slice(0, limit)
          .map(copy)
      ),
    close: (tenant, connectionId, { closed, rowId }) =>
      inTurn(() => close(forTenant(state, tenant), connectionId, rowId, closed)),
    balance: (query) => Effect.sync(() => balance(ofTenant(state, query.tenant), query)),
    ...makePayouts(state),
    open: Effect.sync(() => openDifferences(allTenants().flatMap(entriesIn).filter(isOpen))),
    prune: (query) => inTurn(() => prune(forTenant(state, query.tenant), query))
  }
}

const prune = (
  { payments, settlements }: TenantState,
  { before, limit }: Parameters<Settlements["prune"]>[0]
): number => {
  const hasPayment = ({ paymentId }: SettlementEntry) => paymentId !== null && payments.has(paymentId)
  const leaving = [...settlements].filter(([, one]) => !hasPayment(one) && one.occurredAt < before && !isOpen(one))
  for (const [key] of leaving.slice(0, limit)) settlements.delete(key)
  return Math.min(leaving.length, limit)
}

const entryKey = ({ connectionId, rowId }: Pick<SettlementEntry, "connectionId" | "rowId">): string =>
  JSON.stringify([connectionId, rowId])

const isSameFile = (a: ReconciliationRun, b: ReconciliationRun): boolean =>
  a.connectionId === b.connectionId && a.sha256 === b.sha256 && a.format === b.format

export const isOpen = (entry: SettlementEntry): boolean => isDifference(entry) && entry.closed === null

const begin = (stored: TenantState, run: ReconciliationRun, lease: RunHolder): Begun => {
  const { runs } = stored
  const same = [...runs.values()].find((one) => isSameFile(one, run))
  if (same?.state === "done") return { _tag: "Begun", run: copy(same) }
  const begun = same ?? run
  const held = takeLease(stored, run.connectionId, { ...lease, runId: begun.id, fileName: run.fileName })
  if (held.holder !== lease.holder) return { _tag: "Taken", by: held }
  if (same === undefined) runs.set(run.id, copy(run))
  return { _tag: "Begun", run: copy(begun) }
}

const takeLease = (
  { runLeases }: TenantState,
  connectionId: string,
  { fileName, holder, now, runId, until }: ComparisonHolder
): RunLease => {
  const lease = runLeases.get(connectionId)
  const isHeld = lease !== undefined && lease.until > now && lease.until <= now + longestLeaseMillis
  // The same file, read again after its process died. Where that process is alive, it writes no more.
  const isFree = !isHeld || lease.runId === runId || lease.holder === holder
  const held = isFree ? { holder, runId, fileName, since: now, until } : lease
  runLeases.set(connectionId, held)
  return held
}

const release = ({ runLeases }: TenantState, connectionId: string, holder: string): void => {
  if (runLeases.get(connectionId)?.holder === holder) runLeases.delete(connectionId)
}

const applyBatch = (state: State, batch: SettlementBatch): boolean => {
  const { closes, confirmed = [], connectionId, corrections, entries, lease, run, tenant } = batch
  const stored = forTenant(state, tenant)
  const held = stored.runLeases.get(connectionId)
  if (held?.holder !== lease.holder) return false
  if (run !== null) {
    if (stored.runs.get(run.after.id)?.version !== run.expected) return false
    stored.runs.set(run.after.id, copy(run.after))
  }
  stored.runLeases.set(connectionId, { ...held, until: lease.until })
  for (const entry of entries) {
    const key = entryKey(entry)
    if (!stored.settlements.has(key)) stored.settlements.set(key, copy(entry))
  }
  for (const { closed, rowId } of closes) close(stored, connectionId, rowId, closed)
  for (const { corrected, rowId } of corrections) {
    const key = entryKey({ connectionId, rowId })
    const entry = stored.settlements.get(key)
    if (entry === undefined) continue
    const at = entry.corrected?.at ?? corrected.at
    const closed = entry.closed ?? { by: "row" as const, note: corrected.by, at: corrected.at }
    stored.settlements.set(key, { ...entry, corrected: { by: corrected.by, at }, closed })
  }
  for (const { generatedAt, rowId } of confirmed) {
    const key = entryKey({ connectionId, rowId })
    const entry = stored.settlements.get(key)
    if (entry !== undefined && entry.generatedAt < generatedAt) stored.settlements.set(key, { ...entry, generatedAt })
  }
  return true
}

const close = (stored: TenantState, connectionId: string, rowId: string, closed: SettlementEntry["closed"]) => {
  const key = entryKey({ connectionId, rowId })
  const entry = stored.settlements.get(key)
  if (entry === undefined || !isOpen(entry)) return false
  stored.settlements.set(key, { ...entry, closed: copy(closed) })
  return true
}

const namedIn = (stored: TenantState, connectionId: string, names: NamedInRows): ReadonlyArray<NamedPayment> => {
  const found: Array<NamedPayment> = []
  const wanted = Object.fromEntries(Object.entries(names).map(([kind, some]) => [kind, new Set<string>(some)]))
  const add = (kind: NameKind, name: string | null, paymentId: string) => {
    if (name === null || wanted[kind]?.has(name) !== true) return
    const same = found.filter((one) => one.kind === kind && one.name === name)
    if (same.length < 2 && !same.some((one) => one.paymentId === paymentId)) found.push({ kind, name, paymentId })
  }
  const ofConnection = <A extends { readonly connectionId: string }>(map: ReadonlyMap<string, ReadonlyArray<A>>) =>
    [...map.values()].flat().filter((one) => one.connectionId === connectionId)
  for (const { connectionId: of, id, providerRef, reported } of stored.payments.values()) {
    if (of !== connectionId) continue
    add("providerRefs", providerRef, id)
    for (const capture of reported?.captures ?? []) add("providerRefs", capture.id, id)
  }
  // Requests under one key derive one attempt id, and those that were given up were not sent.
  const sent = new Map<string, { readonly paymentId: string; readonly isSent: boolean }>()
  for (const { id, outcome, paymentId, providerRef } of ofConnection(stored.attempts)) {
    const isSent = outcome !== "Abandoned"
    const other = sent.get(id)
    const isMeant = other === undefined || other.isSent === isSent ? paymentId > (other?.paymentId ?? "") : isSent
    if (isMeant) sent.set(id, { paymentId, isSent })
    add("providerRefs", providerRef, paymentId)
  }
  for (const [id, { paymentId }] of sent) add("attemptIds", id, paymentId)
  for (const { id, paymentId } of ofConnection(stored.operations)) add("operationIds", id, paymentId)
  for (const { id, paymentId, providerRefundId } of ofConnection(stored.refunds)) {
    add("refundIds", id, paymentId)
    add("providerRefundIds", providerRefundId, paymentId)
  }
  return found
}

const unreported = (stored: TenantState, query: UnreportedQuery) => {
  const { after, captureWithinMillis, connectionId, from, limit, until } = query
  const reported = new Set(
    entriesIn(stored)
      .filter(({ closed, corrected, kind, number }) =>
        number === 0 ? corrected === null && closed?.by !== "comparison" : corrected === null && kind === "charge"
      )
      .map(({ paymentId }) => paymentId)
  )
  const looked = [...stored.payments.values()]
    .filter(({ id }) => id > after)
    .sort((a, b) => byText(a.id, b.id))
    .slice(0, limit)
  const payments = looked.filter(
    ({ capturedMinor, captureMethod, connectionId: of, id, settledAt }) =>
      of === connectionId &&
      capturedMinor > 0 &&
      settledAt !== null &&
      settledAt <= until &&
      settledAt >= (captureMethod === "automatic" ? from : from - captureWithinMillis) &&
      !reported.has(id)
  )
  return { payments: payments.map(copy), next: looked.length < limit ? null : (looked.at(-1)?.id ?? null) }
}

const byOpening = (a: SettlementEntry, b: SettlementEntry): number =>
  (a.openedAt ?? 0) - (b.openedAt ?? 0) || byName(a, b)

const isListed = (one: SettlementEntry, query: EntryQuery): boolean => {
  const { after, connectionId, differences, openedBefore, result, runId } = query
  if (differences === "open" ? !isOpen(one) : !isDifference(one)) return false
  if (connectionId !== undefined && one.connectionId !== connectionId) return false
  if (runId !== undefined && one.runId !== runId) return false
  if (result !== undefined && one.result !== result) return false
  if (openedBefore !== undefined && (one.openedAt ?? 0) >= openedBefore) return false
  return after === undefined || byOpening(one, { ...one, ...after }) > 0
}

const dayMillis = 24 * 60 * 60 * 1_000

const balance = (stored: TenantState, { connectionId, from, until }: BalanceQuery): ReadonlyArray<BalanceRow> => {
  const rows = new Map<string, BalanceRow>()
  for (const one of entriesIn(stored)) {
    const { occurredAt } = one
    if (connectionId !== undefined && one.connectionId !== connectionId) continue
    if (!isCounted(one) || occurredAt < from || occurredAt >= until) continue
    const day = occurredAt - (occurredAt % dayMillis)
    const currency = movedCurrency(one)
    const key = JSON.stringify([one.connectionId, day, currency])
    rows.set(key, withMove(rows.get(key) ?? { connectionId: one.connectionId, day, currency, ...noMoves }, one))
  }
  return [...rows.values()].sort(
    (a, b) => byText(a.connectionId, b.connectionId) || a.day - b.day || byText(a.currency, b.currency)
  )
}

const openDifferences = (open: ReadonlyArray<SettlementEntry>): ReadonlyArray<OpenDifferences> =>
  [...Map.groupBy(open, ({ result }) => result)]
    .map(([result, entries]) => ({
      result,
      count: entries.length,
      oldestAt: Math.min(...entries.map(({ openedAt }) => openedAt ?? 0))
    }))
    .sort((a, b) => byText(a.result, b.result))
