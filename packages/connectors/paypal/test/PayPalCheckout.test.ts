/** A payment on PayPal's page: what is sent when, and what PayPal's answers mean. */

import { assert, describe, it } from "@effect/vitest"
import type { Ask } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { TransportAnswer } from "@pointsman/core/connector"
import { TestClock } from "effect/testing"
import {
  answersWith,
  asking,
  asks,
  attemptId,
  bodyOf,
  checkoutLookup,
  connected,
  eur,
  requestOf,
  sample,
  tagOf,
  unanswers
} from "./Calls.ts"
import {
  amount,
  answer,
  approvalUrl,
  authorization,
  baseUrl,
  capture,
  type Fields,
  failure,
  openedOrder,
  order,
  orderId,
  token
} from "./PayPal.ts"

const given = answer(200, token())
const hour = 60 * 60 * 1000

const opened = {
  ...{ _tag: "CheckoutOpened", reference: orderId, url: approvalUrl },
  // Three hours to send the customer there, and three to approve.
  expiresAt: Date.UTC(2026, 10, 21, 12) + 6 * hour
}
const lookUp: Ask = (connector) => connector.lookUpCharge(checkoutLookup)

describe("the opening of a checkout", () => {
  itRuns("a payment is an order that its customer has to approve, and no more is sent", function* () {
    yield* answersWith(asks.openCheckout, answer(201, openedOrder(attemptId)), opened)
    const request = yield* requestOf(asks.openCheckout)
    assert.strictEqual(request.url, `${baseUrl}/v2/checkout/orders`)
    assert.strictEqual(request.headers["paypal-request-id"], attemptId)
    assert.deepStrictEqual(bodyOf(request), {
      intent: "CAPTURE",
      purchase_units: [{ custom_id: attemptId, invoice_id: attemptId, description: "order 1", amount: amount() }],
      payment_source: {
        paypal: {
          experience_context: {
            user_action: "PAY_NOW",
            shipping_preference: "NO_SHIPPING",
            return_url: sample.openCheckout.returnUrl,
            cancel_url: sample.openCheckout.returnUrl
          }
        }
      }
    })
  })
  itRuns("capture_method manual makes an order to be authorized", function* () {
    const request = yield* requestOf(asking("openCheckout", { capture: false }))
    assert.strictEqual(bodyOf(request)["intent"], "AUTHORIZE")
  })
  itRuns("the end of an order without its time is counted from our clock", function* () {
    yield* TestClock.setTime(5 * hour)
    const given = answer(201, openedOrder(attemptId, { create_time: undefined }))
    yield* answersWith(asks.openCheckout, given, { ...opened, expiresAt: 11 * hour })
  })
  itRuns("an order CREATED with its earlier link sends the customer there", function* () {
    const links = [{ href: approvalUrl, rel: "approve", method: "GET" }]
    yield* answersWith(asks.openCheckout, answer(201, openedOrder(attemptId, { status: "CREATED", links })), opened)
  })
  const unusable: Readonly<Record<string, Fields>> = {
    "another attempt's": { purchase_units: [{ custom_id: "att_2" }] },
    "no attempt's": { purchase_units: [{}] },
    "that is approved already": { status: "APPROVED" },
    "with a link to itself alone": { links: [{ href: "https://api-m.paypal.com/v2/checkout/orders/1", rel: "self" }] }
  }
  for (const [what, fields] of Object.entries(unusable)) {
    it.effect(`an order ${what} is unknown, and no customer is sent anywhere`, () =>
      unanswers(asks.openCheckout, answer(201, openedOrder(attemptId, fields)))
    )
  }
})

describe("the completion of a checkout", () => {
  for (const [isCaptured, path, payments, state] of [
    [true, "capture", { captures: [capture()] }, "Captured"],
    [false, "authorize", { authorizations: [authorization()] }, "Authorized"]
  ] as const) {
    itRuns(`an approved order, to be ${state}, is one request with an id of its own`, function* () {
      const ask = asking("completeCheckout", { capture: isCaptured })
      const paid = { _tag: state, providerRef: orderId, stated: eur }
      yield* answersWith(ask, answer(201, order(attemptId, payments)), paid)
      const request = yield* requestOf(ask)
      assert.strictEqual(request.method, "POST")
      assert.strictEqual(request.url, `${baseUrl}/v2/checkout/orders/${orderId}/${path}`)
      assert.strictEqual(request.headers["paypal-request-id"], `${attemptId}-completion`)
      assert.isUndefined(request.body)
    })
  }

  const issues = [
    ...["ORDER_ALREADY_CAPTURED", "ORDER_ALREADY_AUTHORIZED", "ORDER_COMPLETED_OR_VOIDED", "DUPLICATE_INVOICE_ID"],
    ...["ORDER_COMPLETION_IN_PROGRESS", "MAX_AUTHORIZATION_COUNT_EXCEEDED"]
  ]
  const unsettling: Readonly<Record<string, TransportAnswer>> = {
    "the order as it was before": answer(200, order(attemptId, undefined, { status: "APPROVED" })),
    "the order as it was opened": answer(201, openedOrder(attemptId)),
    "another order": answer(201, order(attemptId, { captures: [capture()] }, { id: "other" })),
    "another attempt's order": answer(201, order("att_2", { captures: [capture()] })),
    ...Object.fromEntries(issues.map((issue) => [issue, failure(422, issue)])),
    "a request in progress": failure(409, "PREVIOUS_REQUEST_IN_PROGRESS")
  }
  for (const [what, said] of Object.entries(unsettling)) {
    it.effect(`${what} has an unknown result`, () => unanswers(asks.completeCheckout, said))
  }

  itRuns("a customer who has to choose another way to pay is declined", function* () {
    for (const code of ["INSTRUMENT_DECLINED", "REDIRECT_PAYER_FOR_ALTERNATE_FUNDING"]) {
      const declined = { category: "do_not_honor", normalized: "do_not_honor", soft: true, providerRef: null }
      yield* answersWith(asks.completeCheckout, failure(422, code), { _tag: "Declined", code, ...declined })
    }
  })
  itRuns("an order without the customer's approval, or gone, executed nothing", function* () {
    const refusals = ["ORDER_NOT_APPROVED", "ORDER_EXPIRED"].map((issue) => failure(422, issue))
    for (const said of [...refusals, failure(404, "INVALID_RESOURCE_ID")]) {
      assert.strictEqual(yield* tagOf(asks.completeCheckout, said), "Rejected")
    }
  })
})

describe("the lookup of a checkout", () => {
  // The suite looks up one that waits, that is approved, and that PayPal has forgotten.
  const states: ReadonlyArray<readonly [string, TransportAnswer, unknown]> = [
    [
      "an approved order with a payment",
      answer(200, order(attemptId, { captures: [capture()] }, { status: "APPROVED" })),
      "Captured"
    ],
    ["a captured order", answer(200, order(attemptId, { captures: [capture()] })), "Captured"],
    ["an authorized order", answer(200, order(attemptId, { authorizations: [authorization()] })), "Authorized"],
    ["a void order", answer(200, order(attemptId, undefined, { status: "VOIDED" })), "Canceled"]
  ]
  for (const [what, said, tag] of states) {
    itRuns(`${what} is ${tag}, by the order that the customer was sent to`, function* () {
      const { connector, requests } = connected([given, said])
      assert.nestedPropertyVal(yield* lookUp(connector), "state._tag", tag)
      assert.strictEqual(requests.at(-1)?.url, `${baseUrl}/v2/checkout/orders/${orderId}`)
      assert.strictEqual(requests.at(-1)?.method, "GET")
    })
  }
  const unreadable: Readonly<Record<string, TransportAnswer>> = {
    "a 404 with another issue": failure(404, "OTHER"),
    "a 404 without an issue": failure(404),
    "a 404 of somebody else": answer(404, "{}"),
    "a complete order without payments": answer(200, order(attemptId, undefined)),
    "another attempt's order": answer(200, order("att_2", undefined, { status: "APPROVED" }))
  }
  for (const [what, said] of Object.entries(unreadable)) {
    it.effect(`${what} settles nothing`, () => unanswers(lookUp, said))
  }
  it.effect("an approved order of a direct charge settles nothing: payments may show late", () =>
    unanswers(asks.lookUpCharge, answer(200, order(attemptId, undefined, { status: "APPROVED" })))
  )
})
