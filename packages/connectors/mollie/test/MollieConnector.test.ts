/** What Mollie's answers, lists and errors become, beyond what every connector is tested for. */

import { assert, describe, it } from "@effect/vitest"
import { type Ask, moneyOperations, noMethod } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type ListedCharge, type ListedPage, money } from "@pointsman/core/connector"
import { Effect, Redacted } from "effect"
import { answersWith, asking, asks, noon, providerRef, requestOf, sample, scripted, tagOf, unanswers } from "./Calls.ts"
import {
  answer,
  apiKey,
  capture,
  chargeback,
  type Fields,
  failure,
  list,
  payment,
  refund,
  webhookUrl
} from "./Mollie.ts"

const sentBy = (ask: Ask) =>
  Effect.map(requestOf(ask), ({ body = "null" }): Fields & { readonly metadata: object } => JSON.parse(body))

describe("a charge", () => {
  itRuns("a mandate is charged as a recurring payment, with our marks and no drawn id", function* () {
    const { connector, requests } = scripted([answer(201, payment())], { apiKey, webhookUrl })
    yield* connector.charge(sample.charge)
    assert.strictEqual(requests[0]?.url, "https://api.mollie.com/v2/payments")
    assert.strictEqual(requests[0]?.headers["authorization"], `Bearer ${apiKey}`)
    const marks = { country: "NL", method: "card", initiator: "mit", reference: "order 1", card_brand: "visa" }
    assert.deepStrictEqual(JSON.parse(requests[0]?.body ?? ""), {
      amount: { currency: "EUR", value: "12.34" },
      description: "order 1",
      webhookUrl,
      metadata: { attempt_id: "att_1", ...marks },
      sequenceType: "recurring",
      redirectUrl: null,
      method: "creditcard",
      customerId: "cst_8wmqcHMN4U",
      mandateId: "mdt_h3gAaD5zP"
    })
  })

  itRuns("manual capture only holds the money", function* () {
    assert.deepInclude(yield* sentBy(asking("charge", { capture: false })), { captureMode: "manual" })
    const held = answer(201, payment({ status: "authorized" }))
    assert.strictEqual(yield* tagOf(asking("charge", { capture: false }), held), "Authorized")
  })

  itRuns("a reference without room in the metadata is left out, and our id is not", function* () {
    const reference = "☂".repeat(255)
    const { metadata } = yield* sentBy(asking("charge", { reference, cardBrand: null }))
    assert.isAtMost(new TextEncoder().encode(JSON.stringify(metadata)).length, 1_000)
    assert.deepInclude(metadata, { attempt_id: "att_1", reference })
    const long = yield* sentBy(asking("charge", { reference: "☂".repeat(400) }))
    const marks = { country: "NL", method: "card", initiator: "mit", card_brand: "visa" }
    assert.deepStrictEqual(long.metadata, { attempt_id: "att_1", ...marks })
  })

  itRuns("no mandate, or another token, sends nothing, and another connection may follow", function* () {
    for (const token of "cst_1 mdt_1 cst_1/mdt_1/x cst_1/tkn_1 pm_1 cst_/mdt_ cst_ä/mdt_1".split(" ")) {
      assert.strictEqual(yield* tagOf(asking("charge", { instrument: Redacted.make(token) }), []), "Rejected")
    }
    assert.strictEqual(yield* tagOf(asking("charge", { instrument: null }), []), "Rejected")
  })

  // `provider-answers.snap.txt` has each of Mollie's reasons.
  itRuns("a failure of a bank or without a reason is other and hard", function* () {
    for (const [details, code] of [
      [{ bankReasonCode: "AM04" }, "AM04"],
      [{}, "failed"],
      [null, "failed"],
      [{ failureReason: "constructor" }, "constructor"]
    ] as const) {
      yield* answersWith(asks.charge, answer(201, payment({ status: "failed", details })), {
        ...{ _tag: "Declined", providerRef, code, category: "other", normalized: "other", soft: false }
      })
    }
  })

  itRuns("a first answer to our key again about another attempt is that attempt's", function* () {
    const again = answer(201, payment({ metadata: { attempt_id: "att_2" } }), { "idempotent-replayed": "true" })
    assert.deepStrictEqual((yield* unanswers(asks.charge, again)).ofAnother, {
      attemptId: "att_2",
      state: { _tag: "Captured", providerRef, stated: money(1234, "EUR") }
    })
  })

  itRuns("a payment of the other mode, of no attempt or with a malformed amount is unknown", function* () {
    const named = [null, undefined, "att_1", { order: 1 }, { attempt_id: 1 }, ["att_1"]].map((metadata) => ({
      metadata
    }))
    const amounts = ["12", "12.340", ""].map((value) => ({ amount: { currency: "EUR", value } }))
    for (const fields of [{ mode: "live" }, ...named, ...amounts]) {
      yield* unanswers(asks.charge, answer(201, payment(fields)))
    }
  })
})

/** Every error of https://docs.mollie.com/reference/handling-errors, and what it says of the request. */
const errors = {
  Rejected: [401, 403, 404, 405, 410, 415, 422, 429],
  "key used": [400, 409],
  Unanswered: [500, 502, 503, 504]
}

describe("an error", () => {
  for (const [becomes, statuses] of Object.entries(errors)) {
    for (const status of statuses) {
      itRuns(`${status} of a payment that was to move money is ${becomes}`, function* () {
        for (const name of moneyOperations) {
          if (becomes === "Rejected") assert.strictEqual(yield* tagOf(asks[name], failure(status)), becomes)
          else {
            const { isKeyUsed = false } = yield* unanswers(asks[name], failure(status))
            assert.strictEqual(isKeyUsed, becomes === "key used")
          }
        }
      })
    }
  }

  itRuns("an error of a gateway with a status of Mollie's is unknown", function* () {
    const strange = { status: 400, title: "x", detail: "y" }
    for (const body of ["", "<html>", "{}", '{"message":"no Route matched"}', strange]) {
      for (const status of [401, 403, 404, 422, 429]) {
        yield* unanswers(asks.charge, answer(status, body))
      }
    }
  })
})

describe("a capture", () => {
  itRuns("a part is asked for with our id, and is what was captured", function* () {
    const amount = { currency: "EUR", value: "10.00" }
    const ask = asking("capture", { money: money(1000, "EUR") })
    const { body = "", url } = yield* requestOf(ask)
    assert.strictEqual(url, `https://api.mollie.com/v2/payments/${providerRef}/captures`)
    assert.deepStrictEqual(JSON.parse(body), { amount, metadata: { operation_id: "op_1", attempt_id: "att_1" } })
    const given = answer(201, capture({ amount, metadata: { operation_id: "op_1" } }))
    yield* answersWith(ask, given, { _tag: "Captured", providerRef, stated: money(1000, "EUR") })
  })

  itRuns("a capture of another operation or payment is unknown", function* () {
    for (const fields of [{ metadata: { operation_id: "op_2" } }, { metadata: null }, { paymentId: "tr_other" }]) {
      yield* unanswers(asks.capture, answer(201, capture(fields)))
    }
  })

  itRuns("a payment with a captured part took that part by its lookup", function* () {
    const amountCaptured = { currency: "EUR", value: "8.00" }
    for (const status of ["paid", "authorized"]) {
      const state = { _tag: "Captured", providerRef, stated: money(800, "EUR") }
      const given = answer(200, payment({ status, amountCaptured }))
      yield* answersWith(asking("lookUpCharge", { providerRef }), given, { _tag: "Found", state })
    }
  })
})

describe("a page", () => {
  itRuns("a card payment's page takes cards, and returns the customer to our address", function* () {
    const body = yield* sentBy(asks.openCheckout)
    assert.deepInclude(body, { method: "creditcard", redirectUrl: sample.openCheckout.returnUrl })
    assert.notProperty(body, "sequenceType")
    assert.deepInclude(body.metadata, { attempt_id: "att_1", checkout: "true" })
  })

  itRuns("a page is opened for the named method", function* () {
    for (const [named, method] of [
      [{ method: "bank", paymentMethod: "ideal" }, "ideal"],
      [{ paymentMethod: "card" }, "creditcard"]
    ] as const) {
      assert.propertyVal(yield* sentBy(asking("openCheckout", named)), "method", method)
    }
  })

  itRuns("a bank payment is offered the profile's methods, and not opened to be held", function* () {
    assert.notProperty(yield* sentBy(asking("openCheckout", { method: "bank" })), "method")
    assert.strictEqual(yield* tagOf(asking("openCheckout", { method: "bank", capture: false }), []), "Rejected")
  })

  const states: ReadonlyArray<readonly [status: string, becomes: string]> = [
    ["open", "NotFound"],
    ["pending", "Pending"],
    ["authorized", "Authorized"],
    ["paid", "Captured"],
    ["canceled", "Canceled"],
    ["expired", "Canceled"],
    ["failed", "Declined"]
  ]
  for (const [status, becomes] of states) {
    itRuns(`a page whose payment is ${status} becomes ${becomes} when looked up`, function* () {
      const details = { failureReason: "authentication_required" }
      const found = payment({ status, details, metadata: { attempt_id: "att_1", checkout: "true" } })
      const ask = asking("lookUpCharge", { checkoutReference: providerRef })
      const { connector, requests } = scripted([answer(200, found)])
      const looked = yield* ask(connector)
      assert.nestedPropertyVal(looked, becomes === "NotFound" ? "_tag" : "state._tag", becomes)
      if (becomes === "NotFound") assert.nestedPropertyVal(looked, "conclusive", false)
      assert.strictEqual(requests[0]?.url, `https://api.mollie.com/v2/payments/${providerRef}?embed=refunds`)
    })
  }

  itRuns("the dashboard's refunds of a looked-up payment have no id of ours", function* () {
    const amount = { currency: "EUR", value: "4.00" }
    const byHand = refund({ id: "re_hand", amount, status: "queued", metadata: null })
    const found = payment({ status: "paid", _embedded: { refunds: [refund(), byHand] } })
    const { connector } = scripted([answer(200, found)])
    const looked = yield* connector.lookUpCharge({ ...sample.lookUpCharge, providerRef })
    assert.deepStrictEqual(looked._tag === "Found" ? looked.refunds : looked, [
      { refundId: "rf_1", state: { _tag: "Succeeded", providerRefundId: "re_4qqhO89gsT", stated: money(1234, "EUR") } },
      { refundId: null, state: { _tag: "RefundPending", providerRefundId: "re_hand", stated: money(400, "EUR") } }
    ])
  })
})

const hour = 60 * 60 * 1000
const at = (millis: number) => new Date(millis).toISOString()
const others = (count: number, created: number) =>
  Array.from({ length: count }, (_, index) =>
    payment({ id: `tr_o${index}`, createdAt: at(created), metadata: { order: 1 } })
  )
const dated = (millis: number) => ({ date: new Date(millis).toUTCString() })

describe("the lookup of a charge that was not answered", () => {
  itRuns("a charge on the third page is found, and Mollie's next link is not followed", function* () {
    const pages = [
      answer(200, list("payments", others(2, noon + hour), "tr_2")),
      answer(200, list("payments", others(2, noon), "tr_3")),
      answer(200, list("payments", [payment()], "tr_4"))
    ]
    const { connector, requests } = scripted(pages)
    assert.nestedPropertyVal(yield* asks.lookUpCharge(connector), "state._tag", "Captured")
    assert.deepStrictEqual(
      requests.map(({ url }) => url),
      ["", "&from=tr_2", "&from=tr_3"].map((from) => `https://api.mollie.com/v2/payments?limit=250${from}`)
    )
    for (const { headers } of requests) assert.isUndefined(headers["idempotency-key"], "no answer is kept for it")
  })

  itRuns("a list that goes back an hour before denies an hour after, and not before", function* () {
    const older = list("payments", others(2, noon - hour - 1), "tr_2")
    for (const [headers, conclusive] of [
      [dated(noon + hour - 1_000), false],
      [dated(noon + hour), true],
      [{}, false]
    ] as const) {
      yield* answersWith(asks.lookUpCharge, answer(200, older, headers), { _tag: "NotFound", conclusive })
    }
  })

  it.effect("the next page is asked for of a list that does not go back far enough", () =>
    answersWith(
      asks.lookUpCharge,
      [
        answer(200, list("payments", others(2, noon - hour), "tr_2"), dated(noon + 2 * hour)),
        answer(200, list("payments", []), dated(noon + 2 * hour))
      ],
      { _tag: "NotFound", conclusive: true }
    )
  )

  itRuns("more pages than are asked for deny nothing", function* () {
    const page = answer(200, list("payments", others(1, noon), "tr_next"), dated(noon + 2 * hour))
    const pages = Array.from({ length: 80 }, () => page)
    yield* answersWith(asks.lookUpCharge, pages, { _tag: "NotFound", conclusive: false })
  })

  itRuns("a list that is cut, or leads nowhere, is unknown", function* () {
    const whole = list("payments", others(2, noon))
    for (const spoiled of [
      { ...whole, count: 3 },
      { ...whole, _links: {} },
      { ...whole, _links: { next: { href: "https://api.mollie.com/v2/payments" } } },
      { ...whole, _links: { next: { href: "nowhere" } } },
      { ...whole, _embedded: { refunds: [] } }
    ]) {
      yield* unanswers(asks.lookUpCharge, answer(200, spoiled, dated(noon + 2 * hour)))
    }
  })
})

describe("the lookup of a refund", () => {
  const providerRefundId = "re_4qqhO89gsT"
  const found = { _tag: "Found", state: { _tag: "Succeeded", providerRefundId, stated: money(1234, "EUR") } }
  itRuns("a refund with our id among others is found; another id is denied after an hour", function* () {
    const entries = [refund({ id: "re_other", metadata: { order: 1 } }), refund()]
    yield* answersWith(asks.lookUpRefund, answer(200, list("refunds", entries)), found)
    const { headers, url } = yield* requestOf(asks.lookUpRefund)
    assert.strictEqual(url, `https://api.mollie.com/v2/payments/${providerRef}/refunds?limit=250`)
    assert.isUndefined(headers["idempotency-key"])
    const none = answer(200, list("refunds", entries.slice(0, 1)), dated(noon + hour))
    yield* answersWith(asks.lookUpRefund, none, { _tag: "NotFound", conclusive: true })
  })

  itRuns("a refund is asked for by Mollie's id, and nothing denied if missing", function* () {
    const known = asking("lookUpRefund", { providerRefundId })
    yield* answersWith(known, answer(200, refund()), found)
    yield* answersWith(known, failure(404, { title: "Not Found" }), { _tag: "NotFound", conclusive: false })
    const { url } = yield* requestOf(known)
    assert.strictEqual(url, `https://api.mollie.com/v2/payments/${providerRef}/refunds/${providerRefundId}`)
  })

  itRuns("Mollie's id of a refund made by hand is found without our id", function* () {
    const ofRefund = asking("lookUpRefund", { refundId: "rf_of_this_refund_by_hand", providerRefundId })
    const stateOf = (fields: Fields) => ofRefund(scripted([answer(200, refund(fields))]).connector)
    for (const metadata of [null, { order: 1 }, { refund_id: "8151" }]) {
      assert.nestedPropertyVal(yield* stateOf({ metadata, status: "queued" }), "state._tag", "RefundPending")
      // "The refund was canceled and will no longer be processed" (https://docs.mollie.com/docs/refunds).
      assert.nestedPropertyVal(yield* stateOf({ metadata, status: "canceled" }), "state._tag", "RefundFailed")
      yield* unanswers(ofRefund, answer(200, refund({ metadata, paymentId: "tr_other" })))
    }
    // It is another one of ours.
    yield* unanswers(ofRefund, answer(200, refund()))
  })
})

describe("the lists for recovery", () => {
  const window = { createdFrom: noon, createdBefore: noon + hour, cursor: null }
  const ours = (id: string, created: number) =>
    payment({ id, createdAt: at(created), metadata: { attempt_id: `att_${id}` } })

  const attemptsIn = ({ items }: ListedPage<ListedCharge>) => items.map(({ attemptId }) => attemptId)

  itRuns("a window of several pages is read from its beginning, oldest first", function* () {
    const { connector, requests } = scripted([
      answer(200, list("payments", [ours("5", noon + 2 * hour), ours("4", noon + 4)], "3")),
      answer(200, list("payments", [ours("3", noon + 3), ours("2", noon)], "1")),
      answer(200, list("payments", [ours("1", noon - 1)])),
      answer(200, list("payments", [ours("2", noon), ours("3", noon + 3)], "4")),
      answer(200, list("payments", [ours("4", noon + 4), ours("5", noon + 2 * hour)], "6"))
    ])
    const first = yield* connector.listCharges?.(window) ?? noMethod
    assert.deepStrictEqual(attemptsIn(first), ["att_2", "att_3"])
    assert.strictEqual(first.nextCursor, "4")
    const second = yield* connector.listCharges?.({ ...window, cursor: "4" }) ?? noMethod
    assert.deepStrictEqual(attemptsIn(second), ["att_4"])
    assert.isNull(second.nextCursor)
    assert.deepStrictEqual(
      requests.map(({ url }) => new URL(url).search),
      ["&sort=desc", "&sort=desc&from=3", "&sort=desc&from=1", "&sort=asc&from=2", "&sort=asc&from=4"].map(
        (rest) => `?limit=250${rest}`
      )
    )
  })

  itRuns("a list leaves out entries of other programs, and names a broken one of ours", function* () {
    const broken = { ...ours("3", noon), amount: { currency: "EUR", value: "1" } }
    const { connector } = scripted([answer(200, list("payments", [broken, ...others(1, noon), ours("1", noon)]))])
    const page = yield* connector.listCharges?.(window) ?? noMethod
    assert.deepStrictEqual(attemptsIn(page), ["att_1"])
    assert.deepStrictEqual(page.unreadable, [{ reference: "3", reason: "it cannot be read at amount" }])
  })

  itRuns("each chargeback is listed by its payment, and a reversed one as won", function* () {
    const at = (minutes: number) => new Date(noon + minutes * 60_000).toISOString()
    const given = [
      chargeback({ id: "chb_3", createdAt: at(3), paymentId: 7 }),
      chargeback({ id: "chb_2", createdAt: at(2), reversedAt: at(9), amount: { currency: "EUR", value: "2.00" } }),
      chargeback({ id: "chb_1", createdAt: at(1) }),
      chargeback({ id: "chb_0", createdAt: at(-1) })
    ]
    const { connector, requests } = scripted([answer(200, list("chargebacks", given))])
    const { items, unreadable } = yield* connector.listDisputes?.(window) ?? noMethod
    const charge = { providerRef }
    assert.deepStrictEqual<unknown>(items, [
      { charge, disputeId: "chb_1", verdict: "opened", money: money(1234, "EUR"), at: noon + 60_000 },
      { charge, disputeId: "chb_2", verdict: "won", money: money(200, "EUR"), at: noon + 9 * 60_000 }
    ])
    assert.deepStrictEqual(unreadable, [{ reference: "chb_3", reason: "it cannot be read at paymentId" }])
    assert.include(requests[0]?.url, "/v2/chargebacks?limit=250&sort=desc")
  })
})
