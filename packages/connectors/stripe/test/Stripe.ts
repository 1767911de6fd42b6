/**
 * Stripe's answers and events, in the shapes that its documentation shows (https://docs.stripe.com/api), with the fields
 * that nobody reads left out or left at what they mostly are.
 */
import { answering } from "@pointsman/contracts/connector"
import type { TransportAnswer } from "@pointsman/core/connector"

export const secretKey = "sk_test_0123456789abcdefghijklmn"

export type Fields = Readonly<Record<string, unknown>>

export const answer = answering({ "content-type": "application/json", "stripe-version": "2026-10-28.endive" })

/** https://docs.stripe.com/api/payment_intents/object */
export const paymentIntent = (fields: Fields = {}) => ({
  id: "pi_3MtwBwLkdIwHu7ix28a3tqPa",
  object: "payment_intent",
  amount: 1234,
  amount_capturable: 0,
  amount_received: 0,
  capture_method: "automatic",
  client_secret: "pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH",
  created: 1680800504,
  currency: "eur",
  last_payment_error: null,
  latest_charge: null,
  livemode: false,
  metadata: { attempt_id: "att_1" },
  status: "succeeded",
  ...fields
})

/** https://docs.stripe.com/api/checkout/sessions/object */
export const session = (fields: Fields = {}) => ({
  id: "cs_test_a11YYufWQzNY63zpQ6QSNRQhkUpVph4WRmzW0zWJO2znZKdVujZ0N0S22u",
  object: "checkout.session",
  amount_total: 1234,
  created: 1679600215,
  currency: "eur",
  expires_at: 1679603815,
  livemode: false,
  metadata: { attempt_id: "att_1" },
  mode: "payment",
  payment_intent: null,
  payment_status: "unpaid",
  status: "open",
  url: "https://checkout.stripe.com/c/pay/cs_test_a11YYufWQzNY63zpQ6QSNRQhkUpVph4WRmzW0zWJO2znZKdVujZ0N0S22u#fid",
  ...fields
})

/** https://docs.stripe.com/api/charges/object */
export const charge = (fields: Fields = {}) => ({
  id: "ch_3MtwBwLkdIwHu7ix0p8kGvZ4",
  object: "charge",
  amount: 1234,
  amount_captured: 1234,
  amount_refunded: 0,
  captured: true,
  created: 1680800504,
  currency: "eur",
  livemode: false,
  metadata: { attempt_id: "att_1" },
  payment_intent: "pi_3MtwBwLkdIwHu7ix28a3tqPa",
  status: "succeeded",
  ...fields
})

/** https://docs.stripe.com/api/accounts/object */
export const account = (fields: Fields = {}) => ({
  id: "acct_1Nv0FGQ9RKHgCVdK",
  object: "account",
  email: "jenny.rosen@example.com",
  ...fields
})

/** https://docs.stripe.com/api/refunds/object */
export const refund = (fields: Fields = {}) => ({
  id: "re_1Nispe2eZvKYlo2Cd31jOCgZ",
  object: "refund",
  amount: 1234,
  created: 1692942318,
  currency: "eur",
  metadata: { refund_id: "rf_1", attempt_id: "att_1" },
  payment_intent: "pi_3MtwBwLkdIwHu7ix28a3tqPa",
  reason: null,
  status: "succeeded",
  ...fields
})

/** https://docs.stripe.com/api/disputes/object */
export const dispute = (fields: Fields = {}) => ({
  id: "du_1MtJUT2eZvKYlo2CNaw2HvEv",
  object: "dispute",
  amount: 1234,
  charge: "ch_1AZtxr2eZvKYlo2CJDX8whov",
  created: 1680651737,
  currency: "eur",
  livemode: false,
  metadata: {},
  payment_intent: "pi_3MtwBwLkdIwHu7ix28a3tqPa",
  reason: "general",
  status: "needs_response",
  ...fields
})

/** https://docs.stripe.com/api/pagination */
export const list = (data: ReadonlyArray<unknown>, hasMore = false, url = "/v1/payment_intents") => ({
  object: "list",
  url,
  has_more: hasMore,
  data
})

export interface Stored {
  readonly id: string
  /** Seconds. */
  readonly created: number
}

/**
 * A page of what is stored, oldest first. The newest come first; `starting_after` goes on with older ones, `ending_before` gives
 * the page right before the named one.
 */
export const paged = (stored: ReadonlyArray<Stored>, url: string): TransportAnswer => {
  const { pathname, searchParams } = new URL(url)
  const [from, before] = [searchParams.get("created[gte]"), searchParams.get("created[lt]") ?? Number.MAX_VALUE]
  const [after, until] = [searchParams.get("starting_after"), searchParams.get("ending_before")]
  const limit = Number(searchParams.get("limit"))
  const all = stored.filter(({ created }) => created >= Number(from) && created < Number(before)).toReversed()
  const at = (id: string) => all.findIndex((entry) => entry.id === id)
  const rest = after !== null ? all.slice(at(after) + 1) : until !== null ? all.slice(0, at(until)) : all
  const data = until === null ? rest.slice(0, limit) : rest.slice(-limit)
  return answer(200, list(data, rest.length > limit, pathname))
}

export const refundList = (data: ReadonlyArray<unknown>, hasMore = false) => list(data, hasMore, "/v1/refunds")

/** https://docs.stripe.com/api/payment_intents/search */
export const searched = (data: ReadonlyArray<unknown>) => ({
  object: "search_result",
  url: "/v1/payment_intents/search",
  has_more: false,
  data
})

/** https://docs.stripe.com/api/errors */
export const failure = (status: number, error: Fields, headers: Readonly<Record<string, string>> = {}) =>
  answer(status, { error: { message: "Stripe's words.", type: "invalid_request_error", ...error } }, headers)

/**
 * The errors of the idempotency layer, as Stripe writes them (https://docs.stripe.com/api/errors,
 * https://docs.stripe.com/api/idempotent_requests): the key was used with other parameters, or at another endpoint, or is
 * in use at this moment.
 */
export const keyReused = (key: string) => {
  const other = `Try using a key other than '${key}' if you meant to execute a different request.`
  return [
    `Keys for idempotent requests can only be used with the same parameters they were first used with. ${other}`,
    `Keys for idempotent requests can only be used for the same endpoint they were first used for. ${other}`,
    `There is currently another in-progress request using this Stripe Idempotency Key: ${key}. Please try again later.`
  ].map((message, at) =>
    at < 2
      ? failure(400, { type: "idempotency_error", message })
      : failure(409, { type: "idempotency_error", code: "idempotency_key_in_use", message })
  )
}

export const doNotHonor = { type: "card_error", code: "card_declined", decline_code: "do_not_honor" }

/** https://docs.stripe.com/api/errors, and https://docs.stripe.com/payments/without-card-authentication for its shape. */
export const decline = (declineCode: string, intent: Fields = {}, error: Fields = {}) => {
  const lastError = {
    code: "card_declined",
    decline_code: declineCode,
    message: "Your card was declined.",
    type: "card_error",
    ...error
  }
  return failure(402, {
    ...lastError,
    payment_intent: paymentIntent({ status: "requires_payment_method", last_payment_error: lastError, ...intent })
  })
}

/** https://docs.stripe.com/api/events/object */
export const event = (type: string, object: unknown, fields: Fields = {}) => ({
  id: "evt_1NG8Du2eZvKYlo2CUI79vXWy",
  object: "event",
  api_version: "2026-10-28.endive",
  created: 1686089970,
  data: { object },
  livemode: false,
  pending_webhooks: 0,
  request: { id: null, idempotency_key: null },
  type,
  ...fields
})
