/** How the payments that are due are shared among connections. */
import type { DueQuery } from "@pointsman/core/ports"

/** In the column of the connection that a check asks: it asks none. */
export const asksNone = ""

export const connectionAsked = (stored: string): string | null => (stored === asksNone ? null : stored)

export interface Room {
  readonly connectionId: string | null
  /** How many of its payments may be taken, at least 1. */
  readonly room: number
  readonly underWay: number
}

/**
 * The connections to take from, of those with something due, which come in the order of their first. Those with the
 * fewest under way are the first; as each has one payment at least, no more than `limit` are needed.
 */
export const roomOf = (
  waiting: ReadonlyArray<string | null>,
  { limit, limitPerConnection, underWay }: DueQuery
): ReadonlyArray<Room> =>
  waiting
    .map((connectionId) => {
      const begun = underWay.get(connectionId) ?? 0
      return { connectionId, room: Math.min(limit, limitPerConnection - begun), underWay: begun }
    })
    .filter(({ room }) => room > 0)
    .sort((a, b) => a.underWay - b.underWay)
    .slice(0, limit)
