/**
 * What PayPal's refusals of a payment mean: the issues of its error 422
 * (https://developer.paypal.com/api/rest/reference/orders/v2/errors/), and the response codes of the card processor, whose
 * names are those of the official SDK (`processor_response_code.rb` of https://github.com/paypal/PayPal-Ruby-Server-SDK). A
 * code that is not in the table is `other`, and hard.
 */
import { type DeclineGroup, declinesOf, type Refusal, unmappedDecline } from "@pointsman/core/connector"

/** Of an order: PayPal refused the payment itself, and took nothing. Every other issue is about the request or the account. */
const issues: ReadonlyArray<DeclineGroup> = [
  {
    normalized: "do_not_honor",
    codes:
      "INSTRUMENT_DECLINED PAYMENT_SOURCE_DECLINED_BY_PROCESSOR PAYER_CANNOT_PAY TRANSACTION_REFUSED REDIRECT_PAYER_FOR_ALTERNATE_FUNDING"
  },
  // "Please try again with a different payment source."
  {
    normalized: "invalid_card",
    codes: "PAYMENT_SOURCE_CANNOT_BE_USED PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED TOKEN_ID_NOT_FOUND"
  },
  // The payer, or the merchant, cancelled it (https://developer.paypal.com/api/errors/agreement-already-cancelled).
  { normalized: "authorization_revoked", codes: "AGREEMENT_ALREADY_CANCELLED" },
  { normalized: "expired_card", codes: "CARD_EXPIRED REFERENCED_CARD_EXPIRED TOKEN_EXPIRED" },
  // PayPal's limits for this payer or this merchant. MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED counts those of one order alone.
  { normalized: "amount_limit_exceeded", codes: "TRANSACTION_LIMIT_EXCEEDED" },
  { normalized: "limit_exceeded", codes: "TRANSACTION_RECEIVING_LIMIT_EXCEEDED" },
  // "The fraud settings for this seller are such that this payment cannot be executed."
  { normalized: "blocked_by_provider", codes: "TRANSACTION_BLOCKED_BY_PAYEE PAYEE_BLOCKED_TRANSACTION" },
  {
    normalized: "not_permitted",
    codes: "PAYER_ACCOUNT_LOCKED_OR_CLOSED PAYER_ACCOUNT_RESTRICTED COMPLIANCE_VIOLATION DOMESTIC_TRANSACTION_REQUIRED"
  },
  { normalized: "card_not_supported", codes: "CARD_BRAND_NOT_SUPPORTED" }
]

const processorCodes: ReadonlyArray<DeclineGroup> = [
  // Referral.
  { normalized: "call_issuer", codes: "0100" },
  // Do not honor, issuer rejected, generic decline, "declined, please retry", refused card, too many declines.
  { normalized: "do_not_honor", codes: "0500 10BR 5100 9100 9540 PPDT" },
  // Reattempt not permitted.
  { normalized: "do_not_try_again", soft: false, codes: "PPRN" },
  { normalized: "insufficient_funds", codes: "5120" },
  { normalized: "amount_limit_exceeded", codes: "PPAX" },
  // Attempts, and how often the card may be used.
  { normalized: "count_limit_exceeded", codes: "5710 PPEL PPNL" },
  { normalized: "issuer_unavailable", codes: "5920 8220" },
  { normalized: "issuer_unavailable", soft: false, codes: "5910" },
  // The processor or the network did not work.
  { normalized: "processing_error", codes: "0960 8000 8110 PPNT PPER" },
  // A bad response that must be reversed, and a fatal communication error: the issuer may hold the money still.
  { normalized: "response_late", soft: false, codes: "0800 8100" },
  { normalized: "expired_card", codes: "5400 PPEX PPEF" },
  { normalized: "incorrect_expiry", codes: "1380" },
  { normalized: "incorrect_cvc", codes: "00N7 1382 5110 PCVV PPC2" },
  { normalized: "incorrect_address", codes: "5170 5190 PPAD PPAV" },
  { normalized: "account_closed", codes: "5140 PP06" },
  // No such account, restricted or not activated cards, cards that were replaced, and instruments that are not valid.
  { normalized: "invalid_card", codes: "0390 1330 1335 5180 5900 5930 5950 6300 7800 PPFI PPFR" },
  // "Pick up card, special conditions", lost or stolen.
  { normalized: "lost_or_stolen", codes: "5150 9520" },
  { normalized: "suspected_fraud", codes: "9500 9510 9530 PPSC" },
  { normalized: "incorrect_pin", codes: "0890 5130 5500 7900" },
  { normalized: "pin_tries_exceeded", codes: "5135" },
  // Strong customer authentication.
  { normalized: "authentication_required", codes: "5650" },
  // Cryptography, 3D Secure, and verification tokens.
  { normalized: "authentication_failed", codes: "0880 7700 7710 PPD3 PPTE PPTR PPTV" },
  // American Express, Diners Club and Mastercard where the account does not take them, and other types of cards.
  { normalized: "card_not_supported", codes: "PPAE PPCT PPDI PPMC" },
  { normalized: "currency_not_supported", codes: "PPUC" },
  { normalized: "not_permitted", codes: "0580 1352 5160 5700 PPAB PPAG PPBG PPCO PPQC PPSE PPUA PPPM" },
  { normalized: "cancelled_by_customer", codes: "0R00" },
  // Another provider must not make it a second time.
  { normalized: "duplicate_transaction", codes: "5200" },
  // What was sent, or how the account is set up.
  {
    normalized: "invalid_request",
    codes:
      "1300 1310 1312 1317 1320 1340 1350 1360 1370 1384 1390 1393 5210 8010 8020 8030 PPAI PPCE PPCU PPFV PPIF PPII " +
      "PPMB PPNM PPRR PPUE PPVC PPVE"
  }
]

export const declines = declinesOf([...issues, ...processorCodes])

/** "Transaction cannot complete successfully, instruct the buyer to return to PayPal." */
const wantsCustomer: ReadonlySet<string> = new Set(["PAYER_ACTION_REQUIRED"])

/** `undefined` for an issue that is no refusal of the payment. */
export const refusalOfIssue = (issue: string): Refusal | undefined => {
  if (wantsCustomer.has(issue)) return { _tag: "NeedsCustomer" }
  const meaning = declines.get(issue)
  return meaning === undefined ? undefined : { _tag: "Declined", code: issue, ...meaning }
}

/** `code`: of the processor; PayPal gives none for its own wallet. */
export const declineOf = (code: string | null | undefined): Refusal => ({
  _tag: "Declined",
  code: code || "declined",
  ...(declines.get(code ?? "") ?? unmappedDecline)
})
