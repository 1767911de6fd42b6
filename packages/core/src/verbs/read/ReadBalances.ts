/** What each account of the journal has, and the money whose result is not known. */
import { Effect, Stream } from "effect"
import { accountName } from "../../decide/journal/JournalText.ts"
import type { PendingMoney } from "../../model/Journal.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type JournalEntry, type JournalQuery, journal } from "./ReadJournal.ts"

export interface AccountBalance {
  /** As the journal names it. */
  readonly account: string
  readonly connection: string
  readonly currency: string
  /** Minor units: positive is a debit. */
  readonly amount: number
}

export interface PendingBalance {
  readonly what: PendingMoney["what"]
  /** Empty where no connection is known. */
  readonly connection: string
  readonly currency: string
  /** Minor units; a dispute without an amount adds none. */
  readonly amount: number
  readonly count: number
}

export interface Balances {
  readonly accounts: ReadonlyArray<AccountBalance>
  readonly pending: ReadonlyArray<PendingBalance>
}

/** By name, so that its size is that of the chart of accounts. */
interface Sums {
  readonly accounts: Map<string, AccountBalance>
  readonly pending: Map<string, PendingBalance>
}

const addEntry = ({ accounts, pending }: Sums, entry: JournalEntry): void => {
  if (entry._tag === "Pending") {
    const { connectionId, currency, minorUnits, what } = entry.pending
    const connection = connectionId ?? ""
    const key = `${what} ${connection} ${currency}`
    const { amount, count } = pending.get(key) ?? { amount: 0, count: 0 }
    pending.set(key, { what, connection, currency, amount: amount + (minorUnits ?? 0), count: count + 1 })
    return
  }
  for (const posting of entry.transaction.postings) {
    const account = accountName(posting)
    const { connectionId: connection, currency, minorUnits } = posting
    const amount = (accounts.get(account)?.amount ?? 0) + minorUnits
    accounts.set(account, { account, connection, currency, amount })
  }
}

const byName = <Row>(rows: ReadonlyMap<string, Row>): ReadonlyArray<Row> =>
  [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)

/** By name. It reads all transactions of the query. */
export const readBalances = Effect.fnUntraced(function* (tenant: Tenant, query: JournalQuery) {
  const sums: Sums = { accounts: new Map(), pending: new Map() }
  yield* Stream.runForEachArray(journal(tenant, query), (entries) =>
    Effect.sync(() => {
      for (const entry of entries) addEntry(sums, entry)
    })
  )
  const balances: Balances = { accounts: byName(sums.accounts), pending: byName(sums.pending) }
  return balances
})
