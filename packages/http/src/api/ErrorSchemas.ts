/** The schemas of the error answers, as endpoints declare them. */
import { Context, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { type ErrorBody, type ErrorCode, errorCodes, paramCodes } from "./Errors.ts"
import { RoutingExclusion } from "./Payment.ts"

/** One schema for each status, because the answer's status is found by its schema. */
export const errors = <const Codes extends ReadonlyArray<ErrorCode>>(
  ...codes: Codes
): ReadonlyArray<Schema.Codec<ErrorBody<Codes[number]>>> =>
  [...Map.groupBy(codes, (code) => errorCodes[code].status)].map(([status, group]) => errorSchema(group, status))

const errorSchema = <Code extends ErrorCode>(
  codes: ReadonlyArray<Code>,
  status: number
): Schema.Codec<ErrorBody<Code>> =>
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literals(codes),
      message: Schema.String,
      ...((codes as ReadonlyArray<ErrorCode>).includes("routing_failed")
        ? { excluded: Schema.optionalKey(Schema.Array(RoutingExclusion)) }
        : {}),
      ...(codes.some((code) => paramCodes.includes(code)) ? { param: Schema.optionalKey(Schema.String) } : {}),
      request_id: Schema.optionalKey(Schema.String),
      doc_url: Schema.optionalKey(Schema.String)
    })
  }).annotate({
    httpApiStatus: status,
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join("\n\n")
    // The optional fields are there or not by the codes, which a struct's type cannot say.
  }) as unknown as Schema.Codec<ErrorBody<Code>>

/** Codes that an endpoint declares with others, by what they share a schema with, and never answers: an annotation. */
export const NeverAnswered = Context.Reference<ReadonlyArray<ErrorCode>>("pointsman/http/NeverAnswered", {
  defaultValue: () => []
})

/** Seconds to wait, as `Retry-After` has them. */
const retryAfter = { "retry-after": Schema.optionalKey(Schema.String) }

/**
 * An answer with headers cannot share its status with another answer of the same endpoint, so all codes of status
 * 429 of an endpoint are in one schema.
 */
export const tooManyRequests = <const Codes extends ReadonlyArray<"rate_limited" | "merchant_limit">>(
  ...codes: Codes
): HttpApiSchema.WithHeaders<Schema.Codec<ErrorBody<Codes[number]>>, Schema.Struct<typeof retryAfter>> =>
  HttpApiSchema.WithHeaders(errorSchema<Codes[number]>(codes, 429), retryAfter)

/** A request that may move money was refused before anything was written or sent; the same one may be sent again. */
export const unavailable: HttpApiSchema.WithHeaders<
  Schema.Codec<ErrorBody<"internal_error">>,
  Schema.Struct<typeof retryAfter>
> = HttpApiSchema.WithHeaders(errorSchema<"internal_error">(["internal_error"], 503), retryAfter)
