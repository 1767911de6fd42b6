/**
 * Why Adyen says that a payment was refused: `refusalReasonCode` and `refusalReason`, as the page of refusal reasons
 * lists them (https://docs.adyen.com/development-resources/refusal-reasons). The codes 13 and 30 are not in use.
 *
 * The raw answer of an acquirer is not read: Adyen says not to build on it, because acquirers change it without notice
 * (https://docs.adyen.com/development-resources/raw-acquirer-responses).
 */
import {
  adviceOf,
  type DeclineCode,
  type DeclineMeaning,
  declineDetail,
  declineMeaning,
  unmappedDecline
} from "@pointsman/core/connector"

interface Reason {
  readonly code: string
  /** Adyen's own words. Messages carry them without the code. */
  readonly reason: string
  readonly normalized: DeclineCode
  /** Whether another connection may fare better; as the category says where it is left out. */
  readonly soft?: boolean
}

export const reasons: ReadonlyArray<Reason> = [
  { code: "2", reason: "Refused", normalized: "do_not_honor" },
  { code: "3", reason: "Referral", normalized: "call_issuer" },
  // The acquirer may have put it through before it failed: routing tries no other connection.
  { code: "4", reason: "Acquirer Error", normalized: "result_uncertain" },
  // Lost or stolen, or closed by the issuer.
  { code: "5", reason: "Blocked Card", normalized: "lost_or_stolen" },
  { code: "6", reason: "Expired Card", normalized: "expired_card" },
  { code: "7", reason: "Invalid Amount", normalized: "invalid_request" },
  { code: "8", reason: "Invalid Card Number", normalized: "incorrect_number" },
  { code: "9", reason: "Issuer Unavailable", normalized: "issuer_unavailable" },
  { code: "10", reason: "Not supported", normalized: "card_not_supported" },
  { code: "11", reason: "3D Not Authenticated", normalized: "authentication_failed" },
  { code: "12", reason: "Not enough balance", normalized: "insufficient_funds" },
  { code: "14", reason: "Acquirer Fraud", normalized: "suspected_fraud" },
  { code: "15", reason: "Cancelled", normalized: "other" },
  { code: "16", reason: "Shopper Cancelled", normalized: "cancelled_by_customer" },
  { code: "17", reason: "Invalid Pin", normalized: "incorrect_pin" },
  { code: "18", reason: "Pin tries exceeded", normalized: "pin_tries_exceeded" },
  { code: "19", reason: "Pin validation not possible", normalized: "authentication_failed" },
  { code: "20", reason: "FRAUD", normalized: "suspected_fraud" },
  { code: "21", reason: "Not Submitted", normalized: "invalid_request" },
  { code: "22", reason: "FRAUD-CANCELLED", normalized: "blocked_by_provider" },
  { code: "23", reason: "Transaction Not Permitted", normalized: "not_permitted" },
  { code: "24", reason: "CVC Declined", normalized: "incorrect_cvc" },
  { code: "25", reason: "Restricted Card", normalized: "not_permitted" },
  // The customer revoked the agreement: no later charge may use it.
  { code: "26", reason: "Revocation Of Auth", normalized: "authorization_revoked" },
  // The issuer's word that it will not approve this, however often it is asked.
  { code: "27", reason: "Declined Non Generic", normalized: "do_not_try_again", soft: false },
  { code: "28", reason: "Withdrawal amount exceeded", normalized: "amount_limit_exceeded" },
  { code: "29", reason: "Withdrawal count exceeded", normalized: "count_limit_exceeded" },
  { code: "31", reason: "Issuer Suspected Fraud", normalized: "suspected_fraud" },
  { code: "32", reason: "AVS Declined", normalized: "incorrect_address" },
  { code: "33", reason: "Card requires online pin", normalized: "authentication_failed" },
  { code: "34", reason: "No checking account available on Card", normalized: "not_permitted" },
  { code: "35", reason: "No savings account available on Card", normalized: "not_permitted" },
  { code: "36", reason: "Mobile pin required", normalized: "authentication_failed" },
  { code: "37", reason: "Contactless fallback", normalized: "other" },
  { code: "38", reason: "Authentication required", normalized: "authentication_required" },
  { code: "39", reason: "RReq not received from DS", normalized: "authentication_failed" },
  { code: "40", reason: "Current AID is in Penalty Box.", normalized: "other" },
  { code: "41", reason: "CVM Required Restart Payment", normalized: "authentication_failed" },
  { code: "42", reason: "3DS Authentication Error", normalized: "authentication_failed" },
  // The schemes charge for asking again, wherever it is asked.
  {
    code: "46",
    reason: "Transaction blocked by Adyen to prevent excessive retry fees",
    normalized: "do_not_try_again",
    soft: false
  }
]

const byCode = new Map(reasons.map((reason) => [reason.code, reason]))
const folded = (text: string): string => text.trim().toLowerCase()
const byReason = new Map(reasons.map((reason) => [folded(reason.reason), reason]))

export interface Decline extends DeclineMeaning {
  /** Adyen's code; where it gave none, its words. */
  readonly code: string
}

export const meaningOf = ({ normalized, soft }: Reason): DeclineMeaning => declineMeaning(normalized, soft)

/** A code that is in no table is `other`, and hard. */
export const declineOf = (code: string | undefined, reason: string | undefined): Decline => {
  const known = (code === undefined ? undefined : byCode.get(code)) ?? byReason.get(folded(reason ?? ""))
  const shown = known?.code ?? code ?? (reason === undefined || reason === "" ? "refused" : reason)
  return { ...(known === undefined ? unmappedDecline : meaningOf(known)), code: shown }
}

/**
 * Of a payment that ended in an error instead of a refusal: what the acquirer's side did before the error is not known, so
 * that no other code keeps its meaning but those after which the order is not to be charged again anyway.
 */
export const declineAfterError = (decline: Decline): Decline =>
  adviceOf(declineDetail(decline)) === "do_not_retry"
    ? decline
    : { ...declineMeaning("result_uncertain"), code: decline.code }
