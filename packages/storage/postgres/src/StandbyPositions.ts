/**
 * Which moment a standby shows. The primary says at which position of its log it is, once a second; a standby that has
 * replayed up to that position shows everything that was committed by the moment at which the primary was asked. No clock
 * of either server is read, and an idle primary makes no standby look old.
 */
export interface Position {
  /** When the primary was asked, by `performance.now()`. */
  readonly at: number
  /** Bytes of the log. */
  readonly lsn: bigint
  /** System identifier and timeline: positions of two timelines do not compare. */
  readonly timeline: string
}

export interface StandbyPositions {
  readonly add: (position: Position) => void
  readonly latest: () => Position | undefined
  /** The newest moment that a standby of the latest timeline shows; `undefined` where it is older than all that is kept. */
  readonly momentOf: (lsn: bigint) => number | undefined
}

/** `keepMillis`: an older moment is not asked for. */
export const makePositions = (keepMillis: number): StandbyPositions => {
  let positions: ReadonlyArray<Position> = []
  return {
    add: (position) => {
      const kept = positions.filter(({ at, timeline }) => {
        return timeline === position.timeline && position.at - at <= keepMillis
      })
      positions = [...kept, position]
    },
    latest: () => positions.at(-1),
    momentOf: (lsn) => positions.findLast((position) => position.lsn <= lsn)?.at
  }
}
