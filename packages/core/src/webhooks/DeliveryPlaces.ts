/**
 * How many attempts may begin: `atOnce` that are not slow, and `atOnceWithSlow` in all. So an endpoint that hangs keeps a
 * place for its first second, and the rest of its time-out is nobody else's.
 */
import type { DeliverySettings } from "./DeliverySettings.ts"

export const makePlaces = ({
  atOnce,
  atOnceWithSlow,
  slowAfterMillis
}: Pick<DeliverySettings, "atOnce" | "atOnceWithSlow" | "slowAfterMillis">) => {
  /** By the deliveries' ids, when each attempt began, in epoch milliseconds; the oldest first. */
  const underWay = new Map<string, number>()

  return {
    take: (deliveryId: string, now: number): void => {
      // A second attempt, of which the first was taken for lost, stands at the end.
      underWay.delete(deliveryId)
      underWay.set(deliveryId, now)
    },
    leave: (deliveryId: string): void => {
      underWay.delete(deliveryId)
    },
    /** `moreAfterMillis`: when the next one becomes slow; `Infinity` where that frees nothing. */
    at: (now: number): { readonly free: number; readonly moreAfterMillis: number } => {
      let slow = 0
      let next = Number.POSITIVE_INFINITY
      for (const begun of underWay.values()) {
        if (now - begun < slowAfterMillis) {
          next = begun + slowAfterMillis - now
          break
        }
        slow++
      }
      return {
        free: Math.max(0, Math.min(atOnce - (underWay.size - slow), atOnceWithSlow - underWay.size)),
        moreAfterMillis: underWay.size < atOnceWithSlow ? next : Number.POSITIVE_INFINITY
      }
    }
  }
}
