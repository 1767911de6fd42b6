/** The fee of one payment. */
export interface Fee {
  /** Whole minor units of the payment's currency; a half is rounded up. */
  readonly feeMinor: number
  /** The place of its rule among the connection's, from 1. */
  readonly rule: number
}

/** What `auto` weighed of a candidate, where its objective is value. Integers. */
export interface RouteValue {
  /** `null` where the fee is unknown. */
  readonly fee: Fee | null
  /** The expected approval rate, in parts per million: that of the best score, less what this candidate gives up. */
  readonly approvalPpm: number
  /** Approval × (amount − fee), in millionths of a minor unit; `null` where the fee is unknown. */
  readonly expectedMicros: number | null
}
