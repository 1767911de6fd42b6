/**
 * What Stripe's codes for a refused payment mean. Unless an entry says where else, a code and its meaning are from
 * https://docs.stripe.com/declines/codes; a code that is not in the table is `other`, and hard.
 */
import { type DeclineGroup, declineMeaning, declinesOf, type Refusal, unmappedDecline } from "@pointsman/core/connector"

const groups: ReadonlyArray<DeclineGroup> = [
  // The issuer names no reason. `generic_decline` is also what a rule of Radar that blocks looks like.
  { normalized: "call_issuer", codes: "approve_with_id call_issuer" },
  { normalized: "do_not_honor", codes: "do_not_honor generic_decline no_action_taken" },
  // The issuer's "never again".
  { normalized: "do_not_try_again", soft: false, codes: "do_not_try_again" },
  { normalized: "insufficient_funds", codes: "insufficient_funds" },
  { normalized: "limit_exceeded", codes: "card_velocity_exceeded" },
  // "Invalid, or exceeds the amount that's allowed".
  { normalized: "amount_limit_exceeded", codes: "invalid_amount" },
  { normalized: "count_limit_exceeded", codes: "withdrawal_count_limit_exceeded" },
  // "The payment needs to be attempted again."
  { normalized: "issuer_unavailable", codes: "issuer_not_available try_again_later" },
  { normalized: "processing_error", codes: "processing_error reenter_transaction" },
  { normalized: "expired_card", codes: "expired_card" },
  { normalized: "incorrect_address", codes: "incorrect_address incorrect_zip" },
  { normalized: "incorrect_cvc", codes: "incorrect_cvc invalid_cvc" },
  { normalized: "incorrect_number", codes: "incorrect_number invalid_number" },
  { normalized: "incorrect_expiry", codes: "invalid_expiry_month invalid_expiry_year" },
  { normalized: "invalid_card", codes: "invalid_account new_account_information_available" },
  { normalized: "lost_card", codes: "lost_card" },
  // "It's possible it was reported lost or stolen."
  { normalized: "lost_or_stolen", codes: "pickup_card" },
  { normalized: "restricted_card", codes: "restricted_card" },
  { normalized: "stolen_card", codes: "stolen_card" },
  { normalized: "suspected_fraud", codes: "fraudulent security_violation" },
  { normalized: "blocked_by_provider", codes: "merchant_blacklist" },
  { normalized: "incorrect_pin", codes: "incorrect_pin invalid_pin" },
  { normalized: "authentication_failed", codes: "offline_pin_required online_or_offline_pin_required" },
  { normalized: "pin_tries_exceeded", codes: "pin_try_exceeded" },
  { normalized: "card_not_supported", codes: "card_not_supported" },
  { normalized: "currency_not_supported", codes: "currency_not_supported" },
  { normalized: "not_permitted", codes: "not_permitted service_not_allowed transaction_not_allowed" },
  {
    normalized: "authorization_revoked",
    codes: "revocation_of_all_authorizations revocation_of_authorization stop_payment_order"
  },
  // An identical payment was made a moment ago: another provider must not make it a second time.
  { normalized: "duplicate_transaction", codes: "duplicate_transaction" },
  { normalized: "invalid_request", codes: "testmode_decline" },
  // Error codes, where there is no decline code (https://docs.stripe.com/error-codes).
  { normalized: "do_not_honor", codes: "card_declined payment_method_provider_decline" },
  { normalized: "count_limit_exceeded", soft: false, codes: "card_decline_rate_limit_exceeded" },
  { normalized: "authentication_failed", codes: "payment_intent_authentication_failure" },
  { normalized: "not_permitted", codes: "payment_method_bank_account_blocked" },
  { normalized: "cancelled_by_customer", codes: "payment_method_customer_decline" },
  { normalized: "authorization_revoked", codes: "debit_not_authorized" },
  { normalized: "account_closed", codes: "account_closed" }
]

export const declines = declinesOf(groups)

/** The customer must authenticate: by decline code, or by error code on https://docs.stripe.com/error-codes. */
const wantsCustomer: ReadonlySet<string> = new Set([
  "authentication_required",
  // The same, after `error_on_requires_action` (https://docs.stripe.com/payments/without-card-authentication).
  "authentication_not_handled",
  "mobile_device_authentication_required"
])

/** The error of a payment, as an error answer and as `last_payment_error` carry it. */
export interface PaymentError {
  readonly code?: string | null | undefined
  readonly decline_code?: string | null | undefined
  readonly advice_code?: string | null | undefined
}

/** The network's word that this card is never to be charged again. */
const neverAgain = declineMeaning("do_not_try_again", false)

export const refusalOf = ({ advice_code, code, decline_code }: PaymentError): Refusal => {
  const raw = decline_code ?? code ?? "no_code"
  if (wantsCustomer.has(raw) || wantsCustomer.has(code ?? "")) return { _tag: "NeedsCustomer" }
  const decline = declines.get(raw) ?? unmappedDecline
  // The network's advice goes before the table (https://docs.stripe.com/declines/card#retrying-issuer-declines).
  if (advice_code !== "do_not_try_again") return { _tag: "Declined", code: raw, ...decline }
  const isOfNoOtherReason = decline.category === neverAgain.category
  return { _tag: "Declined", code: raw, ...(isOfNoOtherReason ? neverAgain : { ...decline, soft: false }) }
}
