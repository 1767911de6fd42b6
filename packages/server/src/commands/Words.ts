/** Words, times and amounts as the commands print them. */
import { amountText, scaleOf } from "@pointsman/core/internal"
import { DateTime } from "effect"

/** RFC 3339, UTC, milliseconds. */
export const timeOf = (epochMillis: number): string => DateTime.formatIso(DateTime.makeUnsafe(epochMillis))

export const timeOrNull = (epochMillis: number | null): string | null =>
  epochMillis === null ? null : timeOf(epochMillis)

/** `GivenUp` is `given_up` on the wire. */
export const wireWord = (name: string): string =>
  name.replace(/[A-Z]/gu, (letter, at: number) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`)

/** `1 payment`, `2 payments`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`

/** How long ago, in the two largest units that it has: `3 d 4 h`. */
export const ageOf = (sinceMillis: number, nowMillis: number): string => {
  const seconds = Math.max(0, Math.floor((nowMillis - sinceMillis) / 1000))
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"]
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  return (first < 0 ? parts.slice(3) : parts.slice(first, first + 2))
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ")
}

/** Amounts for people: `€19.99`. With the spaces that an operator types and searches for, and not those that do not break. */
export const moneyText = (minorUnits: number, currency: string): string =>
  // The currencies of another server's answer may be more than this program knows.
  scaleOf(currency) === undefined
    ? `${minorUnits} ${currency} in minor units`
    : amountText({ minorUnits, currency }, "en").replaceAll("\u00A0", " ")

/**
 * What providers and merchants wrote may hold anything, and a terminal obeys control characters: each becomes a `?`.
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "?")

// How `pointsman` is called where this process was started, so that a printed command can be copied.

/** npm names the script that it runs; in a clone of the repository, the script `pointsman` is the only way. */
export const commandName = ({ npm_lifecycle_event: script }: Readonly<Record<string, string | undefined>>): string => {
  if (script === undefined) return "pointsman"
  return script === "pointsman" ? "npm run pointsman --" : "npx pointsman"
}
