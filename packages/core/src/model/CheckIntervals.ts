/** All in milliseconds. */
export interface CheckIntervals {
  /** Between two checks of an `UNKNOWN` payment, after those at 1 and 5 minutes. */
  readonly unknownMillis: number
  /** Between two checks of an accepted `PENDING` payment on its first day; daily from then on. */
  readonly pendingMillis: number
  /** Between two checks of refunds that are accepted or unknown. */
  readonly refundMillis: number
  /** How often requests are looked for that died mid-call. */
  readonly deadRequestMillis: number
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export const defaultCheckIntervals: CheckIntervals = {
  unknownMillis: 30 * minute,
  pendingMillis: hour,
  refundMillis: day,
  deadRequestMillis: day
}
