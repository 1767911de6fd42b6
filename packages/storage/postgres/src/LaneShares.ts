/**
 * How many connections the statements of one lane hold at most: those of a node, or lists. A machine that does not answer
 * keeps each of them until its time is over, and without a share it would soon keep them all from the other lanes.
 */
export interface LaneShares {
  /** Calls `start` at once, or when a statement of the lane has left. Without a lane there is no share. */
  readonly enter: (lane: number | undefined, start: () => void) => void
  /** For one that has not started: it never will. */
  readonly withdraw: (lane: number | undefined, start: () => void) => void
  /** For one that has started, when its connection is free again. */
  readonly leave: (lane: number | undefined) => void
}

interface Share {
  held: number
  /** In the order in which they came. Bounded by their time-outs, as what waits for a connection is. */
  readonly queue: Set<() => void>
}

/**
 * Of all connections: what is left serves other lanes while one is silent, and one that is busy hardly needs more. Two of
 * what is left may wait for the silent machine as well: it is looked at again while the server has not confirmed that the
 * look before is over.
 */
const part = 0.5

export const makeLaneShares = (connections: number): LaneShares => {
  const most = Math.max(1, Math.floor(connections * part))
  /** As many as lanes. */
  const shares = new Map<number, Share>()
  return {
    enter: (lane, start) => {
      if (lane === undefined) return start()
      const share = shares.get(lane) ?? { held: 0, queue: new Set() }
      shares.set(lane, share)
      if (share.held >= most) return void share.queue.add(start)
      share.held++
      start()
    },
    withdraw: (lane, start) => {
      if (lane !== undefined) shares.get(lane)?.queue.delete(start)
    },
    leave: (lane) => {
      const share = lane === undefined ? undefined : shares.get(lane)
      if (share === undefined) return
      const [next] = share.queue
      if (next === undefined) return void share.held--
      share.queue.delete(next)
      next()
    }
  }
}
