/**
 * The points of one process's life: whatever it does to the outside is one before it and one after it. Which points
 * there are the run itself tells, so a new call in core is a new point without anybody naming it here.
 */

export interface Life {
  /** The points that it came to, in order; where it ended, the last one is the end. */
  readonly points: ReadonlyArray<string>
  /** `true` where the life ends at this point. */
  readonly endsAt: (point: string) => boolean
}

/** A life that ends at its n-th point, counted from 1; `null` for one that goes on. */
export const lifeUntil = (end: number | null): Life => {
  const points: Array<string> = []
  const times = new Map<string, number>()
  return {
    points,
    endsAt: (point) => {
      // Nothing comes after the end.
      if (points.length === end) return false
      const time = (times.get(point) ?? 0) + 1
      times.set(point, time)
      points.push(time === 1 ? point : `${point} (${time})`)
      return points.length === end
    }
  }
}
