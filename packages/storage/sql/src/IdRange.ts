/** Payments of a time by their ids, which begin with the time at which they were drawn: no index of times is needed. */
import { idsFrom } from "@pointsman/core/internal"
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
  const end = createdBefore === undefined ? afterAll : idsFrom(createdBefore + slackMillis)
  return {
    from: createdFrom === undefined ? "" : idsFrom(createdFrom - slackMillis),
    before: end < before ? end : before
  }
}
