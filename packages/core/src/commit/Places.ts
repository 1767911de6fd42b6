/**
 * How much of the background's work may begin: `atOnce` that is not slow, and `atOnceWithSlow` in all. So a receiver or a
 * provider that hangs keeps a place for its first second, and the rest of its time-out is nobody else's. A delivery that
 * has ended keeps its place until it is recorded, however long that takes: a slow store is not given more to record.
 */
export interface PlacesSettings {
  readonly atOnce: number
  readonly atOnceWithSlow: number
  readonly slowAfterMillis: number
}

export const makePlaces = <Key>({ atOnce, atOnceWithSlow, slowAfterMillis }: PlacesSettings) => {
  /** When each began, in epoch milliseconds; the oldest first. */
  const underWay = new Map<Key, number>()
  let unrecorded = 0

  return {
    take: (key: Key, now: number): void => {
      // A second attempt, whose first was considered lost, is at the end.
      underWay.delete(key)
      underWay.set(key, now)
    },
    /** It has no result that will be recorded. */
    leave: (key: Key): void => {
      underWay.delete(key)
    },
    end: (key: Key): void => {
      underWay.delete(key)
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
