/**
 * What has to hold of the journal of every payment: at every step it adds up to zero, has what the payment has, and only
 * ever grows; and at rest, with the provider's reports, its accounts are the provider's own. All functions give what is
 * wrong.
 */
import {
  brokenJournal,
  type Event,
  type JournalAccount,
  type JournalTransaction,
  journalOf,
  movementsOfEntry,
  type SettlementEntry
} from "@pointsman/core"
import type { ReportRow } from "@pointsman/core/connector"
import type { PaymentBook } from "@pointsman/core/ports"
import type { ProviderBalance } from "./ProviderBalance.ts"
import { reportsOf } from "./ProviderReports.ts"
import { readAll } from "./ReadAll.ts"
import { callers, type World } from "./World.ts"

/** Minor units by account, connection and currency: `receivable main-sandbox EUR`. */
type Sums = Map<string, number>

const add = (sums: Sums, key: string, minorUnits: number): void => void sums.set(key, (sums.get(key) ?? 0) + minorUnits)

const sumsOf = (transactions: ReadonlyArray<JournalTransaction>): Sums => {
  const sums: Sums = new Map()
  for (const { postings } of transactions) {
    for (const { account, connectionId, currency, minorUnits } of postings) {
      add(sums, `${account} ${connectionId} ${currency}`, minorUnits)
    }
  }
  return sums
}

const totalOf = (sums: Sums, account: JournalAccount): number =>
  [...sums].reduce((total, [key, minorUnits]) => (key.startsWith(`${account} `) ? total + minorUnits : total), 0)

/** Without any report: what is recorded. */
const wrongRecord = (book: PaymentBook, events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const { payment } = book
  const transactions = journalOf({ payment, events }, [])
  const sums = sumsOf(transactions)
  const wrong = [...brokenJournal(transactions)]
  const expected = {
    sales: -payment.capturedMinor,
    refunds: payment.refundedMinor,
    receivable: payment.capturedMinor - payment.refundedMinor,
    unexplained: 0
  } satisfies Partial<Record<JournalAccount, number>>
  for (const [account, minorUnits] of Object.entries(expected)) {
    const total = totalOf(sums, account as JournalAccount)
    if (total !== minorUnits) wrong.push(`the journal has ${total} of ${account}, and the payment ${minorUnits}`)
  }
  for (const { id, subject } of transactions) {
    if (subject === "recorded") wrong.push(`no event explains ${id}`)
  }
  return wrong
}

/** Reads every journal after a step, and compares it with what it was after the step before. */
export const journalsByStep = (world: World, hasLostRecords: () => boolean) => {
  let before = new Map<string, string>()
  let wasLost = false
  return async (): Promise<ReadonlyArray<string>> => {
    // What a process is about to commit would come between the reads of a payment and of its events.
    await world.time.settle()
    const wrong: Array<string> = []
    const now = new Map<string, string>()
    for (const { tenant } of callers) {
      const { books, events } = await world.run(readAll(world, tenant))
      const timelines = Map.groupBy(events, ({ paymentId }) => paymentId)
      for (const book of books) {
        const { payment } = book
        const ofOne = timelines.get(payment.id) ?? []
        wrong.push(...wrongRecord(book, ofOne).map((what) => `payment ${payment.id}: ${what}`))
        for (const transaction of journalOf({ payment, events: ofOne }, [])) {
          now.set(`${payment.id} ${transaction.id}`, JSON.stringify(transaction))
        }
      }
    }
    // A store that lost records lost their facts too.
    if (wasLost === hasLostRecords()) {
      for (const [id, text] of before) {
        if (now.get(id) !== text) wrong.push(`transaction ${id} was ${text}, and is ${now.get(id) ?? "gone"}`)
      }
    }
    wasLost = hasLostRecords()
    before = now
    return wrong
  }
}

export interface SettledPayment {
  readonly book: PaymentBook
  /** Oldest first. */
  readonly events: ReadonlyArray<Event>
  /** The provider made no contradiction, and nothing was lost: nothing may be unexplained. */
  readonly isPlain: boolean
}

/** What is stored of reports at rest, once every one was read. */
export interface ReadReports {
  readonly entries: ReadonlyArray<SettlementEntry>
  readonly balance: ProviderBalance
  readonly seed: number
}

export const wrongAccounts = (
  payments: ReadonlyArray<SettledPayment>,
  { balance, entries, seed }: ReadReports
): ReadonlyArray<string> => {
  const ofPayments = Map.groupBy(entries, ({ paymentId }) => paymentId)
  const rows = latestRows(balance, seed)
  const all: Array<JournalTransaction> = []
  const expected: Sums = new Map()
  const wrong: Array<string> = []
  const rowsOf = (its: ReadonlyArray<SettlementEntry>) =>
    its.filter(counts).flatMap(({ connectionId, rowId }) => rows.get(`${connectionId} ${rowId.split("#")[0]}`) ?? [])
  for (const { book, events, isPlain } of payments) {
    const { payment } = book
    const its = ofPayments.get(payment.id) ?? []
    const transactions = journalOf({ payment, events }, its.flatMap(movementsOfEntry))
    all.push(...transactions)
    const what = [...brokenJournal(transactions)]
    const sums = sumsOf(transactions)
    const own = expectedOf(book, rowsOf(its))
    for (const [key, minorUnits] of own) add(expected, key, minorUnits)
    what.push(...unlike(sums, own))
    if (isPlain) what.push(...unlike(withAccount(sums, "unexplained"), new Map()))
    wrong.push(...what.map((sentence) => `payment ${payment.id}: with every report, ${sentence}`))
  }
  const rest = ofPayments.get(null) ?? []
  for (const row of rowsOf(rest)) addRow(expected, row)
  const versions = Map.groupBy(rest.flatMap(movementsOfEntry), ({ connectionId, rowId }) => `${connectionId} ${rowId}`)
  for (const ofOne of versions.values()) all.push(...journalOf(null, ofOne))
  wrong.push(...brokenJournal(all))
  wrong.push(...unlike(sumsOf(all), expected))
  // What the journal has beside the reports is money that no row is about.
  const unreported = withoutDisputes(expected)
  addTotals(unreported, balance, -1)
  if (payments.every(({ isPlain }) => isPlain)) {
    wrong.push(...unlike(unreported, new Map()).map((what) => `in all, ${what}`))
  }
  return [...wrong, ...wrongSums(entries, balance)]
}

interface PlacedRow extends ReportRow {
  readonly connectionId: string
}

/** The newest version of every row. */
const latestRows = (balance: ProviderBalance, seed: number): ReadonlyMap<string, PlacedRow> =>
  new Map(
    reportsOf(balance, seed).flatMap(({ connectionId, rows }) =>
      rows.map((row) => [`${connectionId} ${row.id}`, { ...row, connectionId }] as const)
    )
  )

/** Of the versions of a row the one that is in force. */
const counts = ({ corrected, number, reason }: SettlementEntry): boolean =>
  corrected === null && number > 0 && reason !== "same_row"

const addTotals = (sums: Sums, { totals }: ProviderBalance, times: 1 | -1): void => {
  for (const [place, { balance, fees, paidOut }] of totals) {
    add(sums, `receivable ${place}`, times * balance)
    add(sums, `fees ${place}`, times * fees)
    add(sums, `payouts ${place}`, times * paidOut)
  }
}

const withoutDisputes = (sums: Sums): Sums => new Map([...sums].filter(([key]) => !key.startsWith("disputes ")))

/** What is stored adds up to what the provider owes, and to the fees that it kept. */
const wrongSums = (entries: ReadonlyArray<SettlementEntry>, balance: ProviderBalance): ReadonlyArray<string> => {
  const sums: Sums = new Map()
  for (const entry of entries) if (counts(entry)) addRow(sums, entry)
  const theirs: Sums = new Map()
  addTotals(theirs, balance, 1)
  return unlike(withoutDisputes(sums), theirs).map((what) => `of the stored entries, ${what}`)
}

/** What the receivable, the fees, the disputes and the payouts have to be: in the provider's balance, and not in a report. */
const expectedOf = ({ payment, refunds }: PaymentBook, rows: ReadonlyArray<PlacedRow>): Sums => {
  const sums: Sums = new Map()
  for (const row of rows) addRow(sums, row)
  const key = `receivable ${payment.connectionId ?? "none"} ${payment.money.currency}`
  const isCharged = rows.some(({ kind }) => kind === "charge" || kind === "charge_failed")
  // Of what no row is about the record alone says something.
  if (!isCharged) add(sums, key, payment.capturedMinor)
  for (const { id, money, origin, providerRefundId, stage } of refunds) {
    const isRowOf = ({ names }: PlacedRow) =>
      names.refundId === id || (origin === "provider" && names.providerRefundId === providerRefundId)
    if (stage !== "Succeeded" || rows.some(isRowOf)) continue
    add(sums, key, -money.minorUnits)
  }
  return sums
}

type Row = Pick<PlacedRow, "connectionId" | "fee" | "gross" | "kind" | "net">

const addRow = (sums: Sums, { connectionId, fee, gross, kind, net }: Row): void => {
  if (net !== null) add(sums, `receivable ${connectionId} ${net.currency}`, net.minorUnits)
  if (fee !== null) add(sums, `fees ${connectionId} ${fee.currency}`, fee.minorUnits)
  if (kind === "fee") add(sums, `fees ${connectionId} ${gross.currency}`, -gross.minorUnits)
  if (kind.startsWith("dispute")) add(sums, `disputes ${connectionId} ${gross.currency}`, -gross.minorUnits)
  if (kind.startsWith("payout")) add(sums, `payouts ${connectionId} ${gross.currency}`, -gross.minorUnits)
}

const compared: ReadonlyArray<JournalAccount> = ["receivable", "fees", "disputes", "payouts", "unexplained"]

const withAccount = (sums: Sums, account: JournalAccount): Sums =>
  new Map([...sums].filter(([key]) => key.startsWith(`${account} `)))

const unlike = (sums: Sums, expected: Sums): ReadonlyArray<string> =>
  [...new Set([...sums.keys(), ...expected.keys()])].flatMap((key) => {
    const [account] = key.split(" ")
    const isCompared = compared.some((one) => one === account && (one !== "unexplained" || expected.size === 0))
    const [is, was] = [sums.get(key) ?? 0, expected.get(key) ?? 0]
    return !isCompared || is === was ? [] : [`${key} is ${is}, and at the provider ${was}`]
  })
