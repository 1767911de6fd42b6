/**
 * What PayPal's refusals of a payment mean: the issues of its error 422
 * (https://developer.paypal.com/api/rest/reference/orders/v2/errors/), and the response codes of the card processor, whose
 * names are those of the official SDK (`processor_response_code.rb` of https://github.com/paypal/PayPal-Ruby-Server-SDK). A
 * code that is not in the table is `other`, and hard.
 */
import { type DeclineCode, type DeclineMeaning, declineMeaning, unmappedDecline } from "@pointsman/core/connector"

interface Group {
  readonly normalized: DeclineCode
  /** Whether another connection may fare better; as the category says where it is left out. */
  readonly soft?: boolean
  readonly codes: string
}

const table = (groups: ReadonlyArray<Group>): ReadonlyMap<string, DeclineMeaning> =>
  new Map(
    groups.flatMap(({ codes, normalized, soft }) =>
      codes.split(" ").map((code) => [code, declineMeaning(normalized, soft)] as const)
    )
  )

/** Of an order: PayPal refused the payment itself, and took nothing. Every other issue is about the request or the account. */
export const issues = table([
  {
    normalized: "do_not_honor",
    codes: "INSTRUMENT_DECLINED PAYMENT_SOURCE_DECLINED_BY_PROCESSOR PAYER_CANNOT_PAY TRANSACTION_REFUSED"
  },
  // "Please try again with a different payment source."
  {
    normalized: "invalid_card",
    codes:
      "PAYMENT_SOURCE_CANNOT_BE_USED PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED TOKEN_ID_NOT_FOUND AGREEMENT_ALREADY_CANCELLED"
  },
  { normalized: "expired_card", codes: "CARD_EXPIRED REFERENCED_CARD_EXPIRED TOKEN_EXPIRED" },
  // Of PayPal's limits for this payer or this merchant; of the number of attempts with one order no other order knows.
  { normalized: "limit_exceeded", codes: "TRANSACTION_LIMIT_EXCEEDED TRANSACTION_RECEIVING_LIMIT_EXCEEDED" },
  { normalized: "suspected_fraud", codes: "TRANSACTION_BLOCKED_BY_PAYEE PAYEE_BLOCKED_TRANSACTION" },
  {
    normalized: "not_permitted",
    codes:
      "PAYER_ACCOUNT_LOCKED_OR_CLOSED PAYER_ACCOUNT_RESTRICTED COMPLIANCE_VIOLATION DOMESTIC_TRANSACTION_REQUIRED " +
      "CARD_BRAND_NOT_SUPPORTED"
  }
])

/** "Transaction cannot complete successfully, instruct the buyer to return to PayPal." */
const wantsCustomer: ReadonlySet<string> = new Set(["PAYER_ACTION_REQUIRED"])

export const codes = table([
  // Refer, do not honor, issuer rejected, generic decline, "declined, please retry", refused card, reattempt not permitted.
  { normalized: "do_not_honor", codes: "0100 0500 10BR 5100 9100 9540 PPDT" },
  { normalized: "do_not_try_again", soft: false, codes: "PPRN" },
  { normalized: "insufficient_funds", codes: "5120" },
  { normalized: "limit_exceeded", codes: "5710 PPAX PPEL PPNL" },
  // The issuer, the processor or the network did not work. What must be reversed may be held still, and stays hard.
  { normalized: "issuer_unavailable", codes: "0960 5920 8000 8110 8220 PPNT PPER" },
  { normalized: "response_late", codes: "0800 5910 8100" },
  { normalized: "expired_card", codes: "5400 1380 PPEX PPEF" },
  // No such account, CVV and AVS failures, closed, restricted or not activated cards.
  {
    normalized: "invalid_card",
    codes:
      "00N7 0390 1330 1335 1382 5110 5140 5170 5180 5190 5900 5930 5950 6300 7800 PCVV PP06 PPAD PPAV PPC2 PPFI PPFR"
  },
  { normalized: "lost_or_stolen", codes: "5150 9520" },
  { normalized: "suspected_fraud", codes: "9500 9510 9530 PPSC" },
  // PINs, 3D Secure, strong customer authentication.
  {
    normalized: "authentication_failed",
    codes: "0880 0890 5130 5135 5500 5650 7700 7710 7900 PPD3 PPTE PPTR PPTV"
  },
  {
    normalized: "not_permitted",
    codes: "0580 1352 5160 5700 PPAB PPAE PPAG PPBG PPCO PPCT PPDI PPMC PPQC PPSE PPUA PPPM"
  },
  { normalized: "cancelled_by_customer", codes: "0R00" },
  // What was sent, or how the account is set up. A duplicate must not be made a second time by another provider.
  {
    normalized: "invalid_request",
    codes:
      "1300 1310 1312 1317 1320 1340 1350 1360 1370 1384 1390 1393 5200 5210 8010 8020 8030 PPAI PPCE PPCU PPFV PPIF PPII " +
      "PPMB PPNM PPRR PPUC PPUE PPVC PPVE"
  }
])

export type Refusal =
  | { readonly _tag: "NeedsCustomer" }
  | ({ readonly _tag: "Declined"; readonly code: string } & DeclineMeaning)

/** `undefined` for an issue that is no refusal of the payment. */
export const refusalOfIssue = (issue: string): Refusal | undefined => {
  if (wantsCustomer.has(issue)) return { _tag: "NeedsCustomer" }
  const decline = issues.get(issue)
  return decline === undefined ? undefined : { _tag: "Declined", code: issue, ...decline }
}

/** `code`: of the processor; PayPal gives none for its own wallet. */
export const declineOf = (code: string | null | undefined): Refusal => ({
  _tag: "Declined",
  code: code || "declined",
  ...(codes.get(code ?? "") ?? unmappedDecline)
})
