/**
 * The journal of one payment: what its events say, and what rows of providers' reports add, as transactions that add up
 * to zero in each currency. Transactions are only ever appended. A correction, of the record or of a row, is a further
 * transaction; none that was exported before changes. Money whose result is not known is not posted. Pure.
 */
import type { JournalSubject, JournalTransaction, PendingMoney, PostedMovement } from "../../model/Journal.ts"
import type { Payment } from "../../model/Payment.ts"
import { openCharge, operating, type PaymentState } from "../../model/PaymentMachine.ts"
import { openDisputes } from "../../model/Reported.ts"
import type { SignedMoney } from "../../model/ReportRow.ts"
import { defaultMonthClosing, type MonthClosing, postedAt } from "./PostingDate.ts"
import { type Place, PostingSum } from "./PostingSum.ts"
import { type JournalRecord, ofCharge, ofRefund, type RecordedFact, recordedFacts } from "./RecordedFacts.ts"

/** In the place of a connection, for money of which the record names none. */
const noConnection = "none"

/** `record`: `null` for rows of no payment. `movements`: in any order. Gives transactions as they were recorded. */
export const journalOf = (
  record: JournalRecord | null,
  movements: ReadonlyArray<PostedMovement>,
  closing: MonthClosing = defaultMonthClosing
): ReadonlyArray<JournalTransaction> => {
  const facts = record === null ? [] : recordedFacts(record)
  const rows = movements.toSorted(
    (one, other) => one.recordedAt - other.recordedAt || (keyOf(one) < keyOf(other) ? -1 : 1)
  )
  const accounts = new Accounts(record?.payment ?? null, closing)
  let next = 0
  for (const fact of facts) {
    for (; next < rows.length; next++) {
      const row = rows[next]
      if (row === undefined || row.recordedAt >= fact.recordedAt) break
      accounts.report(row)
    }
    accounts.record(fact)
  }
  for (const row of rows.slice(next)) accounts.report(row)
  return accounts.transactions
}

const keyOf = ({ connectionId, rowId }: PostedMovement): string => `${connectionId} ${rowId}`

/** A charge or a refund: what is recorded of it, what reports say, and the difference that is posted, by place. */
interface Compared {
  readonly places: Map<string, { readonly place: Place; recorded: number; reported: number; posted: number }>
  rows: number
}

class Accounts {
  readonly transactions: Array<JournalTransaction> = []
  readonly #payment: Payment | null
  readonly #closing: MonthClosing
  readonly #compared = new Map<string, Compared>()
  /** By row: its latest version, and how many transactions its versions made. */
  readonly #rows = new Map<string, { effect: ReportedEffect; count: number }>()

  constructor(payment: Payment | null, closing: MonthClosing) {
    this.#payment = payment
    this.#closing = closing
  }

  record({ about, account, changeMinor, id, of, recordedAt }: RecordedFact): void {
    const payment = this.#payment
    if (payment === null) return
    const place: Place = { connectionId: payment.connectionId ?? noConnection, currency: payment.money.currency }
    const sum = new PostingSum()
    sum.addBalanced(account, place, changeMinor)
    this.#at(of, place).recorded += changeMinor
    this.#explain(of, sum)
    this.#write(sum, { id, subject: about, occurredAt: recordedAt, recordedAt, ...place, payoutId: null })
  }

  report(movement: PostedMovement): void {
    const { connectionId, kind, occurredAt, payoutId, recordedAt } = movement
    const key = keyOf(movement)
    const before = this.#rows.get(key)
    const effect = reportedEffect(movement)
    const sum = new PostingSum()
    if (before !== undefined) {
      sum.addAll(before.effect.postings, -1)
      this.#compare(before.effect, -1)
    }
    sum.addAll(effect.postings, 1)
    this.#compare(effect, 1)
    for (const of of new Set([before?.effect.compared?.of, effect.compared?.of])) {
      if (of !== undefined) this.#explain(of, sum)
    }
    const count = before?.count ?? 0
    const id = `${connectionId} ${movement.rowId}${count === 0 ? "" : ` ${count + 1}`}`
    const subject: JournalSubject = `report_${kind}`
    const isWritten = this.#write(sum, { id, subject, occurredAt, recordedAt, connectionId, payoutId })
    this.#rows.set(key, { effect, count: count + (isWritten ? 1 : 0) })
  }

  #of(of: string): Compared {
    const known = this.#compared.get(of)
    if (known !== undefined) return known
    const made: Compared = { places: new Map(), rows: 0 }
    this.#compared.set(of, made)
    return made
  }

  #at(of: string, place: Place) {
    const { places } = this.#of(of)
    const key = `${place.connectionId} ${place.currency}`
    const known = places.get(key)
    if (known !== undefined) return known
    const made = { place, recorded: 0, reported: 0, posted: 0 }
    places.set(key, made)
    return made
  }

  #compare({ compared }: ReportedEffect, times: 1 | -1): void {
    if (compared === null) return
    this.#of(compared.of).rows += times
    this.#at(compared.of, compared.place).reported += times * compared.minorUnits
  }

  /** Once a report has a row of it, the receivable is what the provider says, and the difference is unexplained. */
  #explain(of: string, sum: PostingSum): void {
    const { places, rows } = this.#of(of)
    for (const at of places.values()) {
      const difference = rows === 0 ? 0 : at.reported - at.recorded
      sum.addBalanced("unexplained", at.place, difference - at.posted)
      at.posted = difference
    }
  }

  #write(
    sum: PostingSum,
    of: Pick<JournalTransaction, "id" | "subject" | "occurredAt" | "recordedAt" | "connectionId" | "payoutId">
  ): boolean {
    const postings = sum.postings()
    if (postings.length === 0) return false
    const { connectionId, id, occurredAt, payoutId, recordedAt, subject } = of
    const at = postedAt({ occurredAt, recordedAt, earliest: this.#payment?.createdAt ?? 0 }, this.#closing)
    const payment = { paymentId: this.#payment?.id ?? null, reference: this.#payment?.reference ?? null }
    this.transactions.push({ id, subject, at, occurredAt, recordedAt, connectionId, ...payment, payoutId, postings })
    return true
  }
}

/** What is wrong with a journal, one line each; none for a sound one. */
export const brokenJournal = (transactions: ReadonlyArray<JournalTransaction>): ReadonlyArray<string> => {
  const ids = new Set(transactions.map(({ id }) => id))
  const twice = ids.size === transactions.length ? [] : ["two transactions have the same id"]
  return [
    ...twice,
    ...transactions.flatMap(({ id, postings }) => {
      const sums = new Map<string, number>()
      for (const { currency, minorUnits } of postings) sums.set(currency, (sums.get(currency) ?? 0) + minorUnits)
      return [...sums].flatMap(([currency, sum]) => (sum === 0 ? [] : [`${id} adds up to ${sum} ${currency}`]))
    })
  ]
}

const charging: ReadonlySet<PaymentState> = new Set([...openCharge, "ChargeMismatched"])
const capturing: ReadonlySet<PaymentState> = new Set(operating.filter((state) => state.startsWith("Captur")))

/** What the journal does not have yet: money whose result is not known, and disputes without an amount. */
export const pendingOf = (
  payment: Payment,
  movements: ReadonlyArray<Pick<PostedMovement, "kind">>
): ReadonlyArray<PendingMoney> => {
  const { authorizedMinor, connectionId, id: paymentId, money, refundPendingMinor, reported, state } = payment
  const { currency } = money
  const pending = (what: PendingMoney["what"], minorUnits: number | null): PendingMoney => ({
    ...{ paymentId, connectionId, what, minorUnits, currency }
  })
  const hasDisputeRow = movements.some(({ kind }) => kind === "dispute")
  const disputes = reported === null || hasDisputeRow ? [] : openDisputes(reported)
  return [
    ...(charging.has(state) ? [pending("charge", money.minorUnits)] : []),
    ...(capturing.has(state) ? [pending("capture", authorizedMinor)] : []),
    ...(refundPendingMinor > 0 ? [pending("refund", refundPendingMinor)] : []),
    ...disputes.map(() => pending("dispute", null))
  ]
}

export interface ReportedEffect {
  /** What the record must have too, and the change of the provider's balance; `null` where it says nothing. */
  readonly compared: { readonly of: string; readonly place: Place; readonly minorUnits: number } | null
  /** Everything else. */
  readonly postings: PostingSum
}

/** Where the money of a row goes; that of a payment or a refund is compared with ours. */
const accountOf = {
  charge: "charge",
  charge_failed: "charge",
  refund: "refund",
  refund_failed: "refund",
  dispute: "disputes",
  dispute_reversed: "disputes",
  fee: "fees",
  payout: "payouts",
  payout_failed: "payouts",
  adjustment: "adjustments"
} as const satisfies Record<PostedMovement["kind"], string>

const reportedEffect = (movement: PostedMovement): ReportedEffect => {
  const { connectionId, converted, fee, gross, kind, net, paymentId, refundId } = movement
  const postings = new PostingSum()
  const place = ({ currency }: SignedMoney): Place => ({ connectionId, currency })
  const grossPlace = place(gross)
  if (movement.isWithdrawn === true) return { compared: null, postings }
  const account = accountOf[kind]
  const of = paymentId === null ? null : account === "charge" ? ofCharge : refundId === null ? null : ofRefund(refundId)
  const isOfPayment = account === "charge" || account === "refund"
  const comparison = isOfPayment && of !== null ? { of, place: grossPlace, minorUnits: gross.minorUnits } : null
  if (comparison === null) postings.addBalanced(isOfPayment ? "unexplained" : account, grossPlace, gross.minorUnits)
  if (converted !== null) {
    postings.addBalanced("conversion", grossPlace, -gross.minorUnits)
    postings.addBalanced("conversion", place(converted), converted.minorUnits)
  }
  if (fee !== null) postings.addBalanced("fees", place(fee), -fee.minorUnits)
  if (net !== null) {
    // Where the row's own amounts do not add up, the rest is visible, and the receivable is what the provider says.
    const base = converted ?? gross
    postings.addBalanced("unexplained", place(net), net.minorUnits)
    postings.addBalanced("unexplained", place(base), -base.minorUnits)
    if (fee !== null) postings.addBalanced("unexplained", place(fee), fee.minorUnits)
  }
  return { compared: comparison, postings }
}
