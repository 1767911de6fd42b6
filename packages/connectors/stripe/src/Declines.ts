/**
 * What Stripe's codes for a refused payment mean. Unless an entry says where else, a code and its meaning are from
 * https://docs.stripe.com/declines/codes; a code that is not in the table is `other`, and hard.
 */
import { type DeclineMeaning, declineMeaning as of, unmappedDecline } from "@pointsman/core/connector"

export const declines: Readonly<Record<string, DeclineMeaning>> = {
  // The issuer names no reason. `generic_decline` is also what a rule of Radar that blocks looks like.
  approve_with_id: of("call_issuer"),
  call_issuer: of("call_issuer"),
  do_not_honor: of("do_not_honor"),
  generic_decline: of("do_not_honor"),
  no_action_taken: of("do_not_honor"),
  // The issuer's "never again".
  do_not_try_again: of("do_not_try_again", false),

  insufficient_funds: of("insufficient_funds"),

  card_velocity_exceeded: of("limit_exceeded"),
  // "Invalid, or exceeds the amount that's allowed".
  invalid_amount: of("amount_limit_exceeded"),
  withdrawal_count_limit_exceeded: of("count_limit_exceeded"),

  // "The payment needs to be attempted again."
  issuer_not_available: of("issuer_unavailable"),
  processing_error: of("processing_error"),
  reenter_transaction: of("processing_error"),
  try_again_later: of("issuer_unavailable"),

  expired_card: of("expired_card"),

  incorrect_address: of("incorrect_address"),
  incorrect_cvc: of("incorrect_cvc"),
  incorrect_number: of("incorrect_number"),
  incorrect_zip: of("incorrect_address"),
  invalid_account: of("invalid_card"),
  invalid_cvc: of("incorrect_cvc"),
  invalid_expiry_month: of("incorrect_expiry"),
  invalid_expiry_year: of("incorrect_expiry"),
  invalid_number: of("incorrect_number"),
  new_account_information_available: of("invalid_card"),

  lost_card: of("lost_card"),
  // "It's possible it was reported lost or stolen."
  pickup_card: of("lost_or_stolen"),
  restricted_card: of("restricted_card"),
  stolen_card: of("stolen_card"),

  fraudulent: of("suspected_fraud"),
  merchant_blacklist: of("blocked_by_provider"),
  security_violation: of("suspected_fraud"),

  incorrect_pin: of("incorrect_pin"),
  invalid_pin: of("incorrect_pin"),
  offline_pin_required: of("authentication_failed"),
  online_or_offline_pin_required: of("authentication_failed"),
  pin_try_exceeded: of("pin_tries_exceeded"),

  card_not_supported: of("card_not_supported"),
  currency_not_supported: of("currency_not_supported"),
  not_permitted: of("not_permitted"),
  revocation_of_all_authorizations: of("authorization_revoked"),
  revocation_of_authorization: of("authorization_revoked"),
  service_not_allowed: of("not_permitted"),
  stop_payment_order: of("authorization_revoked"),
  transaction_not_allowed: of("not_permitted"),

  // An identical payment was made a moment ago: another provider must not make it a second time.
  duplicate_transaction: of("duplicate_transaction"),
  testmode_decline: of("invalid_request"),

  // Error codes, where there is no decline code (https://docs.stripe.com/error-codes).
  card_declined: of("do_not_honor"),
  card_decline_rate_limit_exceeded: of("count_limit_exceeded", false),
  payment_intent_authentication_failure: of("authentication_failed"),
  payment_method_bank_account_blocked: of("not_permitted"),
  payment_method_customer_decline: of("cancelled_by_customer"),
  payment_method_provider_decline: of("do_not_honor"),
  debit_not_authorized: of("authorization_revoked"),
  account_closed: of("account_closed")
}

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

export type Refusal =
  | { readonly _tag: "NeedsCustomer" }
  | ({ readonly _tag: "Declined"; readonly code: string } & DeclineMeaning)

/** The network's word that this card is never to be charged again. */
const neverAgain = of("do_not_try_again", false)

export const refusalOf = ({ advice_code, code, decline_code }: PaymentError): Refusal => {
  const raw = decline_code ?? code ?? "no_code"
  if (wantsCustomer.has(raw) || wantsCustomer.has(code ?? "")) return { _tag: "NeedsCustomer" }
  const decline = (Object.hasOwn(declines, raw) ? declines[raw] : undefined) ?? unmappedDecline
  // The network's advice goes before the table (https://docs.stripe.com/declines/card#retrying-issuer-declines).
  if (advice_code !== "do_not_try_again") return { _tag: "Declined", code: raw, ...decline }
  const isOfNoOtherReason = decline.category === neverAgain.category
  return { _tag: "Declined", code: raw, ...(isOfNoOtherReason ? neverAgain : { ...decline, soft: false }) }
}
