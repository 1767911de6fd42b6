/** A time on the command line: a date, a time, or how long ago. */
import { readDuration } from "@pointsman/configuration"
import { DateTime, Option } from "effect"
import { Flag } from "effect/cli"

export const expectedMoment = 'a date (2026-11-01), a time (2026-11-01T09:30:00Z) or an age ("7 days")'

/** A date is its beginning in UTC. */
const withZone = /^(?<date>\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/u

export type Moment = { readonly at: number } | { readonly agoMillis: number }

const readMoment = (text: string): Option.Option<Moment> => {
  const date = withZone.exec(text)?.groups?.["date"]
  if (date !== undefined) {
    // 31 February would be taken for a day in March.
    const isDay = Option.exists(DateTime.make(date), (day) => DateTime.formatIsoDateUtc(day) === date)
    return isDay ? Option.map(DateTime.make(text), (time) => ({ at: DateTime.toEpochMillis(time) })) : Option.none()
  }
  return Option.map(readDuration(text), (agoMillis) => ({ agoMillis }))
}

export const momentFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("time"),
    Flag.withDescription(`${description}: ${expectedMoment}`),
    Flag.filterMap(readMoment, () => expectedMoment)
  )

/** `undefined` for none. */
export const epochMillisIn = (moment: Option.Option<Moment>, now: number): number | undefined =>
  Option.getOrUndefined(Option.map(moment, (one) => epochMillisOf(one, now)))

/** Epoch milliseconds. */
export const epochMillisOf = (moment: Moment, now: number): number =>
  "at" in moment ? moment.at : now - moment.agoMillis
