/** The current payment, for programs and for people. Programs get amounts in minor units of its currency. */
import { type Payment, statusOf } from "@pointsman/core"
import { shortened, status, type Text, table } from "./Table.ts"
import { moneyText, timeOf, wireWord } from "./Words.ts"

export const paymentView = (payment: Payment) => ({
  payment_id: payment.id,
  workspace_id: payment.tenant.workspaceId,
  environment: payment.tenant.environment,
  reference: payment.reference,
  status: statusOf[payment.state],
  /** Finer than the status. */
  state: wireWord(payment.state),
  amount: payment.money.minorUnits,
  currency: payment.money.currency,
  authorized_amount: payment.authorizedMinor,
  captured_amount: payment.capturedMinor,
  refunded_amount: payment.refundedMinor,
  refund_pending_amount: payment.refundPendingMinor,
  // No connection is known to hold the money of an unanswered charge: the last one that was asked may.
  connection_id: payment.connectionId ?? payment.routing?.attempts.at(-1)?.connectionId ?? null,
  provider_reference: payment.providerRef,
  created: timeOf(payment.createdAt),
  updated: timeOf(payment.updatedAt)
})

export const paymentsText = (payments: ReadonlyArray<ReturnType<typeof paymentView>>): Text =>
  table(
    ["PAYMENT", "CREATED", "STATUS", "AMOUNT", "CAPTURED", "REFUNDED", "CONNECTION", shortened("REFERENCE")],
    payments.map((one) => [
      one.payment_id,
      one.created,
      status(one.status),
      moneyText(one.amount, one.currency),
      moneyText(one.captured_amount, one.currency),
      moneyText(one.refunded_amount, one.currency),
      one.connection_id,
      one.reference
    ])
  )
