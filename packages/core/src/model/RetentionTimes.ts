/** For how long the store keeps what has ended. */

/** 24 hours, in milliseconds. */
const day = 24 * 60 * 60_000
/** The longest: nothing leaves early because of a leap year. In milliseconds. */
export const retentionYearMillis = 366 * day

/** For how long each kind is kept, in milliseconds; `null`: for good. */
export interface RetentionTimes {
  /** Deliveries of webhooks that have ended, from their creation. */
  readonly deliveriesMillis: number | null
  /** Bodies of providers' messages, from their receipt. */
  readonly messagesMillis: number | null
  /** Closed payments, from the last write of each. */
  readonly paymentsMillis: number | null
  /** By workspace, where it differs from `paymentsMillis`. */
  readonly paymentsOfWorkspace: ReadonlyMap<string, number | null>
}

export const defaultRetention: RetentionTimes = {
  deliveriesMillis: 90 * day,
  messagesMillis: 90 * day,
  paymentsMillis: 7 * retentionYearMillis,
  paymentsOfWorkspace: new Map()
}

/**
 * The shortest, in milliseconds. A message about a charge of the last 30 days that is not stored declares a loss of
 * records, and operators have to see what a provider wrote about it.
 */
export const leastRetentionMillis = 90 * day
/** A delivery takes up to 28 hours, and an operator may ask for it again in the days after. In milliseconds. */
export const leastDeliveryRetentionMillis = 7 * day

/**
 * For how long a customer may dispute a charge, in milliseconds: 540 days from the transaction for some reasons at Visa
 * and Mastercard, and less elsewhere (https://docs.adyen.com/risk-management/understanding-disputes/dispute-timeframes).
 */
export const disputeWindowMillis = 540 * day

export const paymentRetentionOf = (times: RetentionTimes, workspaceId: string): number | null =>
  times.paymentsOfWorkspace.get(workspaceId) === undefined
    ? times.paymentsMillis
    : (times.paymentsOfWorkspace.get(workspaceId) ?? null)
