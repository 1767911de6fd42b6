import { Option } from "effect"

export const momentExpected = 'a UTC date or time such as "2027-01-31" or "2027-01-31T18:00:00Z"'

const shape = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)?$/u

/** Epoch milliseconds of a date (its first moment, UTC) or a time in UTC; nothing for another text. */
export const readMoment = (text: string): Option.Option<number> => {
  const at = shape.test(text) ? Date.parse(text) : Number.NaN
  // The parser takes 31 February for 3 March.
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10))
  return isDay ? Option.some(at) : Option.none()
}
