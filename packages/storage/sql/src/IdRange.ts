/** Payments of a time by their ids, which begin with the time at which they were drawn: no index of times is needed. */
import type { PaymentFilter } from "@pointsman/core/ports"
import { afterAll } from "./Columns.ts"

/**
 * By how much an id's time may differ from the payment's: clocks are corrected, and ids never go back. An hour of
 * payments is read in vain at each end; the payment's own time decides. Milliseconds.
 */
const slackMillis = 60 * 60_000

/** Ids from `from` on, and smaller than `before`. */
export interface IdRange {
  readonly from: string
  readonly before: string
}

export const idRangeOf = ({
  before = afterAll,
  createdBefore,
  createdFrom
}: Pick<PaymentFilter, "createdFrom" | "createdBefore"> & { readonly before?: string | undefined }): IdRange => {
  const end = createdBefore === undefined ? afterAll : startOf(createdBefore + slackMillis)
  return {
    from: createdFrom === undefined ? "" : startOf(createdFrom - slackMillis),
    before: end < before ? end : before
  }
}

/** The start of all UUIDv7 of a millisecond (RFC 9562, section 5.7). */
const startOf = (epochMillis: number): string => {
  const bounded = Math.min(Math.max(0, Math.trunc(epochMillis)), 2 ** 48 - 1)
  const digits = bounded.toString(16).padStart(12, "0")
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}
