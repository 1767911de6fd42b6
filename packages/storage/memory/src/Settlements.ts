/** Runs of reconciliation, and what is stored of rows of providers' reports. */
import { isDifference, type SettlementEntry, type Tenant } from "@pointsman/core"
import { dayMillis, payoutCurrency, payoutSumOf } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import { booksOf } from "./Ledger.ts"
import { all, by, descending, drop, find, has, isWithin, type Methods, newest, page, put, update } from "./Records.ts"
import { keyOf, of, type State } from "./State.ts"

export const settlements: Methods<Ports.Settlements> = {
  begin: (state, run, lease) => {
    const { connectionId, fileName, format, sha256, tenant } = run
    const { runs } = of(state, tenant)
    const same = [...runs.values()].find(has({ connectionId, format, sha256 }))
    if (same?.state === "done") return { _tag: "Begun", run: same }
    const begun = same ?? run
    const by = hold(state, tenant, connectionId, { ...lease, fileName, runId: begun.id })
    return by.holder === lease.holder ? { _tag: "Begun", run: put(runs, begun.id, begun) } : { _tag: "Taken", by }
  },
  hold: (state, tenant, connectionId, lease) => hold(state, tenant, connectionId, lease),
  release: (state, tenant, connectionId, holder) => {
    const { runLeases } = of(state, tenant)
    if (runLeases.get(connectionId)?.holder === holder) runLeases.delete(connectionId)
  },
  run: (state, tenant, id) => find(of(state, tenant).runs, id),
  runs: (state, { before, connectionId, format, limit, tenant }) =>
    newest(all(state, "runs", tenant, { connectionId, format }), { before, limit }),
  applyBatch: (state, { closes, confirmed = [], connectionId, corrections, entries, lease, run, tenant }) => {
    const { runLeases, runs, settlements } = of(state, tenant)
    if (runLeases.get(connectionId)?.holder !== lease.holder) return false
    if (run !== null && runs.get(run.after.id)?.version !== run.expected) return false
    if (run !== null) put(runs, run.after.id, run.after)
    update(runLeases, connectionId, { until: lease.until })
    for (const entry of entries) {
      const key = keyOf(entry.connectionId, entry.rowId)
      if (!settlements.has(key)) put(settlements, key, entry)
    }
    const keyOfRow = (rowId: string) => keyOf(connectionId, rowId)
    for (const { closed, rowId } of closes) update(settlements, keyOfRow(rowId), { closed }, isOpen)
    for (const { corrected, rowId } of corrections) update(settlements, keyOfRow(rowId), correct(corrected))
    for (const { generatedAt, rowId } of confirmed)
      update(settlements, keyOfRow(rowId), { generatedAt }, (entry) => entry.generatedAt < generatedAt)
    return true
  },
  known: (state, tenant, connectionId, rowIds) =>
    rowIds.flatMap((rowId) => of(state, tenant).settlements.get(keyOf(connectionId, rowId)) ?? []),
  booksNamed: (state, tenant, connectionId, names) => booksNamed(state, tenant, connectionId, names),
  entriesOf: (state, tenant, paymentIds) =>
    page(
      all(state, "settlements", tenant).filter(({ paymentId }) => paymentIds.includes(paymentId ?? "")),
      byTime
    ),
  unreported: (state, query) => unreported(state, query),
  differences: (state, { after, connectionId, differences, limit, openedBefore, result, runId, tenant }) => {
    const found = all(state, "settlements", tenant, { connectionId, result, runId })
      .filter(differences === "open" ? isOpen : isDifference)
      .filter(({ openedAt }) => isWithin(openedAt ?? 0, 0, openedBefore))
    return page(found, by("openedAt", "connectionId", "rowId"), { after, limit })
  },
  entries: (state, { connectionId, isWithoutPayment = false, tenant, ...query }) => {
    const found = all(state, "settlements", tenant, { connectionId })
    const those = isWithoutPayment ? found.filter(has({ paymentId: null })) : found
    return page(those, by("connectionId", "rowId"), query)
  },
  close: (state, tenant, connectionId, { closed, rowId }) =>
    update(of(state, tenant).settlements, keyOf(connectionId, rowId), { closed }, isOpen),
  balance: (state, { connectionId, from, tenant, until }) => {
    const moved = counted(state, tenant, { connectionId }).filter((one) => isWithin(one.occurredAt, from, until))
    const rows = [...Map.groupBy(moved, (one) => JSON.stringify(balanceOf(one)))].map(([balance, some]) => ({
      ...(JSON.parse(balance) as ReturnType<typeof balanceOf>),
      ...sums(some)
    }))
    return page(rows, by("connectionId", "day", "currency"))
  },
  payoutParts: (state, tenant, { connectionId, payoutId }) => {
    const entries = counted(state, tenant, { connectionId, payoutId })
    const parts = [...Map.groupBy(entries, payoutCurrency)].map(([currency, some]) => {
      const times = some.map(({ occurredAt }) => occurredAt)
      const settledAt = page(some, by("settledAt")).at(-1)?.settledAt ?? null
      return { currency, ...sums(some), firstAt: Math.min(...times), lastAt: Math.max(...times), settledAt }
    })
    return page(parts, by("currency"))
  },
  payoutMoves: (state, tenant, names) =>
    names.flatMap(({ connectionId, payoutId }) => {
      const entries = counted(state, tenant, { connectionId, payoutId })
      const own = entries.filter(({ kind }) => kind === "payout" || kind === "payout_failed")
      return [...Map.groupBy(own, payoutCurrency).values()].map((some) => ({
        connectionId,
        payoutId,
        leftMinor: sums(some.filter(has({ kind: "payout" }))).payoutsMinor,
        returnedMinor: sums(some.filter(has({ kind: "payout_failed" }))).payoutsMinor
      }))
    }),
  payoutEntries: (state, tenant, { after, connectionId, limit, payoutId }) =>
    page(counted(state, tenant, { connectionId, payoutId }), byTime, { after, limit }),
  payouts: (state, { connectionId, from, limit, tenant, until }) => {
    const own = counted(state, tenant, { connectionId, kind: "payout", paymentId: null })
    const found = own.filter((one) => isWithin(one.occurredAt, from, until))
    return page(found, descending(by("occurredAt", "connectionId", "rowId")), { limit })
  },
  open: {
    get: (state) => {
      const counted = page(all(state, "settlements").filter(isOpen), by("openedAt"), { limit: Ports.openCounted })
      const groups = Map.groupBy(counted, ({ result }) => result)
      const counts = [...groups].map(([result, some]) => {
        const oldestAt = Math.min(...some.map(({ openedAt }) => openedAt ?? 0))
        return { result, count: some.length, oldestAt }
      })
      return page(counts, by("result"))
    }
  },
  prune: (state, { before, limit, tenant }) => {
    const { books, settlements } = of(state, tenant)
    const isLeft = (one: SettlementEntry) => !books.has(one.paymentId ?? "") && one.occurredAt < before && !isOpen(one)
    return drop(settlements, isLeft, limit)
  }
}

const byTime = by("occurredAt", "rowId")

/** A lease that ends too late was taken by a clock that was wrong. */
export const isOver = ({ until }: { readonly until: number }, now: number): boolean =>
  until <= now || until > now + Ports.longestLeaseMillis

export const isOpen = (entry: SettlementEntry): boolean => isDifference(entry) && entry.closed === null

const correct =
  ({ at, by }: Ports.CorrectedEntry["corrected"]) =>
  ({ closed, corrected }: SettlementEntry) => ({
    corrected: { by, at: corrected?.at ?? at },
    closed: closed ?? ({ by: "row", note: by, at } as const)
  })

const hold = (state: State, tenant: Tenant, connectionId: string, wanted: Ports.ComparisonHolder): Ports.RunLease => {
  const { runLeases } = of(state, tenant)
  const lease = runLeases.get(connectionId)
  const { fileName, holder, now, runId, until } = wanted
  // The same file, read again after its process died. Where that process is alive, it writes no more.
  const isFree = lease === undefined || isOver(lease, now) || lease.runId === runId || lease.holder === holder
  return isFree ? put(runLeases, connectionId, { holder, runId, fileName, since: now, until }) : lease
}

/** Whether the payment has, or had, the reference at the connection, or a capture of it has. */
const refersTo = ({ attempts, payment }: Ports.PaymentBook, connectionId: string, providerRef: string): boolean =>
  [payment, ...attempts].some(has({ connectionId, providerRef })) ||
  (payment.connectionId === connectionId && payment.reported?.captures?.some(({ id }) => id === providerRef) === true)

const booksNamed = (state: State, tenant: Tenant, connectionId: string, asked: Ports.NamedInRows): Ports.NamedBooks => {
  const books = booksOf(state, tenant)
  const found = Ports.namesIn(asked).flatMap(([kind, name]) => {
    const meant =
      kind === "providerRefs"
        ? books.filter((book) => refersTo(book, connectionId, name)).slice(0, 2)
        : Ports.meantBy(books, connectionId, kind, name)
    return meant.map((book) => ({ book, named: { kind, name, paymentId: book.payment.id } }))
  })
  return { named: found.map(({ named }) => named), books: [...new Set(found.map(({ book }) => book))] }
}

const unreported = (state: State, query: Ports.UnreportedQuery): Ports.UnreportedPage => {
  const { after: id, limit, tenant } = query
  const entries = all(state, "settlements", tenant).filter(({ closed, corrected, kind, number }) => {
    const isAbout = number === 0 ? closed?.by !== "comparison" : kind === "charge"
    return isAbout && corrected === null
  })
  const reported = new Set(entries.map(({ paymentId }) => paymentId))
  const payments = all(state, "books", tenant).map(({ payment }) => payment)
  const looked = page(payments, by("id"), { after: { id }, limit })
  const found = looked.filter(
    (payment) => payment.capturedMinor > 0 && Ports.isExpected(query, payment) && !reported.has(payment.id)
  )
  return { payments: found, next: looked.length < limit ? null : (looked.at(-1)?.id ?? null) }
}

/** Of the versions of a row the newest one counts, and the same row at a second place of its report does not. */
const counted = (state: State, tenant: Tenant, wanted: Partial<Record<keyof SettlementEntry, unknown>>) =>
  all(state, "settlements", tenant, { ...wanted, corrected: null }).filter(
    ({ number, reason }) => number > 0 && reason !== "same_row"
  )

/** What an entry is added up by. */
const balanceOf = (entry: SettlementEntry) => ({
  connectionId: entry.connectionId,
  day: entry.occurredAt - (entry.occurredAt % dayMillis),
  currency: payoutCurrency(entry)
})

const sums = (entries: ReadonlyArray<SettlementEntry>) => {
  const nothing = { chargesMinor: 0, refundsMinor: 0, disputesMinor: 0, feesMinor: 0, payoutsMinor: 0, othersMinor: 0 }
  const added = { rows: entries.length, ...nothing }
  for (const { converted, fee, gross, kind } of entries) {
    added[payoutSumOf[kind]] += (converted ?? gross).minorUnits
    added.feesMinor += fee?.minorUnits ?? 0
  }
  return added
}
