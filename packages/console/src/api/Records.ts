/** What the API of all areas shares: pages and their cursors, and times as people and programs write them, in UTC. */
import { InProcess } from "@pointsman/http"
import { Result, Schema, SchemaGetter } from "effect"
import { Base64Url } from "effect/encoding"

export const described = (description: string) => ({ description })
export const Text = Schema.String
export const TextOrNull = Schema.NullOr(Schema.String)

/** RFC 3339, of epoch milliseconds. */
export const timeOrNull = (at: number | null): string | null => (at === null ? null : InProcess.timeView(at))

/** `next`: the cursor of the next page; `null` on the last one. */
export const pageView = <Item>(data: ReadonlyArray<Item>, next: string | null) => ({
  data,
  has_more: next !== null,
  next_cursor: next
})

/** The cursor of lists that are continued from the id of their last item, or from where a search ended. */
export const nextId = <Item extends { readonly id: string }>(page: {
  readonly hasMore: boolean
  readonly items: ReadonlyArray<Item>
  readonly walkedTo?: string
}): string | null => (page.hasMore ? (page.walkedTo ?? page.items.at(-1)?.id ?? null) : null)

/** In lists in the order of a time and two ids, which may be a provider's and hold anything. Epoch milliseconds. */
type Place = readonly [at: number, first: string, second: string]

const readPlace = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Tuple([Schema.Int, Schema.String, Schema.String]))
)

export const cursorOfPlace = (place: Place): string => Base64Url.encode(JSON.stringify(place))

/** `undefined` for a text that is no cursor. */
export const placeOfCursor = (cursor: string): Place | undefined =>
  Result.match(Result.flatMap(Base64Url.decodeString(cursor), readPlace), {
    onFailure: () => undefined,
    onSuccess: (place) => place
  })

export const momentExpected = "a UTC date or time, such as 2027-01-31 or 2027-01-31T18:00:00Z"

const shape = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)?$/u

/** Epoch milliseconds; `undefined` for another text. */
export const readMoment = (text: string): number | undefined => {
  const at = shape.test(text) ? Date.parse(text) : Number.NaN
  // The parser takes 31 February for 3 March.
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10))
  return isDay ? at : undefined
}

/** A date is its first moment. */
export const Moment = Schema.String.check(
  Schema.makeFilter((text: string) => readMoment(text) !== undefined, { expected: momentExpected })
).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text: string) => readMoment(text) ?? Number.NaN),
    encode: SchemaGetter.transform((millis: number) => new Date(millis).toISOString())
  })
)
