/**
 * The answers of these tests against what Checkout.com's API answers: the names and types of its description, as the official
 * SDKs document them (`PaymentResponse.cs`, `GetPaymentResponse.cs`, `PaymentsQueryResponse.cs`, `PaymentAction.cs`,
 * `CaptureResponse.cs`, `PaymentLinkResponse.cs` and `PaymentLinkDetailsResponse.cs` of
 * https://github.com/checkout/checkout-sdk-net, which is under the MIT licence). Checkout.com publishes no OpenAPI document.
 * What is sent is in `Requests.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { faultOf } from "@pointsman/contracts/connector"
import { Schema } from "effect"
import {
  accepted,
  acceptedPayment,
  action,
  authorization,
  capturedPayment,
  link,
  list,
  lookedUp,
  openedLink,
  payment
} from "./Checkout.ts"

const Amount = Schema.Natural
const Currency = Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/))
const Time = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z$/))
const Links = Schema.Record(Schema.String, Schema.Struct({ href: Schema.String }))

/** `PaymentStatus.cs` */
const Status = Schema.Literals([
  "Active",
  "Pending",
  "Authorized",
  "Card Verified",
  "Voided",
  "Partially Captured",
  "Captured",
  "Partially Refunded",
  "Refunded",
  "Declined",
  "Canceled",
  "Expired",
  "Requested",
  "Paid",
  "Returned",
  "Retry Scheduled"
])

const common = {
  id: Schema.String,
  amount: Amount,
  currency: Currency,
  approved: Schema.Boolean,
  status: Status,
  balances: Schema.Struct({
    total_authorized: Amount,
    total_voided: Schema.optionalKey(Amount),
    available_to_void: Schema.optionalKey(Amount),
    total_captured: Amount,
    available_to_capture: Schema.optionalKey(Amount),
    total_refunded: Schema.optionalKey(Amount),
    available_to_refund: Schema.optionalKey(Amount)
  }),
  source: Schema.Struct({
    ...{ id: Schema.String, type: Schema.Literal("card"), scheme: Schema.String, last4: Schema.String },
    ...{ expiry_month: Schema.Int, expiry_year: Schema.Int }
  }),
  customer: Schema.Struct({ id: Schema.String, email: Schema.String, name: Schema.String }),
  processed_on: Time,
  reference: Schema.optionalKey(Schema.String),
  risk: Schema.Struct({ flagged: Schema.Boolean }),
  _links: Links
}
const Requested = Schema.Struct({
  ...common,
  ...{ action_id: Schema.String, auth_code: Schema.String },
  ...{ response_code: Schema.String, response_summary: Schema.String }
})
/** `PaymentAccepted.cs`, `ThreeDsEnrollment.cs` */
const PaymentAccepted = Schema.Struct({
  ...{ id: Schema.String, status: Status, reference: Schema.optionalKey(Schema.String) },
  customer: Schema.Struct({ id: Schema.String, email: Schema.String, name: Schema.String }),
  "3ds": Schema.Struct({ downgraded: Schema.Boolean, enrolled: Schema.String }),
  _links: Links
})
const LookedUp = Schema.Struct({
  ...common,
  requested_on: Time,
  payment_type: Schema.Literals(["Regular", "Recurring", "MOTO", "Installment", "PayLater", "Unscheduled"]),
  actions: Schema.Array(
    Schema.Struct({
      ...{ id: Schema.String, type: Schema.String },
      ...{ response_code: Schema.String, response_summary: Schema.String }
    })
  )
})
const Action = Schema.Struct({
  id: Schema.String,
  // `ActionType.cs`
  type: Schema.Literals(["Authorization", "Card Verification", "Void", "Capture", "Refund", "Payout", "Return"]),
  processed_on: Time,
  amount: Amount,
  approved: Schema.Boolean,
  ...{ response_code: Schema.String, response_summary: Schema.String },
  reference: Schema.optionalKey(Schema.String),
  processing: Schema.Struct({ acquirer_reference_number: Schema.String, acquirer_transaction_id: Schema.String })
})
const List = Schema.Struct({
  ...{ limit: Schema.Int, skip: Schema.Int, total_count: Schema.Int },
  data: Schema.Array(LookedUp)
})
const Accepted = Schema.Struct({ action_id: Schema.String, reference: Schema.String, _links: Links })
const OpenedLink = Schema.Struct({ id: Schema.String, expires_on: Time, _links: Links })
const PaymentLink = Schema.Struct({
  id: Schema.String,
  // `PaymentLinkStatus.cs`
  status: Schema.Literals(["Active", "Payment Received", "Expired"]),
  ...{ expires_on: Time, created_on: Time, amount: Amount, currency: Currency },
  ...{ reference: Schema.String, return_url: Schema.String, payment_id: Schema.optionalKey(Schema.String) }
})

describe("the answers of these tests", () => {
  const answers: ReadonlyArray<readonly [string, Schema.Decoder<unknown>, object]> = [
    ["a payment that was requested", Requested, payment()],
    ["one that was accepted", PaymentAccepted, acceptedPayment()],
    ["one that was captured", Requested, capturedPayment(1234)],
    ["one that is looked up", LookedUp, lookedUp()],
    ["a list of payments", List, list(lookedUp())],
    ["an authorization", Action, authorization],
    ["a capture", Action, action()],
    ["an operation that was accepted", Accepted, accepted()],
    ["a payment link that was opened", OpenedLink, openedLink()],
    ["a payment link that is looked up", PaymentLink, link({ payment_id: "pay_mbabizu24mvu3mela5njyhpit4" })]
  ]

  for (const [what, shape, value] of answers) {
    it(`${what} is as Checkout.com describes it, and a misspelt field is refused`, () => {
      const written = JSON.parse(JSON.stringify(value))
      assert.isUndefined(faultOf(shape, written))
      assert.isString(faultOf(shape, { ...written, refrence: "x" }))
    })
  }
})
