/**
 * A journal as text: for Beancount (https://beancount.github.io/docs/beancount_language_syntax.html), for ledger and hledger
 * (https://ledger-cli.org/doc/ledger3.html#Journal-Format, https://hledger.org/hledger.html#journal), and as CSV. Pure.
 *
 * Dates are UTC. Amounts are exact decimals of their currency. Account names are the same in all formats.
 */
import { DateTime } from "effect"
import { csvField, csvRow } from "../../model/CsvField.ts"
import type { JournalAccount, JournalSubject, JournalTransaction, Posting } from "../../model/Journal.ts"
import { decimalText } from "../../money/Money.ts"

export const journalFormats = ["beancount", "ledger", "csv"] as const
export type JournalFormat = (typeof journalFormats)[number]

/** The parent of each account, as Beancount groups them: its first part is one of five. */
export const accountParents: Readonly<Record<JournalAccount, string>> = {
  receivable: "Assets:Receivable",
  payouts: "Assets:Payouts",
  sales: "Income:Sales",
  refunds: "Income:Refunds",
  fees: "Expenses:Fees",
  disputes: "Expenses:Disputes",
  adjustments: "Equity:Adjustments",
  conversion: "Equity:Conversion",
  unexplained: "Equity:Unexplained"
}

/** `Assets:Receivable:Acquirer-eu:EUR`. */
export const accountName = ({ account, connectionId, currency }: Omit<Posting, "minorUnits">): string =>
  `${accountParents[account]}:${accountPart(connectionId)}:${currency}`

/**
 * A connection's id as a part of an account name, which begins with a capital letter or a digit and has letters, digits and
 * dashes. No two ids have the same: an underscore is `-5F`, a dot `-2E`, a dash that would be read as one of these `-2D`, and
 * an id that begins with a capital letter follows `0-2D`.
 */
const accountPart = (connectionId: string): string => {
  const first = connectionId.slice(0, 1)
  const rest = connectionId
    .slice(1)
    .replaceAll(/[._]|-(?=2D|2E|5F)/gu, (one) => `-${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return /[A-Z]/u.test(first) ? `0-2D${first}${rest}` : `${first.toUpperCase()}${rest}`
}

const subjects: Readonly<Record<JournalSubject, string>> = {
  capture: "Capture",
  capture_failed: "Capture failed",
  capture_corrected: "Captured amount corrected",
  refund: "Refund",
  refund_failed: "Refund failed",
  recorded: "Recorded without an event",
  report_charge: "Report: charge",
  report_charge_failed: "Report: charge failed",
  report_refund: "Report: refund",
  report_refund_failed: "Report: refund failed",
  report_dispute: "Report: dispute",
  report_dispute_reversed: "Report: dispute reversed",
  report_fee: "Report: fee",
  report_payout: "Report: payout",
  report_payout_failed: "Report: payout failed",
  report_adjustment: "Report: adjustment"
}

/** What a file begins with: the columns of a CSV, and the plugin with which Beancount opens accounts at their first use. */
export const journalHeader = (format: JournalFormat): string => {
  switch (format) {
    case "beancount":
      return 'plugin "beancount.plugins.auto_accounts"\n\n'
    case "ledger":
      return ""
    case "csv":
      return csvRow(columns)
  }
}

const columns = [
  "date",
  "transaction_id",
  "subject",
  "account",
  "connection",
  "amount",
  "currency",
  "payment_id",
  "reference",
  "payout_id",
  "occurred",
  "recorded"
]

export const transactionText = (transaction: JournalTransaction, format: JournalFormat): string => {
  switch (format) {
    case "beancount":
      return beancount(transaction)
    case "ledger":
      return ledger(transaction)
    case "csv":
      return csv(transaction)
  }
}

const dateOf = (at: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))
const timeOf = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

/** What is said of a transaction beside its postings, by name. */
const details = ({ id, occurredAt, payoutId, paymentId, recordedAt, reference }: JournalTransaction) =>
  Object.entries({
    id,
    payment: paymentId,
    reference,
    payout: payoutId,
    occurred: timeOf(occurredAt),
    recorded: timeOf(recordedAt)
  }).flatMap(([name, value]) => (value === null ? [] : [[name, oneLine(value)] as const]))

/** A text of others, without what would end its line. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")

const amountOf = (posting: Posting): string => `${decimalText(posting)} ${posting.currency}`

const beancount = (transaction: JournalTransaction): string => {
  const quoted = (text: string) => `"${text.replaceAll(/["\\]/gu, "\\$&")}"`
  const meta = details(transaction).map(([name, value]) => `  ${name}: ${quoted(value)}`)
  const postings = transaction.postings.map((posting) => `  ${accountName(posting)}  ${amountOf(posting)}`)
  const head = `${dateOf(transaction.at)} * ${quoted(subjects[transaction.subject])}`
  return `${[head, ...meta, ...postings].join("\n")}\n\n`
}

const ledger = (transaction: JournalTransaction): string => {
  const meta = details(transaction).map(([name, value]) => `    ; ${name}: ${value}`)
  const postings = transaction.postings.map((posting) => `    ${accountName(posting)}  ${amountOf(posting)}`)
  const head = `${dateOf(transaction.at)} * ${subjects[transaction.subject]}`
  return `${[head, ...meta, ...postings].join("\n")}\n\n`
}

const csv = (transaction: JournalTransaction): string => {
  const { at, id, occurredAt, payoutId, paymentId, recordedAt, reference, subject } = transaction
  return transaction.postings
    .map((posting) =>
      csvRow([
        dateOf(at),
        csvField(id),
        subject,
        accountName(posting),
        csvField(posting.connectionId),
        // A negative amount is a number, and not a formula.
        decimalText(posting),
        posting.currency,
        paymentId ?? "",
        csvField(reference ?? ""),
        csvField(payoutId ?? ""),
        timeOf(occurredAt),
        timeOf(recordedAt)
      ])
    )
    .join("")
}
