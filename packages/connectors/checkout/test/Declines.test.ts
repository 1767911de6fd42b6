/** Response codes, one by one, with the texts of https://www.checkout.com/docs/resources/codes/response-codes */

import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { unmappedDecline } from "@pointsman/core/connector"

import { declines } from "../src/Declines.ts"
import { connected, reference, sample } from "./Calls.ts"
import { answer, payment } from "./Checkout.ts"

type Row = readonly [code: string, text: string, category: string, soft: boolean, normalized?: string]

const codes: ReadonlyArray<Row> = [
  ["20001", "Refer to card issuer", "do_not_honor", true],
  ["20005", "Declined - Do not honour", "do_not_honor", true],
  ["20014", "Invalid account number (no such number)", "invalid_card", false],
  ["20017", "Customer cancellation", "cancelled_by_customer", false],
  ["20046", "Bank decline", "do_not_honor", true],
  ["20051", "Insufficient funds", "insufficient_funds", false],
  ["20054", "Expired card", "expired_card", false],
  ["20057", "Transaction not permitted to cardholder", "not_permitted", false],
  ["20059", "Suspected fraud", "suspected_fraud", false],
  ["20061", "Activity amount limit exceeded", "limit_exceeded", true, "amount_limit_exceeded"],
  ["20062", "Restricted card", "not_permitted", false],
  ["20065", "Exceeds Withdrawal Frequency Limit", "limit_exceeded", true],
  ["20068", "Response received too late / Timeout", "issuer_unavailable", false, "response_late"],
  ["20075", "Allowable PIN-entry tries exceeded", "authentication_failed", false],
  ["20087", "Bad track data (invalid CVV and/or expiry date)", "invalid_card", false],
  ["20091", "Issuer unavailable or switch is inoperative", "issuer_unavailable", true],
  ["20094", "Duplicate transmission / invoice", "invalid_request", false],
  ["20096", "System malfunction", "issuer_unavailable", true],
  ["20118", "Transaction pending", "other", false],
  ["20151", "Cardholder failed 3DS authentication", "authentication_failed", false],
  ["20179", "Lifecycle", "invalid_card", false],
  ["20182", "Policy", "not_permitted", false],
  ["20183", "Security", "suspected_fraud", false],
  ["2005C", "Transaction not supported / blocked by issuer", "do_not_honor", true],
  ["200A6", "UnionPay forwarded the original request, but did not receive a response", "issuer_unavailable", false],
  ["200N7", "Decline for CVV2 failure", "invalid_card", false],
  ["200R1", "Issuer initiated a stop payment (revocation order)", "not_permitted", false, "authorization_revoked"],
  ["30004", "Pick up card (No fraud)", "lost_or_stolen", false],
  ["30021", "Total amount limit reached", "limit_exceeded", false],
  ["30033", "Expired card - Pick up", "expired_card", false],
  ["30034", "Suspected fraud - Pick up", "suspected_fraud", false],
  ["30041", "Lost card - Pick up", "lost_or_stolen", false, "lost_card"],
  ["30043", "Stolen card - Pick up", "lost_or_stolen", false, "stolen_card"],
  ["30044", "Transaction rejected - AMLD5", "not_permitted", false],
  ["30046", "Closed account", "invalid_card", false],
  ["40101", "Risk blocked transaction", "suspected_fraud", false, "blocked_by_provider"],
  ["40201", "Gateway reject - card number blocklist", "suspected_fraud", false],
  ["41301", "Fraud score exceeds threshold", "suspected_fraud", false],
  ["43102", "Risk blocked transaction - {Rule group name}", "suspected_fraud", false],
  ["99999", "a code of tomorrow", "other", false, "other"]
]

describe("response codes", () => {
  const endOf = (fields: Readonly<Record<string, unknown>>) =>
    connected([answer(201, payment({ reference, status: "Declined", approved: false, ...fields }))]).connector.charge(
      sample.charge
    )

  for (const [code, text, category, soft, named = (declines.get(code) ?? unmappedDecline).normalized] of codes) {
    itRuns(`${code}, ${text} is ${category}, ${soft ? "soft" : "hard"}`, function* () {
      const end = yield* endOf({ response_code: code, response_summary: text })
      const expected = { _tag: "Declined", providerRef: null, category, normalized: named, code, soft }
      assert.deepStrictEqual<unknown>({ ...end, providerRef: null }, expected)
    })
  }
  itRuns("3D Secure required by the issuer or the risk engine needs the customer", function* () {
    for (const response_code of ["20154", "44301"]) {
      assert.strictEqual((yield* endOf({ response_code }))._tag, "NeedsCustomer")
    }
  })
  itRuns("no code is other, and hard", function* () {
    for (const response_code of [undefined, null, ""]) {
      const end = yield* endOf({ response_code })
      assert.deepStrictEqual(end._tag === "Declined" ? [end.category, end.code, end.soft] : end, [
        "other",
        "declined",
        false
      ])
    }
  })
})
