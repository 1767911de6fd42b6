/** From the parsed body of a create to core's request, with the defaults of the API applied. */
import { type Caller, type CreateRequest, kindOfMethod, type Purchase } from "@pointsman/core"
import { Effect, Result, Schema } from "effect"
import { CreatePayment } from "./api/CreatePayment.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { createExpectations, validationError, validationErrorOf } from "./Expectations.ts"

const decode = Schema.decodeUnknownResult(CreatePayment, { errors: "all" })

/** `hasPages`: there are hosted pages, so that `return_url` can be taken. */
export const decodeCreate = (
  body: unknown,
  { tenant, workspace }: Pick<Caller, "tenant" | "workspace">,
  idempotencyKey: string | null,
  hasPages: boolean
): Effect.Effect<CreateRequest, ErrorBody<"validation_error">> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return Effect.fail(validationErrorOf("the body must be a JSON object"))
  }
  const decoded = decode(body)
  if (Result.isFailure(decoded)) return Effect.fail(validationError(decoded.failure.issue, createExpectations))
  const request = decoded.success
  if (request.simulate !== undefined && tenant.environment !== "sandbox") {
    return Effect.fail(validationErrorOf("`simulate` requires a sandbox key"))
  }
  if (request.simulate !== undefined && request.return_url !== undefined && workspace.hostedPage === "provider") {
    return Effect.fail(
      validationErrorOf(
        "`simulate` cannot be combined with `return_url`: pages of this workspace lead to the provider's"
      )
    )
  }
  if (request.return_url !== undefined && request.instruments !== undefined) {
    return Effect.fail(
      validationErrorOf("`instruments` cannot be combined with `return_url`: the customer pays on the hosted page")
    )
  }
  if (request.return_url !== undefined && !hasPages) {
    return Effect.fail(
      validationErrorOf("`return_url` must be absent: the hosted payment flow is not available on this server")
    )
  }
  const { payment_method } = request
  const kind = payment_method === undefined ? "card" : kindOfMethod(payment_method)
  if (payment_method !== undefined && request.method !== undefined && request.method !== kind) {
    return Effect.fail(
      validationErrorOf(`\`method\` is ${request.method}: expected ${kind} for \`payment_method\` ${payment_method}`)
    )
  }
  const { description = null, lines = null, locale = null, metadata = null } = request
  const total = lines?.reduce((sum, line) => sum + line.amount, 0) ?? request.amount
  if (total !== request.amount) {
    return Effect.fail(validationErrorOf(`\`lines\` add up to ${total}: expected \`amount\`, ${request.amount}`))
  }
  const names = metadata === null ? 0 : Object.keys(metadata).length
  return Effect.succeed({
    details: {
      money: { minorUnits: request.amount, currency: request.currency },
      country: request.country,
      method: request.method ?? kind,
      ...(payment_method === undefined ? {} : { paymentMethod: payment_method }),
      cardBrand: request.card_brand ?? null,
      initiator: request.initiator ?? "cit",
      captureMethod: request.capture_method ?? "automatic",
      reference: request.reference ?? null,
      metadata: names === 0 ? null : metadata,
      purchase: purchaseOf(description, locale, lines),
      simulation: request.simulate ?? null
    },
    instruments: request.instruments?.map(({ connection, token }) => ({ connectionId: connection, token })) ?? null,
    idempotencyKey,
    returnUrl: request.return_url ?? null,
    cancelUrl: request.cancel_url ?? null,
    debug: request.debug ?? false
  })
}

/** `null` where the create named nothing of it. */
const purchaseOf = (
  description: string | null,
  locale: string | null,
  lines: CreatePayment["lines"] | null
): Purchase | null => {
  if (description === null && locale === null && lines === null) return null
  return {
    description,
    locale,
    lines: lines?.map(({ amount, name, quantity }) => ({ name, quantity, amountMinor: amount })) ?? null
  }
}
