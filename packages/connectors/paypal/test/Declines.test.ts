/** Each code that PayPal documents, with what it means: literal, and in this file alone. */

import { assert, describe, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import type { TransportAnswer } from "@pointsman/core/connector"
import { Effect } from "effect"
import { declines } from "../src/Declines.ts"
import { attemptId, connected, sample } from "./Calls.ts"
import { answer, capture, failure, order, token } from "./PayPal.ts"

const chargedWith = (given: TransportAnswer) => connected([answer(200, token()), given]).connector.charge(sample.charge)

const ofProcessor = (response_code: string | undefined) =>
  chargedWith(
    answer(
      201,
      order(attemptId, { captures: [capture({ status: "DECLINED", processor_response: { response_code } })] })
    )
  )

/** By category, normalized code and softness. */
const processor: Readonly<Record<string, string>> = {
  "do_not_honor/call_issuer soft": "0100",
  "do_not_honor/do_not_honor soft": "0500 10BR 5100 9100 9540 PPDT",
  "do_not_honor/do_not_try_again hard": "PPRN",
  "insufficient_funds/insufficient_funds hard": "5120",
  "limit_exceeded/amount_limit_exceeded soft": "PPAX",
  "limit_exceeded/count_limit_exceeded soft": "5710 PPEL PPNL",
  "issuer_unavailable/issuer_unavailable soft": "5920 8220",
  "issuer_unavailable/issuer_unavailable hard": "5910",
  "issuer_unavailable/processing_error soft": "0960 8000 8110 PPNT PPER",
  "issuer_unavailable/response_late hard": "0800 8100",
  "expired_card/expired_card hard": "5400 PPEX PPEF",
  "invalid_card/incorrect_expiry hard": "1380",
  "invalid_card/incorrect_cvc hard": "00N7 1382 5110 PCVV PPC2",
  "invalid_card/incorrect_address hard": "5170 5190 PPAD PPAV",
  "invalid_card/account_closed hard": "5140 PP06",
  "invalid_card/invalid_card hard": "0390 1330 1335 5180 5900 5930 5950 6300 7800 PPFI PPFR",
  "lost_or_stolen/lost_or_stolen hard": "5150 9520",
  "suspected_fraud/suspected_fraud hard": "9500 9510 9530 PPSC",
  "authentication_failed/incorrect_pin hard": "0890 5130 5500 7900",
  "authentication_failed/pin_tries_exceeded hard": "5135",
  "authentication_failed/authentication_required hard": "5650",
  "authentication_failed/authentication_failed hard": "0880 7700 7710 PPD3 PPTE PPTR PPTV",
  "not_permitted/card_not_supported hard": "PPAE PPCT PPDI PPMC",
  "not_permitted/currency_not_supported hard": "PPUC",
  "not_permitted/not_permitted hard": "0580 1352 5160 5700 PPAB PPAG PPBG PPCO PPQC PPSE PPUA PPPM",
  "cancelled_by_customer/cancelled_by_customer hard": "0R00",
  "invalid_request/duplicate_transaction hard": "5200",
  "invalid_request/invalid_request hard":
    "1300 1310 1312 1317 1320 1340 1350 1360 1370 1384 1390 1393 5210 8010 8020 8030 PPAI PPCE PPCU PPFV PPIF PPII " +
    "PPMB PPNM PPRR PPUE PPVC PPVE",
  "other/other hard": "0000 1000 5800 7600 9600 PCNR PPAR PPS3 ZZZZ"
}

const ofIssue: Readonly<Record<string, string>> = {
  "do_not_honor/do_not_honor soft":
    "INSTRUMENT_DECLINED PAYMENT_SOURCE_DECLINED_BY_PROCESSOR PAYER_CANNOT_PAY TRANSACTION_REFUSED REDIRECT_PAYER_FOR_ALTERNATE_FUNDING",
  "invalid_card/invalid_card hard":
    "PAYMENT_SOURCE_CANNOT_BE_USED PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED TOKEN_ID_NOT_FOUND",
  "not_permitted/authorization_revoked hard": "AGREEMENT_ALREADY_CANCELLED",
  "expired_card/expired_card hard": "CARD_EXPIRED REFERENCED_CARD_EXPIRED TOKEN_EXPIRED",
  "limit_exceeded/amount_limit_exceeded soft": "TRANSACTION_LIMIT_EXCEEDED",
  "limit_exceeded/limit_exceeded soft": "TRANSACTION_RECEIVING_LIMIT_EXCEEDED",
  "suspected_fraud/blocked_by_provider hard": "TRANSACTION_BLOCKED_BY_PAYEE PAYEE_BLOCKED_TRANSACTION",
  "not_permitted/not_permitted hard":
    "PAYER_ACCOUNT_LOCKED_OR_CLOSED PAYER_ACCOUNT_RESTRICTED COMPLIANCE_VIOLATION DOMESTIC_TRANSACTION_REQUIRED",
  "not_permitted/card_not_supported hard": "CARD_BRAND_NOT_SUPPORTED"
}

/** About the request or the account: nothing was tried, and another connection may be. */
const rejected =
  "PAYEE_ACCOUNT_INVALID PAYEE_ACCOUNT_RESTRICTED INVALID_CURRENCY_CODE AUTH_CAPTURE_NOT_ENABLED NOT_ENABLED_FOR_CARD_PROCESSING"

const each = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).flatMap(([meaning, codes]) => codes.split(" ").map((code) => [code, meaning] as const))

const assertDeclined = Effect.fnUntraced(function* (
  asked: ReturnType<typeof chargedWith>,
  code: string,
  meaning: string
) {
  const state = yield* asked
  const said =
    state._tag === "Declined" ? `${state.category}/${state.normalized} ${state.soft ? "soft" : "hard"}` : state._tag
  assert.deepStrictEqual([said, "code" in state ? state.code : null], [meaning, code])
})

describe("declines", () => {
  for (const [code, meaning] of each(processor)) {
    it.effect(`the processor's ${code} is ${meaning}`, () => assertDeclined(ofProcessor(code), code, meaning))
  }
  it.effect("no code of a processor, as for PayPal's own wallet, is other, hard", () =>
    assertDeclined(ofProcessor(undefined), "declined", "other/other hard")
  )
  it("the table has the codes of this file, and no others", () => {
    const ofFile = [...each(ofIssue), ...each(processor)].filter(([, meaning]) => meaning !== "other/other hard")
    assert.sameMembers(
      [...declines.keys()],
      ofFile.map(([code]) => code)
    )
  })
  for (const [code, meaning] of each(ofIssue)) {
    it.effect(`the issue ${code} is ${meaning}`, () => assertDeclined(chargedWith(failure(422, code)), code, meaning))
  }
  for (const code of rejected.split(" ")) {
    itRuns(`the issue ${code} is rejected`, function* () {
      assert.deepInclude(yield* chargedWith(failure(422, code)), { _tag: "Rejected", code })
    })
  }
  itRuns("the issue PAYER_ACTION_REQUIRED needs the customer", function* () {
    const state = yield* chargedWith(failure(422, "PAYER_ACTION_REQUIRED"))
    assert.deepStrictEqual(state, { _tag: "NeedsCustomer", providerRef: null })
  })
})
