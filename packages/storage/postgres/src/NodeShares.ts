/**
 * How many connections the statements of one node hold at most. A node that does not answer keeps each of them until its
 * time is over, and without a share it would soon keep them all from the workspaces of other nodes.
 */
export interface NodeShares {
  /** Calls `start` at once, or when a statement of the node has left. Without a node there is no share. */
  readonly enter: (node: number | undefined, start: () => void) => void
  /** For one that has not started: it never will. */
  readonly withdraw: (node: number | undefined, start: () => void) => void
  /** For one that has started, when its connection is free again. */
  readonly leave: (node: number | undefined) => void
}

interface Share {
  held: number
  /** In the order in which they came. Bounded by their time-outs, as what waits for a connection is. */
  readonly queue: Set<() => void>
}

/** Of all connections: what is left serves other nodes while one is silent, and one that is busy hardly needs more. */
const part = 0.7

export const makeNodeShares = (connections: number): NodeShares => {
  const most = Math.max(1, Math.floor(connections * part))
  /** As many as nodes. */
  const shares = new Map<number, Share>()
  return {
    enter: (node, start) => {
      if (node === undefined) return start()
      const share = shares.get(node) ?? { held: 0, queue: new Set() }
      shares.set(node, share)
      if (share.held >= most) return void share.queue.add(start)
      share.held++
      start()
    },
    withdraw: (node, start) => {
      if (node !== undefined) shares.get(node)?.queue.delete(start)
    },
    leave: (node) => {
      const share = node === undefined ? undefined : shares.get(node)
      if (share === undefined) return
      const [next] = share.queue
      if (next === undefined) return void share.held--
      share.queue.delete(next)
      next()
    }
  }
}
