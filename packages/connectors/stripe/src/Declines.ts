/**
 * What Stripe's codes for a refused payment mean. Unless an entry says where else, a code and its meaning are from
 * https://docs.stripe.com/declines/codes; a code that is not in the table is `other`, and hard.
 */
import { type DeclineCategory, isSoftDecline } from "@pointsman/core/connector"

export interface Decline {
  readonly category: DeclineCategory
  /** Another connection may fare better. */
  readonly soft: boolean
}

const of = (category: DeclineCategory): Decline => ({ category, soft: isSoftDecline(category) })
const hard = (category: DeclineCategory): Decline => ({ category, soft: false })

const declines: Readonly<Record<string, Decline>> = {
  // The issuer names no reason. `generic_decline` is also what a rule of Radar that blocks looks like.
  approve_with_id: of("do_not_honor"),
  call_issuer: of("do_not_honor"),
  do_not_honor: of("do_not_honor"),
  generic_decline: of("do_not_honor"),
  no_action_taken: of("do_not_honor"),
  // The issuer's "never again".
  do_not_try_again: hard("do_not_honor"),

  insufficient_funds: of("insufficient_funds"),

  card_velocity_exceeded: of("limit_exceeded"),
  // "Invalid, or exceeds the amount that's allowed".
  invalid_amount: of("limit_exceeded"),
  withdrawal_count_limit_exceeded: of("limit_exceeded"),

  // "The payment needs to be attempted again."
  issuer_not_available: of("issuer_unavailable"),
  processing_error: of("issuer_unavailable"),
  reenter_transaction: of("issuer_unavailable"),
  try_again_later: of("issuer_unavailable"),

  expired_card: of("expired_card"),

  incorrect_address: of("invalid_card"),
  incorrect_cvc: of("invalid_card"),
  incorrect_number: of("invalid_card"),
  incorrect_zip: of("invalid_card"),
  invalid_account: of("invalid_card"),
  invalid_cvc: of("invalid_card"),
  invalid_expiry_month: of("invalid_card"),
  invalid_expiry_year: of("invalid_card"),
  invalid_number: of("invalid_card"),
  new_account_information_available: of("invalid_card"),

  lost_card: of("lost_or_stolen"),
  // "It's possible it was reported lost or stolen."
  pickup_card: of("lost_or_stolen"),
  restricted_card: of("lost_or_stolen"),
  stolen_card: of("lost_or_stolen"),

  fraudulent: of("suspected_fraud"),
  merchant_blacklist: of("suspected_fraud"),
  security_violation: of("suspected_fraud"),

  incorrect_pin: of("authentication_failed"),
  invalid_pin: of("authentication_failed"),
  offline_pin_required: of("authentication_failed"),
  online_or_offline_pin_required: of("authentication_failed"),
  pin_try_exceeded: of("authentication_failed"),

  card_not_supported: of("not_permitted"),
  currency_not_supported: of("not_permitted"),
  not_permitted: of("not_permitted"),
  revocation_of_all_authorizations: of("not_permitted"),
  revocation_of_authorization: of("not_permitted"),
  service_not_allowed: of("not_permitted"),
  stop_payment_order: of("not_permitted"),
  transaction_not_allowed: of("not_permitted"),

  // An identical payment was made a moment ago: another provider must not make it a second time.
  duplicate_transaction: of("invalid_request"),
  testmode_decline: of("invalid_request"),

  // Error codes, where there is no decline code (https://docs.stripe.com/error-codes).
  card_declined: of("do_not_honor"),
  card_decline_rate_limit_exceeded: hard("limit_exceeded"),
  payment_intent_authentication_failure: of("authentication_failed"),
  payment_method_bank_account_blocked: of("not_permitted"),
  payment_method_customer_decline: of("cancelled_by_customer"),
  payment_method_provider_decline: of("do_not_honor"),
  debit_not_authorized: of("not_permitted"),
  account_closed: of("invalid_card")
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
  | ({ readonly _tag: "Declined"; readonly code: string } & Decline)

export const refusalOf = ({ advice_code, code, decline_code }: PaymentError): Refusal => {
  const raw = decline_code ?? code ?? "no_code"
  if (wantsCustomer.has(raw) || wantsCustomer.has(code ?? "")) return { _tag: "NeedsCustomer" }
  const decline = Object.hasOwn(declines, raw) ? (declines[raw] ?? hard("other")) : hard("other")
  // The network's advice goes before the table (https://docs.stripe.com/declines/card#retrying-issuer-declines).
  return { _tag: "Declined", code: raw, ...decline, ...(advice_code === "do_not_try_again" ? { soft: false } : {}) }
}
