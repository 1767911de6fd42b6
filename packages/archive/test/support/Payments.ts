/** Closed payments to archive. */
import type { Dispute, Payment, SettlementEntry, Tenant } from "@pointsman/core"
import type { WholePayment } from "@pointsman/core/ports"
import { payment as openPayment } from "../../../core/test/support/JournalGiven.ts"

export const acme: Tenant = { workspaceId: "acme", environment: "production" }

/** A lower-case UUIDv7 of the time. */
export const idAt = (epochMillis: number, number: number): string => {
  const time = epochMillis.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, "0")}`
}

export const march = Date.UTC(2019, 2, 14)

export interface PaymentChange extends Partial<Payment> {
  readonly number: number
  readonly at?: number
}

/** Captured and refunded in part, with an attempt whose checkout is sealed and operations that have stored answers. */
export const closedPayment = ({ at = march, number, ...change }: PaymentChange): WholePayment => {
  const id = idAt(at, number)
  const payment = openPayment({
    id,
    tenant: acme,
    version: 5,
    state: "PartiallyRefunded",
    cardBrand: "visa",
    captureMethod: "manual",
    reference: `order-${number} \ud800 "quoted"\nline`,
    metadata: { customer: "José" },
    authorizedMinor: 1_000,
    capturedMinor: 900,
    refundedMinor: 100,
    connectionId: "psp",
    providerRef: `ref-${number}`,
    idempotencyKey: `key-${number}`,
    hosted: {
      tokenHash: "secret-token-hash",
      returnUrl: "https://shop.example/return",
      cancelUrl: null,
      expiresAt: at + 1
    },
    createdAt: at,
    updatedAt: at + 5_000,
    settledAt: at + 1_000,
    ...change
  })
  const call = {
    claimedBy: null,
    paymentId: id,
    connectionId: "psp",
    timeoutMillis: 30_000,
    sentAt: at,
    answeredAt: at + 100,
    code: null
  } as const
  const { money } = payment
  return {
    book: {
      payment,
      attempts: [
        {
          ...call,
          id: `att_${number}`,
          number: 1,
          account: null,
          money,
          outcome: "CheckoutOpened",
          providerRef: `ref-${number}`,
          declineCategory: null,
          reason: null,
          checkout: { reference: "cs_1", sealedUrl: "sealed-checkout-url", expiresAt: at + 1 }
        }
      ],
      operations: [
        {
          ...call,
          id: `op_${number}`,
          kind: "capture",
          idempotencyKey: null,
          requestedMinor: 900,
          money: { ...money, minorUnits: 900 },
          providerRef: `ref-${number}`,
          outcome: "Confirmed",
          reason: null,
          reply: { _tag: "Done", payment }
        }
      ],
      refunds: [
        {
          ...call,
          id: `rf_${number}`,
          origin: "api",
          stage: "Succeeded",
          money: { ...money, minorUnits: 100 },
          requestedMinor: 100,
          reason: "broken",
          idempotencyKey: null,
          providerRef: `ref-${number}`,
          providerRefundId: `re-${number}`,
          settledAt: at + 5_000,
          failureReason: null,
          reply: { _tag: "Done", payment }
        }
      ]
    },
    events: [
      { id: `evt_${idAt(at, number)}`, type: "payment.created", paymentId: id, createdAt: at, data: { amount: 1_000 } },
      { id: `evt_${idAt(at + 1, number)}`, type: "payment.captured", paymentId: id, createdAt: at + 1, data: {} }
    ]
  }
}

/** The payment with a dispute that was lost. */
export const withDispute = (whole: WholePayment): WholePayment => {
  const { attempts, payment } = whole.book
  const { createdAt: at, id: paymentId, money } = payment
  const dispute: Dispute = {
    ...{
      id: `dp_${paymentId}`,
      paymentId,
      attemptId: attempts[0]?.id ?? "",
      connectionId: "psp",
      providerRef: "ref",
      names: null
    },
    ...{ providerDisputeId: "du_1", status: "lost", money, reason: "fraudulent", providerReason: "10.4" },
    ...{ evidenceDueBy: at + 9, evidenceSubmittedAt: null, remindedDays: null, evidence: null },
    ...{ submissions: [], createdAt: at + 7, updatedAt: at + 8, checkAt: null }
  }
  return { ...whole, disputes: [dispute] }
}

/** The payment with a row of a report for each id. */
export const withSettlements = (whole: WholePayment, rowIds: ReadonlyArray<string>): WholePayment => {
  const { createdAt: at, id: paymentId, money, tenant } = whole.book.payment
  const settlements = rowIds.map(
    (rowId, number): SettlementEntry => ({
      ...{ tenant, connectionId: "psp", rowId, runId: "rec_1", number: number + 1, generatedAt: 0, kind: "charge" },
      ...{
        result: "matched",
        reason: "by_id",
        paymentId,
        suggestedPaymentId: null,
        refundId: null,
        disputeId: null,
        providerRef: "ref",
        names: null
      },
      ...{ gross: money, converted: null, fee: null, net: null, payoutId: "po_1", occurredAt: at, settledAt: null },
      ...{ recordedAt: at, corrected: null, expected: null, openedAt: null, closed: null }
    })
  )
  return { ...whole, settlements }
}

/** As it is read from the archive: without what is not archived. */
export const asRead = ({ book, ...rest }: WholePayment): WholePayment => ({
  ...rest,
  book: {
    payment: {
      ...book.payment,
      hosted: book.payment.hosted === null ? null : { ...book.payment.hosted, tokenHash: "" }
    },
    attempts: book.attempts.map((attempt) => ({
      ...attempt,
      checkout: attempt.checkout === null ? null : { ...attempt.checkout, sealedUrl: "" }
    })),
    operations: book.operations.map((operation) => ({ ...operation, reply: null })),
    refunds: book.refunds.map((refund) => ({ ...refund, reply: null }))
  }
})
