/** How often a connection's reports are fetched, as the configuration file says it. */
import type { Connector } from "@pointsman/core/ports"
import { Option } from "effect"
import type { Mistake } from "./Mistake.ts"
import { readDuration } from "./TimeText.ts"

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
