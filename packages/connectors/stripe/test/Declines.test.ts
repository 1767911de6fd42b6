/** Every code for a refusal: as the direct answer, as what a lookup finds, and as a message tells it. */

import { assert, describe } from "@effect/vitest"
import { readBy, toldOf } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { Result } from "effect"
import { answersWith, asks, connected, tagOf } from "./Calls.ts"
import { signed } from "./Signing.ts"
import { answer, decline, event, failure, list, paymentIntent } from "./Stripe.ts"

/** https://docs.stripe.com/declines/codes, by category, normalized code and softness. */
const documented: Readonly<Record<string, string>> = {
  "do_not_honor/call_issuer soft": "approve_with_id call_issuer",
  "not_permitted/card_not_supported hard": "card_not_supported",
  "limit_exceeded/limit_exceeded soft": "card_velocity_exceeded",
  "not_permitted/currency_not_supported hard": "currency_not_supported",
  "do_not_honor/do_not_honor soft": "do_not_honor generic_decline no_action_taken",
  "do_not_honor/do_not_try_again hard": "do_not_try_again",
  "invalid_request/duplicate_transaction hard": "duplicate_transaction",
  "expired_card/expired_card hard": "expired_card",
  "suspected_fraud/suspected_fraud hard": "fraudulent security_violation",
  "invalid_card/incorrect_address hard": "incorrect_address incorrect_zip",
  "invalid_card/incorrect_cvc hard": "incorrect_cvc invalid_cvc",
  "invalid_card/incorrect_number hard": "incorrect_number invalid_number",
  "authentication_failed/incorrect_pin hard": "incorrect_pin invalid_pin",
  "insufficient_funds/insufficient_funds hard": "insufficient_funds",
  "invalid_card/invalid_card hard": "invalid_account new_account_information_available",
  "limit_exceeded/amount_limit_exceeded soft": "invalid_amount",
  "invalid_card/incorrect_expiry hard": "invalid_expiry_month invalid_expiry_year",
  "issuer_unavailable/issuer_unavailable soft": "issuer_not_available try_again_later",
  "lost_or_stolen/lost_card hard": "lost_card",
  "suspected_fraud/blocked_by_provider hard": "merchant_blacklist",
  "not_permitted/not_permitted hard": "not_permitted service_not_allowed transaction_not_allowed",
  "authentication_failed/authentication_failed hard": "offline_pin_required online_or_offline_pin_required",
  "lost_or_stolen/lost_or_stolen hard": "pickup_card",
  "authentication_failed/pin_tries_exceeded hard": "pin_try_exceeded",
  "issuer_unavailable/processing_error soft": "processing_error reenter_transaction",
  "lost_or_stolen/restricted_card hard": "restricted_card",
  "not_permitted/authorization_revoked hard":
    "revocation_of_all_authorizations revocation_of_authorization stop_payment_order",
  "lost_or_stolen/stolen_card hard": "stolen_card",
  "invalid_request/invalid_request hard": "testmode_decline",
  "limit_exceeded/count_limit_exceeded soft": "withdrawal_count_limit_exceeded",
  "other/other hard": "a_code_of_tomorrow constructor"
}

/** https://docs.stripe.com/error-codes, for a payment method without decline codes. */
const byErrorCode: Readonly<Record<string, string>> = {
  "invalid_card/account_closed hard": "account_closed",
  "limit_exceeded/count_limit_exceeded hard": "card_decline_rate_limit_exceeded",
  "do_not_honor/do_not_honor soft": "card_declined payment_method_provider_decline",
  "not_permitted/authorization_revoked hard": "debit_not_authorized",
  "expired_card/expired_card hard": "expired_card",
  "authentication_failed/authentication_failed hard": "payment_intent_authentication_failure",
  "not_permitted/not_permitted hard": "payment_method_bank_account_blocked",
  "cancelled_by_customer/cancelled_by_customer hard": "payment_method_customer_decline",
  "other/other hard": "payment_intent_payment_attempt_failed"
}

const each = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).flatMap(([meaning, codes]) => codes.split(" ").map((code) => [code, meaning] as const))

const providerRef = paymentIntent().id
const secret = "whsec_0123456789"

const declined = (code: string, meaning: string, fields: object = {}) => {
  const [category, normalized, softness] = meaning.split(/[/ ]/u)
  return { _tag: "Declined", providerRef, category, normalized, code, soft: softness === "soft", ...fields }
}

describe("declines", () => {
  for (const [code, meaning] of each(documented)) {
    itRuns(`${code} in any way is ${meaning}`, function* () {
      const state = declined(code, meaning)
      yield* answersWith(asks.charge, decline(code), state)
      const error = { type: "card_error", code: "card_declined", decline_code: code }
      const failed = paymentIntent({ status: "requires_payment_method", last_payment_error: error })
      yield* answersWith(asks.lookUpCharge, answer(200, list([failed])), { _tag: "Found", state })
      const raw = signed(JSON.stringify(event("payment_intent.payment_failed", failed)), secret, 1_700_000_000_000)
      const told = Result.getOrThrow(yield* readBy(connected([]).connector, raw, secret, 1_700_000_000_000))
      assert.deepStrictEqual(toldOf(told), { _tag: "Charge", charge: { attemptId: "att_1" }, state })
    })
  }
  for (const [code, meaning] of each(byErrorCode)) {
    itRuns(`the error ${code} without a code is ${meaning}`, function* () {
      yield* answersWith(asks.charge, decline("", {}, { code, decline_code: null }), declined(code, meaning))
    })
  }

  for (const [code, declineCode] of [
    ["authentication_required", "authentication_required"],
    ["authentication_required", "authentication_not_handled"],
    ["card_declined", "authentication_required"],
    ["card_declined", "mobile_device_authentication_required"],
    ["authentication_required", null]
  ] as const) {
    itRuns(`${code} with ${declineCode} is NeedsCustomer`, function* () {
      const given = decline("", {}, { code, decline_code: declineCode })
      yield* answersWith(asks.charge, given, { _tag: "NeedsCustomer", providerRef })
    })
  }

  itRuns("the network's advice never to try again makes a soft code hard", function* () {
    const given = decline("do_not_honor", {}, { advice_code: "do_not_try_again" })
    yield* answersWith(asks.charge, given, declined("do_not_honor", "do_not_honor/do_not_try_again hard"))
  })

  itRuns("a refusal without any code is other, and hard", function* () {
    const given = decline("", {}, { code: null, decline_code: null })
    yield* answersWith(asks.charge, given, declined("no_code", "other/other hard"))
  })

  itRuns("a card error that names no payment is Declined without a reference", function* () {
    const expected = declined("expired_card", "expired_card/expired_card hard", { providerRef: null })
    yield* answersWith(asks.charge, failure(402, { type: "card_error", code: "expired_card" }), expected)
  })

  for (const status of ["succeeded", "processing", "requires_capture", "of_tomorrow"]) {
    itRuns(`a card error of a payment that is ${status} is Unanswered: it may have been made`, function* () {
      assert.strictEqual(yield* tagOf(asks.charge, decline("do_not_honor", { status })), "pointsman/Unanswered")
    })
  }
})
