/** Cursors of lists in the order of a time and two ids, which may be a provider's and hold anything. */
import { Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

/** Epoch milliseconds, and the two ids. */
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
