/** Lists are read in pages: a limit, a cursor that is the last id of the page before, and whether there is more. */
import { Schema, SchemaGetter } from "effect"
import { documented } from "./Documented.ts"

export const pageLimits = { minimum: 1, maximum: 100, default: 50 } as const

export const pageOf = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    data: Schema.Array(item).annotateKey(documented("The items of this page.", { maxItems: pageLimits.maximum })),
    has_more: Schema.Boolean.annotateKey(documented("Whether another page follows.")),
    next_cursor: Schema.NullOr(Schema.String).annotateKey(
      documented("The cursor of the next page: the last id of this page, or null on the last page.")
    )
  })

/** Rows at most; 50 when absent. Digits alone: `1e1` and `+5` are no limits. */
export const Limit = Schema.String.check(Schema.isPattern(/^[0-9]{1,9}$/u)).pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: pageLimits.minimum, maximum: pageLimits.maximum })), {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  })
)

/** The parameter `limit` of every list. */
export const limitParameter = Schema.optionalKey(Limit).annotateKey(
  documented("Maximum number of items.", { type: "integer", ...pageLimits })
)

/** Ids are compared as text, and written in lower case. */
const cursor = (pattern: RegExp) =>
  Schema.String.check(Schema.isPattern(pattern)).pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => text.toLowerCase()),
      encode: SchemaGetter.transform((text: string) => text)
    })
  )

const uuid = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u
const eventUuid = /^evt_[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u
const disputeUuid = /^dp_[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u
const merchantUuid = /^mer_[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u

export const PaymentCursor = cursor(uuid)
export const EventCursor = cursor(eventUuid)
export const DisputeCursor = cursor(disputeUuid)
export const MerchantCursor = cursor(merchantUuid)

const beforeMeaning = "Cursor: the `next_cursor` of the previous page. Returns older items."
const afterMeaning = "Cursor: an event id, such as `next_cursor`. Returns newer events, oldest first."
const eventId = { examples: ["evt_01a1fe08-9226-7266-a33a-e3e7f1609a4e"] }

export const beforePayment = Schema.optionalKey(PaymentCursor).annotateKey(
  documented(beforeMeaning, { examples: ["01a1fe08-9226-7266-a33a-e3e7f1609a4e"] })
)
export const beforeMerchant = Schema.optionalKey(MerchantCursor).annotateKey(
  documented(beforeMeaning, { examples: ["mer_01a1fe08-9226-7266-a33a-e3e7f1609a4e"] })
)
export const beforeDispute = Schema.optionalKey(DisputeCursor).annotateKey(
  documented(beforeMeaning, { examples: ["dp_01a1fe0c-51d3-7e0a-9b6f-3c7d8e9f0a1b"] })
)
export const beforeEvent = Schema.optionalKey(EventCursor).annotateKey(documented(beforeMeaning, eventId))
export const afterEvent = Schema.optionalKey(EventCursor).annotateKey(documented(afterMeaning, eventId))
