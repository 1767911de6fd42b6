/**
 * Why Adyen says that a payment was refused: `refusalReasonCode` and `refusalReason`, as the page of refusal reasons
 * lists them (https://docs.adyen.com/development-resources/refusal-reasons). The codes 13 and 30 are not in use.
 *
 * The raw answer of an acquirer is not read: Adyen says not to build on it, because acquirers change it without notice
 * (https://docs.adyen.com/development-resources/raw-acquirer-responses).
 */
import { type DeclineCategory, isSoftDecline } from "@pointsman/core/connector"

interface Reason {
  readonly code: string
  /** Adyen's own words. Messages carry them without the code. */
  readonly reason: string
  readonly category: DeclineCategory
  /** Whether another connection may fare better; as the category says where it is left out. */
  readonly soft?: boolean
}

export const reasons: ReadonlyArray<Reason> = [
  { code: "2", reason: "Refused", category: "do_not_honor" },
  { code: "3", reason: "Referral", category: "do_not_honor" },
  // The acquirer may have put it through before it failed: nobody else is asked on this word.
  { code: "4", reason: "Acquirer Error", category: "other" },
  // Lost or stolen, or closed by the issuer.
  { code: "5", reason: "Blocked Card", category: "lost_or_stolen" },
  { code: "6", reason: "Expired Card", category: "expired_card" },
  { code: "7", reason: "Invalid Amount", category: "invalid_request" },
  { code: "8", reason: "Invalid Card Number", category: "invalid_card" },
  { code: "9", reason: "Issuer Unavailable", category: "issuer_unavailable" },
  { code: "10", reason: "Not supported", category: "not_permitted" },
  { code: "11", reason: "3D Not Authenticated", category: "authentication_failed" },
  { code: "12", reason: "Not enough balance", category: "insufficient_funds" },
  { code: "14", reason: "Acquirer Fraud", category: "suspected_fraud" },
  { code: "15", reason: "Cancelled", category: "other" },
  { code: "16", reason: "Shopper Cancelled", category: "cancelled_by_customer" },
  { code: "17", reason: "Invalid Pin", category: "authentication_failed" },
  { code: "18", reason: "Pin tries exceeded", category: "authentication_failed" },
  { code: "19", reason: "Pin validation not possible", category: "authentication_failed" },
  { code: "20", reason: "FRAUD", category: "suspected_fraud" },
  { code: "21", reason: "Not Submitted", category: "invalid_request" },
  { code: "22", reason: "FRAUD-CANCELLED", category: "suspected_fraud" },
  { code: "23", reason: "Transaction Not Permitted", category: "not_permitted" },
  { code: "24", reason: "CVC Declined", category: "invalid_card" },
  { code: "25", reason: "Restricted Card", category: "not_permitted" },
  // The customer revoked the agreement: nobody may charge on it.
  { code: "26", reason: "Revocation Of Auth", category: "not_permitted" },
  // The issuer's word that it will not approve this, however often it is asked.
  { code: "27", reason: "Declined Non Generic", category: "do_not_honor", soft: false },
  { code: "28", reason: "Withdrawal amount exceeded", category: "limit_exceeded" },
  { code: "29", reason: "Withdrawal count exceeded", category: "limit_exceeded" },
  { code: "31", reason: "Issuer Suspected Fraud", category: "suspected_fraud" },
  { code: "32", reason: "AVS Declined", category: "invalid_card" },
  { code: "33", reason: "Card requires online pin", category: "authentication_failed" },
  { code: "34", reason: "No checking account available on Card", category: "not_permitted" },
  { code: "35", reason: "No savings account available on Card", category: "not_permitted" },
  { code: "36", reason: "Mobile pin required", category: "authentication_failed" },
  { code: "37", reason: "Contactless fallback", category: "other" },
  { code: "38", reason: "Authentication required", category: "authentication_failed" },
  { code: "39", reason: "RReq not received from DS", category: "authentication_failed" },
  { code: "40", reason: "Current AID is in Penalty Box.", category: "other" },
  { code: "41", reason: "CVM Required Restart Payment", category: "authentication_failed" },
  { code: "42", reason: "3DS Authentication Error", category: "authentication_failed" },
  // The schemes charge for asking again, wherever it is asked.
  {
    code: "46",
    reason: "Transaction blocked by Adyen to prevent excessive retry fees",
    category: "do_not_honor",
    soft: false
  }
]

const byCode = new Map(reasons.map((reason) => [reason.code, reason]))
const folded = (text: string): string => text.trim().toLowerCase()
const byReason = new Map(reasons.map((reason) => [folded(reason.reason), reason]))

export interface Decline {
  readonly category: DeclineCategory
  /** Adyen's code; where it gave none, its words. */
  readonly code: string
  readonly soft: boolean
}

/** What nobody mapped is `other`, and hard. */
export const declineOf = (code: string | undefined, reason: string | undefined): Decline => {
  const known = (code === undefined ? undefined : byCode.get(code)) ?? byReason.get(folded(reason ?? ""))
  const shown = known?.code ?? code ?? (reason === undefined || reason === "" ? "refused" : reason)
  if (known === undefined) return { category: "other", code: shown, soft: false }
  return { category: known.category, code: shown, soft: known.soft ?? isSoftDecline(known.category) }
}
