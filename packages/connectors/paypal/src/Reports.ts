/**
 * The report `paypal-settlement` from PayPal's API: the transactions that changed the balance, page by page
 * (https://developer.paypal.com/docs/api/transaction-search/v1/). Rows have the ids of PayPal's settlement report.
 *
 * "It takes a maximum of three hours for executed transactions to appear in the list transactions call", so that a window is
 * asked for after that, and only counts once PayPal says that its data is newer (`last_refreshed_datetime`). A transaction that
 * waits, such as a payment by eCheck, changes the balance later than its time says: the settlement report has it, and the list
 * of an earlier window does not.
 */
import {
  type Clean,
  type FetchedReport,
  fieldOf,
  fromJson,
  isSuccess,
  isWireText,
  type ListRequest,
  type ReportEntry,
  type ReportPage,
  type ReportRow,
  type ReportRowKind,
  segment,
  type TransportAnswer,
  Unanswered,
  unreadableRow
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { signedFromPayPal } from "./Amounts.ts"
import { type Read, readable } from "./Answers.ts"
import type { Call } from "./Caller.ts"
import * as Protocol from "./Protocol.ts"

const hour = 60 * 60_000
const day = 24 * hour

/** What PayPal gives at most on a page. */
const rowsOfPage = 500

export const fetchedReports = (call: Call): ReadonlyArray<FetchedReport> => [
  {
    name: "paypal-settlement",
    // A charge has its transaction within three hours; two days, as for the file.
    delayMillis: 2 * day,
    addedWithinMillis: 4 * hour,
    list: Effect.fn("PayPalConnector.reports.settlement")((request) => {
      const path = `/v1/reporting/transactions?${queryOf(request)}`
      return call({ method: "GET", path }, (answer, clean) => pageIn(answer, request, clean))
    })
  }
]

/** Times without milliseconds, and both included. */
const timeText = (millis: number): string => `${new Date(millis).toISOString().slice(0, 19)}Z`

const pageOf = ({ cursor }: ListRequest): number => (cursor === null ? 1 : Number(cursor))

const queryOf = (request: ListRequest): string =>
  [
    ["start_date", timeText(request.createdFrom)],
    ["end_date", timeText(Math.ceil(request.createdBefore / 1_000) * 1_000 - 1_000)],
    ["fields", "transaction_info"],
    ["balance_affecting_records_only", "Y"],
    ["page_size", String(rowsOfPage)],
    ["page", String(pageOf(request))]
  ]
    .map(([name = "", value = ""]) => `${name}=${segment(value)}`)
    .join("&")

const pageIn = (answer: TransportAnswer, request: ListRequest, clean: Clean): Read<ReportPage> => {
  if (!isSuccess(answer)) return Result.fail(refusedOf(answer))
  return Result.flatMap(readable(Protocol.TransactionPage, answer), (page): Read<ReportPage> => {
    const { last_refreshed_datetime: refreshed, total_pages: pages, transaction_details: details = [] } = page
    const number = pageOf(request)
    if (refreshed == null) {
      return Result.fail(new Unanswered({ reason: "PayPal does not say up to when it has listed transactions" }))
    }
    if (Protocol.reportMillis(refreshed) < request.createdBefore) {
      return Result.fail(new Unanswered({ reason: "PayPal has not yet listed all transactions of the window" }))
    }
    return Result.succeed({
      entries: (details ?? []).flatMap((detail, at) => entryOf(detail, at, clean) ?? []),
      nextCursor: number < pages ? String(number + 1) : null
    })
  })
}

/** https://developer.paypal.com/docs/transaction-search/: the app needs the permission "Transaction Search". */
const refusedOf = (answer: TransportAnswer): Unanswered => {
  const { status } = answer
  const failure = fromJson(Protocol.Failure, answer.body)
  const name = Result.isSuccess(failure) ? failure.success.name : undefined
  if (status === 403) {
    const reason =
      'PayPal refuses the transaction search (status 403): select "Transaction Search" for the REST app of ' +
      "credentials.clientId; PayPal takes up to nine hours to allow it"
    return new Unanswered({ reason })
  }
  // https://developer.paypal.com/api/transaction-search/v1/errors/resultset_too_large
  const isTooLarge = name === "RESULTSET_TOO_LARGE"
  const why = isTooLarge ? ": an hour has more transactions than PayPal lists; read their report from a file" : ""
  return new Unanswered({ reason: `PayPal's transaction search responded with status ${status}${why}` })
}

const readTransaction = Schema.decodeUnknownResult(Protocol.TransactionDetail)

/** `undefined` for what moves no money. */
const entryOf = (detail: unknown, at: number, clean: Clean): ReportEntry | undefined => {
  const read = readTransaction(detail)
  if (Result.isFailure(read)) return unreadableRow(at, fieldOf(read.failure), "expected another value")
  const row = rowOf(read.success.transaction_info)
  if (typeof row !== "string" && isWithoutMoney(read.success.transaction_info, row)) return undefined
  if (typeof row === "string") return unreadableRow(at, row, "expected an amount of a known currency")
  return clean.shows(JSON.stringify(row))
    ? unreadableRow(at, "transaction_info", "expected no secret")
    : { _tag: "Row", row }
}

type Transaction = (typeof Protocol.TransactionDetail.Type)["transaction_info"]

/**
 * A denied transaction (`transaction_status`) moved nothing, and neither did an authorization. A pending one may still fail: only
 * money that leaves the balance, and is of no payment, such as a payout that its receiver has not claimed, has left it by then.
 */
const isWithoutMoney = ({ transaction_event_code: code, transaction_status: status }: Transaction, row: ReportRow) =>
  code.startsWith("T13") ||
  status === "D" ||
  (status === "P" && (row.gross.minorUnits >= 0 || !withoutPayment.has(row.kind)))

const withoutPayment: ReadonlySet<ReportRowKind> = new Set(["adjustment", "fee", "payout"])

const rowOf = (transaction: Transaction): ReportRow | string => {
  const { fee_amount, transaction_amount, transaction_id: id } = transaction
  const gross = signedFromPayPal(transaction_amount)
  if (gross === undefined) return "transaction_info.transaction_amount"
  // PayPal writes what it keeps as a negative amount.
  const fee = fee_amount == null ? 0 : signedFromPayPal(fee_amount)
  if (fee === undefined || (fee !== 0 && fee.currency !== gross.currency)) return "transaction_info.fee_amount"
  const { currency, minorUnits } = gross
  const cost = fee === 0 || fee.minorUnits === 0 ? 0 : -fee.minorUnits
  const kind = kindOf(transaction.transaction_event_code, minorUnits < 0)
  return {
    id,
    kind,
    names: namesOf(transaction, kind),
    gross,
    converted: null,
    fee: { minorUnits: cost, currency },
    net: { minorUnits: minorUnits - cost, currency },
    payoutId: kind === "payout" || kind === "payout_failed" ? id : null,
    occurredAt: Protocol.reportMillis(transaction.transaction_initiation_date),
    settledAt: null
  }
}

/**
 * Kinds by the code, or by its group (https://developer.paypal.com/docs/reports/reference/tcodes/), as for the file: where money
 * leaves, and where it comes. What neither names is an adjustment, such as a hold for the time of a dispute.
 */
const kinds: Readonly<Record<string, readonly [leaves: ReportRowKind, comes: ReportRowKind]>> = {
  T1106: ["dispute", "dispute_reversed"],
  T1201: ["dispute", "dispute_reversed"],
  T1202: ["dispute", "dispute_reversed"],
  T1107: ["refund", "refund_failed"],
  T1108: ["fee", "fee"],
  T1109: ["fee", "fee"],
  T1101: ["payout", "payout_failed"],
  T04: ["payout", "payout_failed"],
  T01: ["fee", "fee"],
  T00: ["adjustment", "charge"]
}

const kindOf = (code: string, leaves: boolean): ReportRowKind =>
  (kinds[code] ?? kinds[code.slice(0, 3)])?.[leaves ? 0 : 1] ?? "adjustment"

/** `Requests.ts`: a capture has our attempt as its custom id and our attempt or operation as its invoice, a refund our refund. */
const namesOf = (transaction: Transaction, kind: ReportRowKind): ReportRow["names"] => {
  const { custom_field, invoice_id, paypal_reference_id: reference, paypal_reference_id_type } = transaction
  const texts = [custom_field, invoice_id].flatMap((text) => (isWireText(text) ? [text] : []))
  const ours = (prefix: string) => texts.find((text) => text.startsWith(prefix)) ?? null
  return {
    attemptId: ours("att_"),
    operationId: ours("op_"),
    refundId: ours("rf_"),
    providerRef: paypal_reference_id_type === "ODR" ? (reference ?? null) : null,
    providerRefundId: kind === "refund" ? transaction.transaction_id : null,
    disputeId: null,
    reference: texts.find((text) => !/^(?:att|op|rf)_/u.test(text)) ?? null
  }
}
