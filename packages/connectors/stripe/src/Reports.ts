/**
 * Reports about money from Stripe's API: balance transactions, page by page
 * (https://docs.stripe.com/api/balance_transactions/list), and those of each automatic payout
 * (https://docs.stripe.com/payouts/reconciliation). Rows have the ids of Stripe's itemized reports.
 *
 * Stripe's Reporting API gives the same rows as a file, which is made on demand and read as a whole
 * (https://docs.stripe.com/api/reporting/report_run/create). A list is answered at once, in pages of a bounded size, and
 * leaves nothing behind.
 */
import {
  type Clean,
  type FetchedReport,
  fieldOf,
  isWireText,
  type ListRequest,
  type NotSent,
  type ReportEntry,
  type ReportPage,
  type ReportRow,
  type ReportRowKind,
  type SignedMoney,
  Unanswered,
  unreadableRow
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { signedFromStripe } from "./Amounts.ts"
import { listed, oldestFirst, type Send } from "./Lists.ts"
import * as Protocol from "./Protocol.ts"

const day = 24 * 60 * 60_000

export const fetchedReports = (send: Send, clean: Clean): ReadonlyArray<FetchedReport> => [
  {
    name: "stripe-balance",
    // A charge has its balance transaction at once; a day for methods that confirm later.
    delayMillis: 2 * day,
    list: Effect.fn("StripeConnector.reports.balance")((request) => balancePage(send, request, clean))
  },
  {
    name: "stripe-payout-reconciliation",
    // The first payout of an account comes after 7 to 14 days (https://docs.stripe.com/payouts).
    delayMillis: 14 * day,
    list: Effect.fn("StripeConnector.reports.payouts")((request) => payoutPage(send, request, clean))
  }
]

const transactions = "balance_transactions"
const withSource = ["expand[]", "data.source"] as const

const balancePage = (send: Send, request: ListRequest, clean: Clean) =>
  Effect.map(
    oldestFirst(send, transactions, request, [withSource]),
    ({ entries, nextCursor }): ReportPage => ({
      entries: entries.toReversed().map((entry, at) => entryOf(entry, at, null, clean)),
      nextCursor
    })
  )

/** Rows of the payouts of a window, payout by payout. A cursor is a payout and the last row of it that was read. */
const payoutPage = Effect.fnUntraced(function* (
  send: Send,
  request: ListRequest,
  clean: Clean
): Effect.fn.Return<ReportPage, NotSent | Unanswered> {
  const payouts = yield* payoutsOf(send, request)
  const [id, after = ""] = request.cursor?.split("/") ?? []
  const at = id === undefined ? 0 : payouts.findIndex((payout) => payout.id === id)
  const payout = payouts[at]
  if (payout === undefined) {
    if (id === undefined) return { entries: [], nextCursor: null }
    return yield* new Unanswered({ reason: "a payout is not in Stripe's list any more" })
  }
  const form = [["payout", payout.id], ["limit", "100"], withSource] as const
  const sent = yield* send(transactions, after === "" ? form : [...form, ["starting_after", after]])
  const { entries, hasMore, oldest } = yield* Effect.fromResult(listed(sent, transactions))
  const next = payouts[at + 1]
  return {
    entries: entries.map((entry, place) => entryOf(entry, place, payout, clean)),
    nextCursor: hasMore ? `${payout.id}/${oldest}` : next === undefined ? null : `${next.id}/`
  }
})

const readPayout = Schema.decodeUnknownResult(Protocol.Payout)

/** Oldest first. "Stripe can't identify which transactions are included" in a manual payout: it is left out. */
const payoutsOf = Effect.fnUntraced(function* (send: Send, request: ListRequest) {
  const page = yield* oldestFirst(send, "payouts", { ...request, cursor: null })
  if (page.nextCursor !== null) {
    return yield* new Unanswered({
      reason: "Stripe has more than 100 payouts in an hour; read their report from a file"
    })
  }
  const payouts: Array<Protocol.Payout> = []
  for (const entry of page.entries.toReversed()) {
    const read = readPayout(entry)
    if (Result.isFailure(read)) {
      return yield* new Unanswered({ reason: `a payout of Stripe's cannot be read at ${fieldOf(read.failure)}` })
    }
    const { automatic, reconciliation_status: status } = read.success
    if (automatic && status === "in_progress") {
      return yield* new Unanswered({ reason: "Stripe has not yet listed all transactions of a payout" })
    }
    if (automatic && status === "completed") payouts.push(read.success)
  }
  return payouts
})

/** https://docs.stripe.com/reports/reporting-categories */
const kinds: ReadonlyMap<string, ReportRowKind> = new Map([
  ["charge", "charge"],
  ["charge_failure", "charge_failed"],
  ["partial_capture_reversal", "charge_failed"],
  ["refund", "refund"],
  ["refund_failure", "refund_failed"],
  ["dispute", "dispute"],
  ["dispute_reversal", "dispute_reversed"],
  ["fee", "fee"],
  ["network_cost", "fee"],
  ["payout", "payout"],
  ["payout_reversal", "payout_failed"]
])

const readTransaction = Schema.decodeUnknownResult(Protocol.BalanceTransaction)

/** `at`: its place on the page, from 0. */
const entryOf = (entry: unknown, at: number, payout: Protocol.Payout | null, clean: Clean): ReportEntry => {
  const unreadable = (field: string, reason: string) => unreadableRow(at, field, reason)
  const read = readTransaction(entry)
  if (Result.isFailure(read)) return unreadable(fieldOf(read.failure), "expected a balance transaction of Stripe's")
  const row = rowOf(read.success, payout)
  if (typeof row === "string") return unreadable(row, "expected an amount of a currency of Stripe's")
  if (read.success.amount - read.success.fee !== read.success.net) {
    return unreadable("net", "expected the amount without the fee")
  }
  return clean.shows(JSON.stringify(row)) ? unreadable("source", "it shows a secret") : { _tag: "Row", row }
}

/** The row, or the field whose amount cannot be read. */
const rowOf = (transaction: Protocol.BalanceTransaction, payout: Protocol.Payout | null): ReportRow | string => {
  const { amount, available_on, created, currency, id, reporting_category } = transaction
  const kind = kinds.get(reporting_category) ?? "adjustment"
  const source = transaction.source ?? null
  const settled = signedFromStripe(amount, currency)
  const fee = signedFromStripe(transaction.fee, currency)
  const net = signedFromStripe(transaction.net, currency)
  if (settled === undefined || fee === undefined || net === undefined) return "amount"
  const gross = grossOf(settled, source)
  if (gross === undefined) return "source.amount"
  const isPayout = kind === "payout" || kind === "payout_failed"
  return {
    id,
    kind,
    names: namesOf(kind, source),
    gross,
    converted: gross.currency === settled.currency ? null : settled,
    fee,
    net,
    payoutId: isPayout ? (source?.id ?? null) : (payout?.id ?? null),
    occurredAt: created * 1000,
    settledAt: (payout?.arrival_date ?? available_on) * 1000
  }
}

type Source = Protocol.BalanceTransaction["source"]

/** In the currency of the payment, where that is another one than that of the balance. Its sign is that of the row. */
const grossOf = (settled: SignedMoney, source: Source): SignedMoney | undefined => {
  const code = source?.currency ?? null
  const isOther = code !== null && code.toUpperCase() !== settled.currency
  const amount = source?.amount ?? null
  if (!isOther || amount === null) return settled
  return signedFromStripe(settled.minorUnits < 0 ? -Math.abs(amount) : Math.abs(amount), code)
}

const namesOf = (kind: ReportRowKind, source: Source): ReportRow["names"] => {
  const metadata = source?.metadata ?? {}
  const isRefund = kind === "refund" || kind === "refund_failed"
  const isDispute = kind === "dispute" || kind === "dispute_reversed"
  return {
    attemptId: isRefund || isDispute ? null : textOf(metadata["attempt_id"]),
    operationId: null,
    refundId: isRefund ? textOf(metadata["refund_id"]) : null,
    providerRef: textOf(source?.payment_intent),
    providerRefundId: isRefund ? (source?.id ?? null) : null,
    disputeId: isDispute ? (source?.id ?? null) : null,
    reference: isRefund || isDispute ? null : textOf(metadata["reference"])
  }
}

const textOf = (value: unknown): string | null => (isWireText(value) ? value : null)
