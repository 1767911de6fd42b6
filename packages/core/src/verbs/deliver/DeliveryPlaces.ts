/**
 * How many attempts may begin: `atOnce` that are not slow, and `atOnceWithSlow` in all. So an endpoint that hangs keeps a
 * place for its first second, and the rest of its time-out is nobody else's. What has ended keeps its place until it is
 * recorded, however long that takes: a slow store is not given more to record.
 */
import type { DeliverySettings } from "../../ports/DeliverySettings.ts"

export const makePlaces = ({
  atOnce,
  atOnceWithSlow,
  slowAfterMillis
}: Pick<DeliverySettings, "atOnce" | "atOnceWithSlow" | "slowAfterMillis">) => {
  /** By the deliveries' ids, when each attempt began, in epoch milliseconds; the oldest first. */
  const underWay = new Map<string, number>()
  let unrecorded = 0

  return {
    take: (deliveryId: string, now: number): void => {
      // A second attempt, whose first was considered lost, is at the end.
      underWay.delete(deliveryId)
      underWay.set(deliveryId, now)
    },
    /** It has no result that will be recorded. */
    leave: (deliveryId: string): void => {
      underWay.delete(deliveryId)
    },
    end: (deliveryId: string): void => {
      underWay.delete(deliveryId)
      unrecorded += 1
    },
    recorded: (count: number): void => {
      unrecorded -= count
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
      const taken = underWay.size + unrecorded
      return {
        free: Math.max(0, Math.min(atOnce - (taken - slow), atOnceWithSlow - taken)),
        moreAfterMillis: taken < atOnceWithSlow ? next : Number.POSITIVE_INFINITY
      }
    }
  }
}
