/**
 * The books of a provider: what it executed, for whom, and how often it was asked. They are the truth that the API is
 * held against, so they lie outside every server that is killed.
 *
 * The rule that makes them a witness: nothing is recognized as asked before. A request that is sent twice charges twice
 * here.
 */

export type ChargeStatus = "pending" | "authorized" | "capturing" | "canceling" | "captured" | "canceled" | "declined"
export type RefundStatus = "pending" | "succeeded" | "failed"

export interface ChargeEntry {
  readonly attemptId: string
  readonly paymentId: string
  readonly connection: string
  /** The merchant's own name of the order. */
  readonly reference: string
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  status: ChargeStatus
  /** Minor units. */
  capturedAmount: number
  /** Why it was declined. */
  decline?: { readonly code: string; readonly category: string; readonly soft: boolean } | undefined
}

export interface RefundEntry {
  readonly refundId: string
  readonly paymentId: string
  /** The merchant's own name of the refund. */
  readonly reason: string
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  status: RefundStatus
}

/** A capture or a void that was executed, or accepted to be. */
export interface OperationEntry {
  readonly operationId: string
  readonly paymentId: string
  readonly kind: "capture" | "void"
  /** Minor units. */
  readonly amount: number
}

export interface Books {
  /** In the order of execution. */
  readonly charges: Array<ChargeEntry>
  readonly operations: Array<OperationEntry>
  readonly refunds: Array<RefundEntry>
  /** How often it was asked to do what an attempt, an operation or a refund is; lookups do not count. */
  readonly asked: Map<string, number>
}

export const emptyBooks = (): Books => ({ charges: [], operations: [], refunds: [], asked: new Map() })

/** The statuses of a charge that holds the customer's money, or took it. */
export const holdsMoney = ({ status }: ChargeEntry): boolean =>
  status === "authorized" || status === "capturing" || status === "canceling" || status === "captured"

export const referenceOf = ({ attemptId }: Pick<ChargeEntry, "attemptId">): string => `ch_${attemptId}`

/** Minor units of a payment that are neither given back nor on their way. */
export const leftOf = ({ refunds }: Books, { capturedAmount, paymentId }: ChargeEntry): number =>
  refunds
    .filter((refund) => refund.paymentId === paymentId && refund.status !== "failed")
    .reduce((left, { amount }) => left - amount, capturedAmount)

/** A Charge of the provider protocol. */
export const chargeView = (charge: ChargeEntry) => ({
  provider_reference: referenceOf(charge),
  status: charge.status === "capturing" || charge.status === "canceling" ? "pending" : charge.status,
  captured_amount: charge.capturedAmount,
  amount: charge.amount,
  currency: charge.currency,
  ...(charge.decline === undefined ? {} : { decline: charge.decline })
})

/** A Refund of the provider protocol. */
export const refundView = ({ amount, currency, refundId, status }: RefundEntry) => ({
  provider_refund_id: `re_${refundId}`,
  status,
  amount,
  currency,
  ...(status === "failed" ? { failure_reason: "closed_account" } : {})
})
