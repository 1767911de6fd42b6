/**
 * How much of the background's work may begin: `atOnce` that is not slow, and `atOnceWithSlow` in all. So a receiver or
 * a provider that hangs keeps a place for its first second, and the rest of its time-out blocks no other call. A
 * delivery that has ended gives its place away before it is recorded, so that the store writes while others are sent.
 * At most `atOnce` more than the places may wait for their record: a slow store is not given more.
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
    underWay: (): number => underWay.size,
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
      const fast = underWay.size - slow
      const taken = underWay.size + unrecorded
      return {
        free: Math.max(0, Math.min(atOnce - fast, 2 * atOnce - fast - unrecorded, atOnceWithSlow - taken)),
        moreAfterMillis: taken < atOnceWithSlow ? next : Number.POSITIVE_INFINITY
      }
    }
  }
}
