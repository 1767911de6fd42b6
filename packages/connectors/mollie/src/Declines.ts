/**
 * Why a payment failed. `failureReason` of card payments is the whole list of
 * https://docs.mollie.com/docs/handling-errors-with-mollie-components (`payment-details-failure-reason` in
 * https://github.com/mollie/openapi). Mollie's pages say no more of a reason than its name, and nothing of when a payment may
 * be tried again: only a refusal of the issuer without a reason of its own is soft. `bankReasonCode` of direct debits is
 * passed on as `other`, because Mollie refers to the European Payments Council for its meaning.
 */
import { type DeclineMeaning, declineMeaning as of, unmappedDecline } from "@pointsman/core/connector"

export const declines: Readonly<Record<string, DeclineMeaning>> = {
  authentication_abandoned: of("authentication_failed"),
  authentication_failed: of("authentication_failed"),
  authentication_required: of("authentication_required"),
  // The issuer's access control server could not be reached.
  authentication_unavailable_acs: of("issuer_unavailable"),
  card_declined: of("do_not_honor"),
  card_expired: of("expired_card"),
  inactive_card: of("invalid_card"),
  insufficient_funds: of("insufficient_funds"),
  invalid_card_holder_name: of("incorrect_name"),
  invalid_card_number: of("incorrect_number"),
  invalid_cvv: of("incorrect_cvc"),
  invalid_card_type: of("card_not_supported"),
  possible_fraud: of("suspected_fraud"),
  refused_by_issuer: of("do_not_honor"),
  unknown_reason: of("other")
}

/** A direct charge that needs the customer fails, because no customer is there. */
export const needsCustomer = "authentication_required"

export const declineOf = (code: string): DeclineMeaning =>
  (Object.hasOwn(declines, code) ? declines[code] : undefined) ?? unmappedDecline
