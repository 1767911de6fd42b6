/** Times as people and programs write them: an RFC 3339 time, or a date, which is its first moment in UTC. */
import { Schema, SchemaGetter } from "effect"

export const momentExpected = "a date such as 2027-01-31, which begins in UTC, or an RFC 3339 time"

const shape = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))?$/u

/** Epoch milliseconds; `undefined` for another text. */
export const readMoment = (text: string): number | undefined => {
  const upper = text.toUpperCase()
  const millis = Date.parse(upper)
  if (!shape.test(upper) || Number.isNaN(millis)) return undefined
  // `Date` takes 30 February for 1 March.
  const date = upper.slice(0, 10)
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date) ? millis : undefined
}

export const Moment = Schema.String.check(
  Schema.makeFilter((text: string) => readMoment(text) !== undefined, { expected: momentExpected })
).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text: string) => readMoment(text) ?? Number.NaN),
    encode: SchemaGetter.transform((millis: number) => new Date(millis).toISOString())
  })
)
