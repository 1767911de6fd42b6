/** Times, durations and schedules as the configuration file says them. */
import type { Connector } from "@pointsman/core/ports"
import { Duration, Option } from "effect"
import type { Mistake } from "./DecodeFile.ts"

export const durationExpected = 'a duration such as "30 seconds" or "15 minutes"'

/** Node's timers count in 31 bits of milliseconds; a longer one would fire at once. */
const longestMillis = 24 * 24 * 3_600_000

/** Whole milliseconds of a text such as "30 seconds"; nothing for another text, or for none or too much time. */
export const readDuration = (text: string): Option.Option<number> => {
  const millis = readDelay(text)
  return Option.filter(millis, (value) => value >= 1)
}

/** As `readDuration`, and "0 seconds" is taken too. */
export const readDelay = (text: string): Option.Option<number> =>
  Duration.fromInput(text as Duration.Input).pipe(
    Option.map((duration) => Duration.toMillis(duration)),
    Option.filter((millis) => Number.isInteger(millis) && millis >= 0 && millis <= longestMillis)
  )

export const momentExpected = 'a UTC date or time such as "2027-01-31" or "2027-01-31T18:00:00Z"'

const shape = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)?$/u

/** Epoch milliseconds of a date (its first moment, UTC) or a time in UTC; nothing for another text. */
export const readMoment = (text: string): Option.Option<number> => {
  const at = shape.test(text) ? Date.parse(text) : Number.NaN
  // The parser takes 31 February for 3 March.
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10))
  return isDay ? Option.some(at) : Option.none()
}

// How often a connection's reports are fetched.

/** In milliseconds: a provider lists its rows an hour late, and the first fetch goes back for seven days. */
const leastMillis = 60 * 60_000
const mostMillis = 7 * 24 * 60 * 60_000

export const everyExpected = 'a duration from "1 hour" to "7 days", such as "6 hours"'

/** Milliseconds; nothing for a text that is not `everyExpected`. */
export const readEvery = (text: string): Option.Option<number> =>
  Option.filter(readDuration(text), (millis) => millis >= leastMillis && millis <= mostMillis)

/** `path`: of `reports`. A connection whose reports come in files alone has no schedule. */
export const checkReports = (
  { reports = [] }: Pick<Connector, "reports">,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<Mistake> => {
  const [first] = reports
  if (first === undefined) {
    return [{ path, message: "expected only where the connector fetches reports: read them from files here" }]
  }
  if (reports.some(({ missing }) => missing === undefined)) return []
  return [{ path, message: `expected credentials that allow it: ${first.missing}` }]
}
