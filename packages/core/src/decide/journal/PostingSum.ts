/** Postings while a transaction is put together: one amount for each account, connection and currency. */
import { type JournalAccount, journalAccounts, type Posting } from "../../model/Journal.ts"

export interface Place {
  readonly connectionId: string
  readonly currency: string
}

export class PostingSum {
  readonly #amounts = new Map<string, Posting>()

  add(account: JournalAccount, { connectionId, currency }: Place, minorUnits: number): void {
    const key = `${account} ${connectionId} ${currency}`
    const before = this.#amounts.get(key)?.minorUnits ?? 0
    this.#amounts.set(key, { account, connectionId, minorUnits: before + minorUnits, currency })
  }

  /** Both sides of a movement of the provider's balance: what it gains, the account loses. */
  addBalanced(account: JournalAccount, place: Place, minorUnits: number): void {
    this.add("receivable", place, minorUnits)
    this.add(account, place, -minorUnits)
  }

  addAll(other: PostingSum, times: 1 | -1): void {
    for (const { account, minorUnits, ...place } of other.#amounts.values()) {
      this.add(account, place, times * minorUnits)
    }
  }

  /** Those that are not 0, in the order of the chart of accounts; empty where nothing is left. */
  postings(): ReadonlyArray<Posting> {
    return [...this.#amounts.values()]
      .filter(({ minorUnits }) => minorUnits !== 0)
      .sort((one, other) => order(one) - order(other) || compare(one, other))
  }
}

const order = ({ account }: Posting): number => journalAccounts.indexOf(account)

const compare = (one: Posting, other: Posting): number => {
  const [left, right] = [one, other].map(({ connectionId, currency }) => `${connectionId} ${currency}`) as [
    string,
    string
  ]
  return left < right ? -1 : 1
}
