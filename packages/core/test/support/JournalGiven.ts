/** Payments, events and rows of reports for tests of the journal. */
import {
  type Event,
  type JournalTransaction,
  type Payment,
  type PostedMovement,
  type SettlementEntry,
  statusOf
} from "@pointsman/core"
import { tenant } from "./World.ts"

export const paymentId = "01a1fe08-9226-7266-a33a-e3e7f1609a4e"

/** 3 November 2026, 12:00 UTC. */
export const noon = Date.UTC(2026, 10, 3, 12)
export const day = 24 * 60 * 60_000

export const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

/** An automatic payment over 1000 EUR cents at `main`, which took nothing yet. */
export const payment = (over: Partial<Payment> = {}): Payment => ({
  id: paymentId,
  tenant,
  version: 1,
  state: "Captured",
  money: eur(1000),
  country: "NL",
  method: "card",
  cardBrand: null,
  initiator: "cit",
  captureMethod: "automatic",
  reference: "order-1",
  metadata: null,
  purchase: null,
  declineCategory: null,
  declineReason: null,
  authorizedMinor: 0,
  capturedMinor: 0,
  refundedMinor: 0,
  refundPendingMinor: 0,
  connectionId: "main",
  providerRef: "ch_1",
  idempotencyKey: null,
  hosted: null,
  routing: null,
  simulation: null,
  reported: null,
  review: null,
  createdAt: noon,
  updatedAt: noon,
  settledAt: null,
  ...over
})

/** The events of a payment, a second apart, with ids in their order. */
export const events = (...told: ReadonlyArray<readonly [Event["type"], Event["data"]?]>): ReadonlyArray<Event> =>
  told.map(([type, data], index) => ({
    id: `evt_${index + 1}`,
    type,
    paymentId,
    createdAt: noon + index * 1_000,
    data: { payment_id: paymentId, payment_status: statusOf.Captured, amount: 1000, currency: "EUR", ...data }
  }))

export const refunded = (refundId: string, total: number, data: Event["data"] = {}): Event["data"] => ({
  refund_id: refundId,
  refunded_total: total,
  ...data
})

/** A charge of 1000 EUR cents that is reported two days later, without a fee. */
export const row = (over: Partial<PostedMovement> = {}): PostedMovement => ({
  connectionId: "main",
  rowId: "bt_1",
  kind: "charge",
  paymentId,
  refundId: null,
  gross: eur(1000),
  converted: null,
  fee: null,
  net: null,
  payoutId: null,
  occurredAt: noon + 60_000,
  recordedAt: noon + 2 * day,
  ...over
})

/** As it is stored: matched by an id, and not corrected. */
export const entry = (over: Partial<SettlementEntry> = {}): SettlementEntry => ({
  ...row(),
  ...{ tenant, runId: "rec_1", number: 1, generatedAt: 0, result: "matched", reason: "by_id", disputeId: null },
  ...{ providerRef: null, names: null, settledAt: null, corrected: null, expected: null },
  ...{ suggestedPaymentId: null, openedAt: null, closed: null },
  ...over
})

/** `receivable EUR 1000` for each posting. */
export const lines = ({ postings }: Pick<JournalTransaction, "postings">): ReadonlyArray<string> =>
  postings.map(({ account, currency, minorUnits }) => `${account} ${currency} ${minorUnits}`)

/** What the accounts have in the end: those that are not 0, by account and currency. */
export const balances = (transactions: ReadonlyArray<JournalTransaction>): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {}
  for (const { account, currency, minorUnits } of transactions.flatMap(({ postings }) => postings)) {
    const key = `${account} ${currency}`
    sums[key] = (sums[key] ?? 0) + minorUnits
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0))
}
