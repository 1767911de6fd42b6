/** Runs of reconciliation, and what is stored of rows of providers' reports. */
import { isDifference, type PayoutSums, type RunLease, type SettlementEntry, type Tenant } from "@pointsman/core"
import {
  type ComparisonHolder,
  type EntryQuery,
  longestLeaseMillis,
  type NamedInRows,
  type NamedPayment,
  type NameKind,
  type PayoutName,
  type Settlements,
  type UnreportedQuery
} from "@pointsman/core/ports"
import {
  by,
  descending,
  drop,
  find,
  has,
  isWithin,
  type Methods,
  named,
  newestFirst,
  page,
  put,
  update
} from "./Records.ts"
import { keyOf, of, type PaymentRecord, recordsOf, type State, type TenantState, tenantsOf } from "./State.ts"

export const settlements: Methods<Settlements> = {
  begin: (state, run, lease) => {
    const { connectionId, fileName, format, sha256, tenant } = run
    const { runs } = of(state, tenant)
    const same = [...runs.values()].find(has({ connectionId, format, sha256 }))
    if (same?.state === "done") return { _tag: "Begun", run: same }
    const begun = same ?? run
    const by = hold(of(state, tenant), connectionId, { ...lease, fileName, runId: begun.id })
    return by.holder === lease.holder ? { _tag: "Begun", run: put(runs, begun.id, begun) } : { _tag: "Taken", by }
  },
  hold: (state, tenant, connectionId, lease) => hold(of(state, tenant), connectionId, lease),
  release: (state, tenant, connectionId, holder) => {
    const { runLeases } = of(state, tenant)
    if (runLeases.get(connectionId)?.holder === holder) runLeases.delete(connectionId)
  },
  run: (state, tenant, id) => find(of(state, tenant).runs, id),
  runs: (state, { before: id, connectionId, format, limit, tenant }) =>
    page(
      tenantsOf(state, tenant).flatMap(({ runs }) => [...runs.values()]),
      newestFirst,
      { after: named(id), limit, where: has({ connectionId, format }) }
    ),
  applyBatch: (state, { closes, confirmed = [], connectionId, corrections, entries, lease, run, tenant }) => {
    const { runLeases, runs, settlements } = of(state, tenant)
    if (runLeases.get(connectionId)?.holder !== lease.holder) return false
    if (run !== null && runs.get(run.after.id)?.version !== run.expected) return false
    if (run !== null) put(runs, run.after.id, run.after)
    update(runLeases, connectionId, (held) => ({ ...held, until: lease.until }))
    for (const entry of entries) {
      const key = keyOf(entry.connectionId, entry.rowId)
      if (!settlements.has(key)) put(settlements, key, entry)
    }
    for (const { closed, rowId } of closes) update(settlements, keyOf(connectionId, rowId), close(closed))
    for (const {
      corrected: { at, by },
      rowId
    } of corrections) {
      update(settlements, keyOf(connectionId, rowId), (entry) => ({
        ...entry,
        corrected: { by, at: entry.corrected?.at ?? at },
        closed: entry.closed ?? { by: "row", note: by, at }
      }))
    }
    for (const { generatedAt, rowId } of confirmed) {
      update(settlements, keyOf(connectionId, rowId), (entry) => ({
        ...entry,
        generatedAt: Math.max(generatedAt, entry.generatedAt)
      }))
    }
    return true
  },
  known: (state, tenant, connectionId, rowIds) =>
    rowIds.flatMap((rowId) => of(state, tenant).settlements.get(keyOf(connectionId, rowId)) ?? []),
  booksNamed: (state, tenant, connectionId, names) => {
    const named = namedIn(recordsOf(state, tenant), connectionId, names)
    const ids = new Set(named.map(({ paymentId }) => paymentId))
    return { named, books: recordsOf(state, tenant).flatMap(({ book }) => (ids.has(book.payment.id) ? [book] : [])) }
  },
  entriesOf: (state, tenant, paymentIds) =>
    page(entriesOf(state, tenant), by("occurredAt", "rowId"), {
      where: ({ paymentId }) => paymentId !== null && paymentIds.includes(paymentId)
    }),
  unreported: (state, query) => unreported(state, query),
  differences: (state, query) =>
    page(entriesOf(state, query.tenant), by("openedAt", "connectionId", "rowId"), { ...query, where: isListed(query) }),
  entries: (state, { after: rowId, connectionId, limit, tenant }) =>
    page(entriesOf(state, tenant), by("rowId"), { after: { rowId }, limit, where: has({ connectionId }) }),
  withoutPayment: (state, tenant, query) =>
    page(entriesOf(state, tenant), byName, { ...query, where: has({ paymentId: null }) }),
  close: (state, tenant, connectionId, { closed, rowId }) =>
    update(of(state, tenant).settlements, keyOf(connectionId, rowId), close(closed)),
  balance: (state, { connectionId, from, tenant, until }) => {
    const counted = entriesOf(state, tenant).filter((one) => isCounted(one) && isWithin(one.occurredAt, from, until))
    const sums = summed(counted.filter(has({ connectionId })), ({ connectionId, occurredAt }) => ({
      connectionId,
      day: occurredAt - (occurredAt % (24 * 60 * 60 * 1_000))
    }))
    return page(sums, by("connectionId", "day", "currency"))
  },
  payoutParts: (state, tenant, name) => {
    const entries = entriesOf(state, tenant).filter(isOfPayout(name))
    const parts = summed(entries, () => ({})).map((sums) => {
      const some = entries.filter((one) => movedCurrency(one) === sums.currency)
      const times = some.map(({ occurredAt }) => occurredAt)
      const settledAt = Math.max(...some.map((one) => one.settledAt ?? Number.NEGATIVE_INFINITY))
      const settled = Number.isFinite(settledAt) ? settledAt : null
      return { ...sums, firstAt: Math.min(...times), lastAt: Math.max(...times), settledAt: settled }
    })
    return page(parts, by("currency"))
  },
  payoutMoves: (state, tenant, names) =>
    names.flatMap((name) => {
      const own = entriesOf(state, tenant).filter(
        (one) => isOfPayout(name)(one) && (one.kind === "payout" || one.kind === "payout_failed")
      )
      return [...Map.groupBy(own, movedCurrency).values()].map((some) => ({
        ...name,
        leftMinor: sumOf(some.filter(has({ kind: "payout" }))),
        returnedMinor: sumOf(some.filter(has({ kind: "payout_failed" })))
      }))
    }),
  payoutEntries: (state, tenant, { after, limit, ...name }) =>
    page(entriesOf(state, tenant), by("occurredAt", "rowId"), { after, limit, where: isOfPayout(name) }),
  payouts: (state, { connectionId, from, limit, tenant, until }) =>
    page(entriesOf(state, tenant).filter(isCounted), descending(by("occurredAt", "connectionId", "rowId")), {
      limit,
      where: (one) =>
        has({ connectionId, kind: "payout", paymentId: null })(one) && isWithin(one.occurredAt, from, until)
    }),
  open: {
    get: (state) => {
      const open = Map.groupBy(entriesOf(state).filter(isOpen), ({ result }) => result)
      const counts = [...open].map(([result, some]) => ({
        result,
        count: some.length,
        oldestAt: Math.min(...some.map(({ openedAt }) => openedAt ?? 0))
      }))
      return page(counts, by("result"))
    }
  },
  prune: (state, { before, limit, tenant }) => {
    const { payments, settlements } = of(state, tenant)
    const leaving = [...settlements.values()].filter(
      (one) => !payments.has(one.paymentId ?? "") && one.occurredAt < before && !isOpen(one)
    )
    const left = new Set(leaving.slice(0, limit))
    return drop(settlements, (one) => left.has(one))
  }
}

const entriesOf = (state: State, tenant?: Tenant): ReadonlyArray<SettlementEntry> =>
  tenantsOf(state, tenant).flatMap(({ settlements }) => [...settlements.values()])

const byName = by("connectionId", "rowId")

/** A lease that ends too late was taken by a clock that was wrong. */
export const isOver = ({ until }: { readonly until: number }, now: number): boolean =>
  until <= now || until > now + longestLeaseMillis

export const isOpen = (entry: SettlementEntry): boolean => isDifference(entry) && entry.closed === null

/** What closes an open difference. */
const close = (closed: SettlementEntry["closed"]) => (entry: SettlementEntry) =>
  isOpen(entry) ? { ...entry, closed } : undefined

const hold = (
  { runLeases }: TenantState,
  connectionId: string,
  { fileName, holder, now, runId, until }: ComparisonHolder
): RunLease => {
  const lease = runLeases.get(connectionId)
  // The same file, read again after its process died. Where that process is alive, it writes no more.
  const isFree = lease === undefined || isOver(lease, now) || lease.runId === runId || lease.holder === holder
  return isFree ? put(runLeases, connectionId, { holder, runId, fileName, since: now, until }) : lease
}

const isListed =
  ({ connectionId, differences, openedBefore, result, runId }: EntryQuery) =>
  (entry: SettlementEntry): boolean =>
    (differences === "open" ? isOpen(entry) : isDifference(entry)) &&
    has({ connectionId, result, runId })(entry) &&
    isWithin(entry.openedAt ?? 0, 0, openedBefore)

const namedIn = (
  records: ReadonlyArray<PaymentRecord>,
  connectionId: string,
  names: NamedInRows
): ReadonlyArray<NamedPayment> => {
  const found: Array<NamedPayment> = []
  const add = (kind: NameKind, name: string | null, paymentId: string) => {
    if (name === null || !names[kind].includes(name)) return
    const same = found.filter(has({ kind, name }))
    if (same.length < 2 && !same.some(has({ paymentId }))) found.push({ kind, name, paymentId })
  }
  // Requests under one key derive one attempt id, and those that were given up were not sent.
  const sent = new Map<string, { readonly paymentId: string; readonly isSent: boolean }>()
  for (const { book } of records) {
    const { id, providerRef, reported } = book.payment
    const ofConnection = has({ connectionId })
    if (book.payment.connectionId === connectionId) {
      for (const name of [providerRef, ...(reported?.captures ?? []).map((capture) => capture.id)])
        add("providerRefs", name, id)
    }
    for (const attempt of book.attempts.filter(ofConnection)) {
      add("providerRefs", attempt.providerRef, id)
      const isSent = attempt.outcome !== "Abandoned"
      const other = sent.get(attempt.id)
      const isMeant = other === undefined || other.isSent === isSent ? id > (other?.paymentId ?? "") : isSent
      if (isMeant) sent.set(attempt.id, { paymentId: id, isSent })
    }
    for (const operation of book.operations.filter(ofConnection)) add("operationIds", operation.id, id)
    for (const refund of book.refunds.filter(ofConnection)) {
      add("refundIds", refund.id, id)
      add("providerRefundIds", refund.providerRefundId, id)
    }
  }
  for (const [id, { paymentId }] of sent) add("attemptIds", id, paymentId)
  return found
}

const unreported = (state: State, query: UnreportedQuery) => {
  const { after: id, captureWithinMillis, connectionId, from, limit, tenant, until } = query
  const reported = new Set(
    entriesOf(state, tenant)
      .filter(
        ({ closed, corrected, kind, number }) =>
          corrected === null && (number === 0 ? closed?.by !== "comparison" : kind === "charge")
      )
      .map(({ paymentId }) => paymentId)
  )
  const all = recordsOf(state, tenant).map(({ book }) => book.payment)
  const looked = page(all, by("id"), { after: { id }, limit })
  const payments = looked.filter(({ capturedMinor, captureMethod, id, settledAt, ...payment }) => {
    const earliest = captureMethod === "automatic" ? from : from - captureWithinMillis
    const isSettled = settledAt !== null && settledAt >= earliest && settledAt <= until
    return payment.connectionId === connectionId && capturedMinor > 0 && isSettled && !reported.has(id)
  })
  return { payments, next: looked.length < limit ? null : (looked.at(-1)?.id ?? null) }
}

const sumOf = (entries: ReadonlyArray<SettlementEntry>, isOf = (_: SettlementEntry["kind"]) => true): number =>
  entries.reduce((sum, one) => (isOf(one.kind) ? sum + (one.converted ?? one.gross).minorUnits : sum), 0)

const fieldOf = {
  charge: "chargesMinor",
  charge_failed: "chargesMinor",
  refund: "refundsMinor",
  refund_failed: "refundsMinor",
  dispute: "disputesMinor",
  dispute_reversed: "disputesMinor",
  fee: "othersMinor",
  payout: "payoutsMinor",
  payout_failed: "payoutsMinor",
  adjustment: "othersMinor"
} as const satisfies Record<SettlementEntry["kind"], keyof PayoutSums>

/** Of the versions of a row the newest one counts, and the same row at a second place of its report does not. */
const isCounted = ({ corrected, number, reason }: SettlementEntry): boolean =>
  number > 0 && reason !== "same_row" && corrected === null

const isOfPayout =
  ({ connectionId, payoutId }: PayoutName) =>
  (entry: SettlementEntry) =>
    isCounted(entry) && has({ connectionId, payoutId })(entry)

/** That of the payout, where the report names it. */
const movedCurrency = ({ converted, gross, net }: SettlementEntry): string => (net ?? converted ?? gross).currency

/** Entries added up by currency, and by what else groups them. */
const summed = <Group extends object>(
  entries: ReadonlyArray<SettlementEntry>,
  groupOf: (entry: SettlementEntry) => Group
) =>
  [...Map.groupBy(entries, (one) => JSON.stringify({ ...groupOf(one), currency: movedCurrency(one) }))].map(
    ([group, some]) => {
      const sum = (field: keyof PayoutSums) => sumOf(some, (kind) => fieldOf[kind] === field)
      return {
        ...(JSON.parse(group) as Group & Pick<PayoutSums, "currency">),
        rows: some.length,
        chargesMinor: sum("chargesMinor"),
        refundsMinor: sum("refundsMinor"),
        disputesMinor: sum("disputesMinor"),
        feesMinor: some.reduce((fees, { fee }) => fees + (fee?.minorUnits ?? 0), 0),
        payoutsMinor: sum("payoutsMinor"),
        othersMinor: sum("othersMinor")
      }
    }
  )
