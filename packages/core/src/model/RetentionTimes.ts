/** For how long the store keeps what has ended. */

/** 24 hours, in milliseconds. */
export const dayMillis = 24 * 60 * 60_000
/** The longest: nothing leaves early because of a leap year. In milliseconds. */
export const yearMillis = 366 * dayMillis

/** For how long each kind is kept, in milliseconds; `null`: for good. */
export interface RetentionTimes {
  /** Closed payments, from the last write of each. */
  readonly payments: number | null
  /** Deliveries of webhooks that have ended, from their creation. */
  readonly deliveries: number | null
  /** Bodies of providers' messages, from their receipt. */
  readonly messages: number | null
}

export const retentionKinds = ["payments", "deliveries", "messages"] as const satisfies ReadonlyArray<
  keyof RetentionTimes
>

export const defaultRetention: RetentionTimes = {
  payments: 7 * yearMillis,
  deliveries: 90 * dayMillis,
  messages: 90 * dayMillis
}

/**
 * The shortest, in milliseconds. A message about a charge of the last 30 days that is not stored declares a loss of
 * records, and operators need the texts of messages for as long. A delivery takes up to 28 hours, and an operator may ask
 * for it again in the days after.
 */
export const leastRetention: Readonly<Record<keyof RetentionTimes, number>> = {
  payments: 90 * dayMillis,
  deliveries: 7 * dayMillis,
  messages: 30 * dayMillis
}

/**
 * For how long a customer may dispute a charge, in milliseconds: 540 days from the transaction for some reasons at Visa
 * and Mastercard, and less elsewhere (https://docs.adyen.com/risk-management/understanding-disputes/dispute-timeframes).
 */
export const disputeWindowMillis = 540 * dayMillis

/** Of a workspace, with the defaults where it names none, and never shorter than the shortest. */
export const retentionOf = ({ retention }: { readonly retention?: Partial<RetentionTimes> }): RetentionTimes => {
  const timeOf = (kind: keyof RetentionTimes) => {
    const named = retention?.[kind]
    const millis = named === undefined ? defaultRetention[kind] : named
    return millis === null ? null : Math.max(millis, leastRetention[kind])
  }
  return { payments: timeOf("payments"), deliveries: timeOf("deliveries"), messages: timeOf("messages") }
}
