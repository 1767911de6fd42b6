/** Core's words and times as the wire has them. */
import { DateTime } from "effect"

/** RFC 3339, UTC, milliseconds. */
export const timeOf = (epochMillis: number): string => DateTime.formatIso(DateTime.makeUnsafe(epochMillis))

export const timeOrNull = (epochMillis: number | null): string | null =>
  epochMillis === null ? null : timeOf(epochMillis)

/** `GivenUp` is `given_up` on the wire. */
export const wireWord = (name: string): string =>
  name.replace(/[A-Z]/gu, (letter, at: number) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`)
