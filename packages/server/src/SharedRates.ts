/**
 * Rates that all processes of an installation count together. Pure but for the buckets that it keeps.
 *
 * No request waits for the others, and none is refused because they cannot
 * be asked. Each process takes from buckets of its own, and reports in the background how much it took; what it
 * receives back is how much all of them left. While it receives nothing, its own buckets fill up and are a limit by
 * themselves.
 */

/** What was taken of a bucket since the last report. */
export interface Taking {
  readonly bucket: string
  readonly taken: number
  /** What a bucket of twice as much fills up with in a second. */
  readonly per_second: number
}

/** What is left of it to everybody; below 0 where more was taken than there was. */
export interface Level {
  readonly bucket: string
  readonly tokens: number
}

interface Bucket {
  readonly perSecond: number
  /** As this process knows it, `taken` included. */
  tokens: number
  /** Epoch milliseconds at which it was so. */
  at: number
  taken: number
}

export interface SharedRates {
  /** Takes so many at the time `now`, one unless set, or gives the milliseconds until there are as many. */
  readonly take: (bucket: string, perSecond: number, now: number, tokens?: number) => number | undefined
  /** All that was taken and not told yet. From here on it counts as told. */
  readonly takings: () => ReadonlyArray<Taking>
  /** What came back at the time `now`. */
  readonly learn: (levels: ReadonlyArray<Level>, now: number) => void
}

export const makeSharedRates = (): SharedRates => {
  // As many as there are API keys and connections: only what is known to exist is counted.
  const buckets = new Map<string, Bucket>()
  return {
    take: (name, perSecond, now, tokens = 1) => {
      const full = 2 * perSecond
      const bucket = buckets.get(name) ?? { perSecond, tokens: full, at: now, taken: 0 }
      buckets.set(name, bucket)
      bucket.tokens = Math.min(full, bucket.tokens + (Math.max(0, now - bucket.at) * perSecond) / 1000)
      bucket.at = now
      if (bucket.tokens < tokens) return ((tokens - bucket.tokens) * 1000) / perSecond
      bucket.tokens -= tokens
      bucket.taken += tokens
      return undefined
    },
    takings: () => {
      const takings: Array<Taking> = []
      for (const [name, bucket] of buckets) {
        if (bucket.taken === 0) continue
        takings.push({ bucket: name, taken: bucket.taken, per_second: bucket.perSecond })
        bucket.taken = 0
      }
      return takings
    },
    learn: (levels, now) => {
      for (const level of levels) {
        const bucket = buckets.get(level.bucket)
        if (bucket === undefined) continue
        // Those that were taken while the word was under way are not among what it counts.
        bucket.tokens = level.tokens - bucket.taken
        bucket.at = now
      }
    }
  }
}
