/**
 * What Checkout.com's response codes for a refused payment mean
 * (https://www.checkout.com/docs/resources/codes/response-codes). After 20xxx "subsequent attempts may be
 * successful"; 30xxx is a hard decline; 4xxxx is Checkout.com's own risk engine. A code that is not in the table is `other`,
 * and hard.
 */
import { type DeclineGroup, declinesOf, type Refusal, unmappedDecline } from "@pointsman/core/connector"

/** The texts of the codes, in the order of the codes, are on that page. */
const groups: ReadonlyArray<DeclineGroup> = [
  // Refer to issuer, and with conditions.
  { normalized: "call_issuer", codes: "20001 20002" },
  // Do not honour, re-enter, no action taken, bank decline, blocked by the issuer.
  { normalized: "do_not_honor", codes: "20005 20012 20019 20021 20046 20060 20066 2005C 200A4" },
  { normalized: "insufficient_funds", codes: "20051" },
  // Activity amount, frequency, daily and other limits of the card.
  { normalized: "amount_limit_exceeded", codes: "20061" },
  { normalized: "count_limit_exceeded", codes: "20065" },
  { normalized: "limit_exceeded", codes: "200P1 200P9" },
  // Of a limit that Checkout.com says is reached for good: 30xxx is hard.
  { normalized: "limit_exceeded", soft: false, codes: "30021 30022" },
  // Switch or issuer unavailable, system busy; system malfunction.
  { normalized: "issuer_unavailable", codes: "20091 200E3" },
  { normalized: "processing_error", codes: "20096" },
  // The answer came too late, or never: the issuer may hold the money still, so routing tries no other connection.
  { normalized: "response_late", codes: "20068 200A6" },
  { normalized: "expired_card", codes: "20054 20100 30033" },
  { normalized: "incorrect_number", codes: "20014" },
  { normalized: "incorrect_cvc", codes: "200N7" },
  { normalized: "account_closed", codes: "30046" },
  // No card record, track data, CVV, billing data, no such issuer, invalid card data.
  {
    normalized: "invalid_card",
    codes: "20039 20052 20053 20056 20082 20083 20087 20101 20107 20108 20114 20123 20124 20179 30015"
  },
  { normalized: "lost_card", codes: "30041" },
  { normalized: "stolen_card", codes: "30043" },
  // "Pick up card (no fraud)" and its conditions, restricted.
  { normalized: "lost_or_stolen", codes: "20004 20067 30004 30007 30035 30036 30037" },
  { normalized: "suspected_fraud", codes: "20059 20063 20064 20183 30034" },
  // The risk engine, of the account, of the entity and of Checkout.com.
  {
    normalized: "blocked_by_provider",
    codes:
      "40101 40201 40202 40203 40204 40205 41101 41201 41202 41203 41204 41205 41206 41301 42101 42201 42202 42203 42204 " +
      "42206 42301 43101 43102 43201 43202 43203 43204 43205 43206 43301"
  },
  { normalized: "incorrect_pin", codes: "20055" },
  { normalized: "pin_tries_exceeded", codes: "20075" },
  // PINs, the cardholder's identity, and 3D Secure.
  {
    normalized: "authentication_failed",
    codes: "20038 2006P 200O5 20150 20151 20152 20153 20155 20159 30038"
  },
  // The cardholder stopped the payment, or revoked the authorization.
  { normalized: "authorization_revoked", codes: "200R1 200R3" },
  // Not for this cardholder, terminal, card, law or agreement; blocked by the cardholder; prepaid cards (AMLD5).
  {
    normalized: "not_permitted",
    codes:
      "20015 20016 20031 20040 20057 20058 20062 20072 20078 20081 20093 2009G 200T3 20103 20106 20156 20182 " +
      "30016 30017 30018 30019 30044"
  },
  { normalized: "cancelled_by_customer", codes: "20017" },
  // Another provider must not make it a second time.
  { normalized: "duplicate_transaction", codes: "20094" },
  // What we sent, or how the account is set up.
  {
    normalized: "invalid_request",
    codes: "20003 20006 20013 20030 20033 200T2 20102 20104 20105 20112 20113 20116 20117 20120 20121 20157 20193 30020"
  }
]

export const declines = declinesOf(groups)

/** "3DS authentication required", of the issuer and of the risk engine: with the customer the payment may go through. */
const wantsCustomer: ReadonlySet<string> = new Set(["20154", "44301"])

/** `code`: `undefined` where a payment is shown as declined without one. */
export const refusalOf = (code: string | null | undefined): Refusal => {
  if (wantsCustomer.has(code ?? "")) return { _tag: "NeedsCustomer" }
  return {
    _tag: "Declined",
    code: code || "declined",
    ...(declines.get(code ?? "") ?? unmappedDecline)
  }
}
