/** Lists are read in pages: a limit, a cursor that is the last id of the page before, and whether there is more. */
import { Schema, SchemaGetter } from "effect"

export const pageLimits = { minimum: 1, maximum: 100, default: 50 } as const

export const pageOf = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    data: Schema.Array(item),
    has_more: Schema.Boolean,
    /** The last id of this page when there is more, else null. */
    next_cursor: Schema.NullOr(Schema.String)
  })

/** Rows at most; 50 when absent. Digits alone: `1e1` and `+5` are no limits. */
export const Limit = Schema.String.check(Schema.isPattern(/^[0-9]{1,9}$/u)).pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: pageLimits.minimum, maximum: pageLimits.maximum })), {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  })
)

const uuid = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

/** Ids are compared as text, and written in lower case. */
const cursor = (pattern: string) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^${pattern}$`, "u"))).pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => text.toLowerCase()),
      encode: SchemaGetter.transform((text: string) => text)
    })
  )

export const PaymentCursor = cursor(uuid)
export const EventCursor = cursor(`evt_${uuid}`)
