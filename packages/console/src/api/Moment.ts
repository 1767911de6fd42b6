/** Times as people and programs write them, in UTC. A date is its first moment. */
import { Schema, SchemaGetter } from "effect"

export const momentExpected = "a UTC date or time, such as 2027-01-31 or 2027-01-31T18:00:00Z"

const shape = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)?$/u

/** Epoch milliseconds; `undefined` for another text. */
export const readMoment = (text: string): number | undefined => {
  const at = shape.test(text) ? Date.parse(text) : Number.NaN
  // The parser takes 31 February for 3 March.
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10))
  return isDay ? at : undefined
}

export const Moment = Schema.String.check(
  Schema.makeFilter((text: string) => readMoment(text) !== undefined, { expected: momentExpected })
).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text: string) => readMoment(text) ?? Number.NaN),
    encode: SchemaGetter.transform((millis: number) => new Date(millis).toISOString())
  })
)
