/**
 * Times as reports write them: `2026-01-06 00:00:30`, with a full stop and milliseconds, with a `T`, or with slashes; with an
 * offset, or in a time zone that another column or the provider's documentation names.
 */
import { DateTime, Option } from "effect"

const form =
  /^([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?\s?(Z|[+-][0-9]{2}:?[0-9]{2})?$/u

/**
 * Abbreviations of time zones, in minutes before UTC: Adyen writes them beside a time, and says that they are the code of the
 * account's setting ("BST, CET, CEST, etc.", https://docs.adyen.com/reporting/time-zone-setting). An abbreviation that several
 * countries use is that of the largest of Adyen's markets: `CST` of the United States, `IST` of India.
 */
const abbreviations: ReadonlyMap<string, number> = new Map([
  ["UTC", 0],
  ["GMT", 0],
  ["WET", 0],
  ["WEST", 60],
  ["BST", 60],
  ["CET", 60],
  ["CEST", 120],
  ["EET", 120],
  ["EEST", 180],
  ["MSK", 180],
  ["GST", 240],
  ["IST", 330],
  ["SGT", 480],
  ["HKT", 480],
  ["AWST", 480],
  ["JST", 540],
  ["KST", 540],
  ["ACST", 570],
  ["ACDT", 630],
  ["AEST", 600],
  ["AEDT", 660],
  ["NZST", 720],
  ["NZDT", 780],
  ["BRT", -180],
  ["ART", -180],
  ["EDT", -240],
  ["EST", -300],
  ["CDT", -300],
  ["CST", -360],
  ["MDT", -360],
  ["MST", -420],
  ["PDT", -420],
  ["PST", -480],
  ["HST", -600]
])

const minute = 60_000
const hour = 3_600_000

/** The offsets of a zone by the hour of its clock: a report covers some thousand hours, and each costs a search. */
const offsets = new Map<string, number | undefined>()
const offsetsAtMost = 10_000

/** How far the clock of `zone` is before UTC, in milliseconds, when it shows `wall`. `undefined`: no known time zone. */
const offsetOf = (zone: string, wall: number): number | undefined => {
  const known = abbreviations.get(zone)
  if (known !== undefined) return known * minute
  // A name of three letters is an abbreviation that is not in the table, whatever the platform takes it for.
  if (!zone.includes("/") || zone.length > 64) return undefined
  const full = wall - (wall % hour)
  const key = `${zone} ${full}`
  if (offsets.has(key)) return offsets.get(key)
  const instant = DateTime.makeZoned(full, { timeZone: zone, adjustForTimeZone: true })
  const offset = Option.isSome(instant) ? full - DateTime.toEpochMillis(instant.value) : undefined
  if (offsets.size >= offsetsAtMost) offsets.clear()
  offsets.set(key, offset)
  return offset
}

const offsetIn = (text: string): number => {
  if (text === "Z") return 0
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))
  return (text.startsWith("-") ? -minutes : minutes) * minute
}

/**
 * Epoch milliseconds. `zone`: an abbreviation or an IANA name, for a time without an offset; of an hour that the clock shows
 * twice, the first. `undefined` for what is no time, and for an unknown zone.
 */
export const timeOf = (text: string, zone = "UTC"): number | undefined => {
  const [, year, month, day, hours = "0", minutes = "0", seconds = "0", fraction = "", offset] = form.exec(text) ?? []
  if (year === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const wall =
    Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes), Number(seconds)) +
    Number(fraction.slice(0, 3).padEnd(3, "0"))
  // `Date.UTC` takes the 31st of February for a day of March.
  if (!Number.isFinite(wall) || new Date(wall).getUTCDate() !== Number(day) || Number(month) > 12) return undefined
  const before = offset === undefined ? offsetOf(zone, wall) : offsetIn(offset)
  return before === undefined ? undefined : wall - before
}
