/** Every code for a refusal: as the direct answer, as what a lookup finds, and as a message tells it. */

import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { type DeclineCategory, unmappedDecline } from "@pointsman/core/connector"
import { Effect, Redacted } from "effect"
import { declines } from "../src/Declines.ts"
import { connected, eur, sample } from "./Calls.ts"
import { signed } from "./Signing.ts"
import { answer, decline, event, failure, list, paymentIntent } from "./Stripe.ts"

type Row = readonly [code: string, category: DeclineCategory, soft: boolean]

/** https://docs.stripe.com/declines/codes, in its order. */
const documented: ReadonlyArray<Row> = [
  ["approve_with_id", "do_not_honor", true],
  ["call_issuer", "do_not_honor", true],
  ["card_not_supported", "not_permitted", false],
  ["card_velocity_exceeded", "limit_exceeded", true],
  ["currency_not_supported", "not_permitted", false],
  ["do_not_honor", "do_not_honor", true],
  ["do_not_try_again", "do_not_honor", false],
  ["duplicate_transaction", "invalid_request", false],
  ["expired_card", "expired_card", false],
  ["fraudulent", "suspected_fraud", false],
  ["generic_decline", "do_not_honor", true],
  ["incorrect_address", "invalid_card", false],
  ["incorrect_cvc", "invalid_card", false],
  ["incorrect_number", "invalid_card", false],
  ["incorrect_pin", "authentication_failed", false],
  ["incorrect_zip", "invalid_card", false],
  ["insufficient_funds", "insufficient_funds", false],
  ["invalid_account", "invalid_card", false],
  ["invalid_amount", "limit_exceeded", true],
  ["invalid_cvc", "invalid_card", false],
  ["invalid_expiry_month", "invalid_card", false],
  ["invalid_expiry_year", "invalid_card", false],
  ["invalid_number", "invalid_card", false],
  ["invalid_pin", "authentication_failed", false],
  ["issuer_not_available", "issuer_unavailable", true],
  ["lost_card", "lost_or_stolen", false],
  ["merchant_blacklist", "suspected_fraud", false],
  ["new_account_information_available", "invalid_card", false],
  ["no_action_taken", "do_not_honor", true],
  ["not_permitted", "not_permitted", false],
  ["offline_pin_required", "authentication_failed", false],
  ["online_or_offline_pin_required", "authentication_failed", false],
  ["pickup_card", "lost_or_stolen", false],
  ["pin_try_exceeded", "authentication_failed", false],
  ["processing_error", "issuer_unavailable", true],
  ["reenter_transaction", "issuer_unavailable", true],
  ["restricted_card", "lost_or_stolen", false],
  ["revocation_of_all_authorizations", "not_permitted", false],
  ["revocation_of_authorization", "not_permitted", false],
  ["security_violation", "suspected_fraud", false],
  ["service_not_allowed", "not_permitted", false],
  ["stolen_card", "lost_or_stolen", false],
  ["stop_payment_order", "not_permitted", false],
  ["testmode_decline", "invalid_request", false],
  ["transaction_not_allowed", "not_permitted", false],
  ["try_again_later", "issuer_unavailable", true],
  ["withdrawal_count_limit_exceeded", "limit_exceeded", true],
  // Nobody's yet.
  ["a_code_of_tomorrow", "other", false],
  ["constructor", "other", false]
]

/** https://docs.stripe.com/error-codes, for a payment method without decline codes. */
const byErrorCode: ReadonlyArray<Row> = [
  ["account_closed", "invalid_card", false],
  ["card_decline_rate_limit_exceeded", "limit_exceeded", false],
  ["card_declined", "do_not_honor", true],
  ["debit_not_authorized", "not_permitted", false],
  ["expired_card", "expired_card", false],
  ["payment_intent_authentication_failure", "authentication_failed", false],
  ["payment_method_bank_account_blocked", "not_permitted", false],
  ["payment_method_customer_decline", "cancelled_by_customer", false],
  ["payment_method_provider_decline", "do_not_honor", true],
  ["payment_intent_payment_attempt_failed", "other", false]
]

const providerRef = paymentIntent().id
const secret = "whsec_0123456789"

const failed = (error: Readonly<Record<string, unknown>>) =>
  paymentIntent({ status: "requires_payment_method", last_payment_error: { type: "card_error", ...error } })

describe("declines", () => {
  for (const [code, category, soft] of documented) {
    itRuns(`${code} in any way is ${category}, ${soft ? "soft" : "hard"}`, function* () {
      const { normalized } = (Object.hasOwn(declines, code) ? declines[code] : undefined) ?? unmappedDecline
      const expected = { _tag: "Declined", providerRef, category, normalized, code, soft }
      const error = { code: "card_declined", decline_code: code }
      const { connector } = connected([decline(code), answer(200, list([failed(error)]))])
      assert.deepStrictEqual<unknown>(yield* connector.charge(sample.charge), expected)
      assert.deepStrictEqual<unknown>(yield* connector.lookUpCharge(sample.lookUpCharge), {
        _tag: "Found",
        state: expected
      })
      const text = JSON.stringify(event("payment_intent.payment_failed", failed(error)))
      const receivedAt = 1_700_000_000_000
      const message = { ...signed(text, secret, receivedAt), secret: Redacted.make(secret), receivedAt }
      const told = yield* connector.readMessage?.(message) ?? Effect.die("no messages")
      assert.strictEqual(told.about._tag, "Charge")
      if (told.about._tag === "Charge") assert.deepStrictEqual<unknown>(told.about.state(eur), expected)
    })
  }
  for (const [code, category, soft] of byErrorCode) {
    itRuns(`the error ${code} without a code is ${category}, ${soft ? "soft" : "hard"}`, function* () {
      const { connector } = connected([decline("", {}, { code, decline_code: null })])
      const { normalized } = (Object.hasOwn(declines, code) ? declines[code] : undefined) ?? unmappedDecline
      const expected = { _tag: "Declined", providerRef, category, normalized, code, soft }
      assert.deepStrictEqual<unknown>(yield* connector.charge(sample.charge), expected)
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
      const { connector } = connected([decline("", {}, { code, decline_code: declineCode })])
      assert.deepStrictEqual<unknown>(yield* connector.charge(sample.charge), { _tag: "NeedsCustomer", providerRef })
    })
  }

  for (const [code, normalized] of [
    ["lost_card", "lost_card"],
    ["invalid_cvc", "incorrect_cvc"],
    ["stop_payment_order", "authorization_revoked"],
    ["duplicate_transaction", "duplicate_transaction"],
    ["a_code_of_tomorrow", "other"]
  ] as const) {
    itRuns(`the normalized code of ${code} is ${normalized}`, function* () {
      const state = yield* connected([decline(code)]).connector.charge(sample.charge)
      assert.propertyVal(state, "normalized", normalized)
    })
  }

  itRuns("the network's advice never to try again makes a soft code hard", function* () {
    const { connector } = connected([decline("do_not_honor", {}, { advice_code: "do_not_try_again" })])
    const state = yield* connector.charge(sample.charge)
    assert.deepStrictEqual(state, {
      ...{ _tag: "Declined", providerRef, category: "do_not_honor", code: "do_not_honor", soft: false },
      normalized: "do_not_try_again"
    })
  })

  itRuns("a refusal without any code is other, and hard", function* () {
    const { connector } = connected([decline("", {}, { code: null, decline_code: null })])
    const expected = {
      _tag: "Declined",
      providerRef,
      category: "other",
      normalized: "other",
      code: "no_code",
      soft: false
    }
    assert.deepStrictEqual<unknown>(yield* connector.charge(sample.charge), expected)
  })

  itRuns("a card error that names no payment is Declined without a reference", function* () {
    const { connector } = connected([failure(402, { type: "card_error", code: "expired_card" })])
    const state = yield* connector.charge(sample.charge)
    assert.deepStrictEqual(state, {
      ...{
        _tag: "Declined",
        providerRef: null,
        category: "expired_card",
        normalized: "expired_card",
        code: "expired_card",
        soft: false
      }
    })
  })

  for (const status of ["succeeded", "processing", "requires_capture", "of_tomorrow"]) {
    itRuns(`a card error of a payment that is ${status} is Unanswered: it may have been made`, function* () {
      const { connector } = connected([decline("do_not_honor", { status })])
      assert.strictEqual((yield* Effect.flip(connector.charge(sample.charge)))._tag, "pointsman/Unanswered")
    })
  }
})
