/**
 * What Checkout.com's response codes for a refused payment mean
 * (https://www.checkout.com/docs/resources/codes/response-codes). After 20xxx "subsequent attempts may be
 * successful"; 30xxx is a hard decline; 4xxxx is Checkout.com's own risk engine. A code that is not in the table is `other`,
 * and hard.
 */
import { type DeclineCategory, isSoftDecline } from "@pointsman/core/connector"

export interface Decline {
  readonly category: DeclineCategory
  /** Another connection may fare better. */
  readonly soft: boolean
}

interface Group {
  readonly category: DeclineCategory
  /** As the category says where it is left out. */
  readonly soft?: boolean
  readonly codes: string
}

/** The texts of the codes, in the order of the codes, are on that page. */
const groups: ReadonlyArray<Group> = [
  // Refer to issuer (with conditions), do not honour, re-enter, no action taken, bank decline, blocked by the issuer.
  { category: "do_not_honor", codes: "20001 20002 20005 20012 20019 20021 20046 20060 20066 2005C 200A4" },
  { category: "insufficient_funds", codes: "20051" },
  // Activity amount, frequency, daily and other limits of the card.
  { category: "limit_exceeded", codes: "20061 20065 200P1 200P9" },
  // Of a limit that Checkout.com says is reached for good: 30xxx is hard.
  { category: "limit_exceeded", soft: false, codes: "30021 30022" },
  // Switch or issuer unavailable, system malfunction, system busy.
  { category: "issuer_unavailable", codes: "20091 20096 200E3" },
  // The answer came too late, or never: the issuer may hold the money still, and nobody else is asked on this word.
  { category: "issuer_unavailable", soft: false, codes: "20068 200A6" },
  { category: "expired_card", codes: "20054 20100 30033" },
  // No such account, no card record, track data, CVV, billing data, no such issuer, closed account, invalid card data.
  {
    category: "invalid_card",
    codes: "20014 20039 20052 20053 20056 20082 20083 20087 200N7 20101 20107 20108 20114 20123 20124 20179 30015 30046"
  },
  // "Pick up card (no fraud)" and its conditions, lost, stolen, restricted.
  { category: "lost_or_stolen", codes: "20004 20067 30004 30007 30035 30036 30037 30041 30043" },
  { category: "suspected_fraud", codes: "20059 20063 20064 20183 30034" },
  // The risk engine, of the account, of the entity and of Checkout.com.
  {
    category: "suspected_fraud",
    codes:
      "40101 40201 40202 40203 40204 40205 41101 41201 41202 41203 41204 41205 41206 41301 42101 42201 42202 42203 42204 " +
      "42206 42301 43101 43102 43201 43202 43203 43204 43205 43206 43301"
  },
  // PINs, the cardholder's identity, and 3D Secure.
  {
    category: "authentication_failed",
    codes: "20038 20055 20075 2006P 200O5 20150 20151 20152 20153 20155 20159 30038"
  },
  // Not for this cardholder, terminal, card, law or agreement; blocked or revoked by the cardholder; prepaid cards (AMLD5).
  {
    category: "not_permitted",
    codes:
      "20015 20016 20031 20040 20057 20058 20062 20072 20078 20081 20093 2009G 200R1 200R3 200T3 20103 20106 20156 20182 " +
      "30016 30017 30018 30019 30044"
  },
  { category: "cancelled_by_customer", codes: "20017" },
  // What we sent, or how the account is set up. A duplicate must not be made a second time by another provider.
  {
    category: "invalid_request",
    codes:
      "20003 20006 20013 20030 20033 20094 200T2 20102 20104 20105 20112 20113 20116 20117 20120 20121 20157 20193 30020"
  }
]

const declines: ReadonlyMap<string, Decline> = new Map(
  groups.flatMap(({ category, codes, soft = isSoftDecline(category) }) =>
    codes.split(" ").map((code) => [code, { category, soft }] as const)
  )
)

/** "3DS authentication required", of the issuer and of the risk engine: with the customer the payment may go through. */
const wantsCustomer: ReadonlySet<string> = new Set(["20154", "44301"])

export type Refusal =
  | { readonly _tag: "NeedsCustomer" }
  | ({ readonly _tag: "Declined"; readonly code: string } & Decline)

/** `code`: `undefined` where a payment is shown as declined without one. */
export const refusalOf = (code: string | null | undefined): Refusal => {
  if (wantsCustomer.has(code ?? "")) return { _tag: "NeedsCustomer" }
  return {
    _tag: "Declined",
    code: code || "declined",
    ...(declines.get(code ?? "") ?? { category: "other", soft: false })
  }
}
