import { AdyenConnector } from "@pointsman/connector-adyen"
import {
  type ByHandSituation,
  brokenCredentials,
  connectorSuite,
  type MessageSituation,
  type Operation,
  type Played,
  type Situation
} from "@pointsman/contracts/connector"
import type { TransportAnswer } from "@pointsman/core/connector"
import { answer, apiKey, credentials, envelope, hmacKey, type Item, merchantAccount, serviceError } from "./Adyen.ts"
import { signed, signedItem } from "./Signer.ts"

const { liveUrlPrefix } = credentials

/** A refusal reason's code for the category and softness; the suite asks for every pair. */
const refusals: Readonly<Record<string, readonly [code: string, reason: string]>> = {
  "insufficient_funds false": ["12", "Not enough balance"],
  "do_not_honor true": ["2", "Refused"],
  "do_not_honor false": ["27", "Declined Non Generic"],
  "issuer_unavailable true": ["9", "Issuer Unavailable"],
  "limit_exceeded true": ["28", "Withdrawal amount exceeded"],
  "expired_card false": ["6", "Expired Card"]
}

connectorSuite({
  name: "adyen",
  definition: AdyenConnector.definition,
  credentials,
  secrets: [apiKey],
  account: { is: { id: merchantAccount, mode: "test" } },
  instrument: "shopper_of_the_contract/M5N7TQ4TG5PFWR50",
  brokenCredentials: brokenCredentials(
    { apiKey, merchantAccount },
    {
      apiKey: [undefined, "", "two words", "line\r\nx: y"],
      merchantAccount: [undefined, "", "Points man"],
      liveUrlPrefix: ["evil.example/", "x".repeat(50)],
      returnUrl: ["shop.example"],
      liveUrlPrefx: [liveUrlPrefix]
    }
  ),

  cannotBeAsked: { directCharges: true, refunds: true },
  play: (situation) => {
    const played = answerTo(situation)
    return played === undefined ? undefined : ({ answer: played } satisfies Played)
  },
  lacks: [
    // Adyen answers "received", and reports the outcome by a webhook.
    "capture captured",
    "capture still authorized",
    "capture declined",
    "capture canceled",
    "void canceled",
    "void still authorized",
    "void declined",
    "void captured",
    "refund succeeded",
    "refund failed",
    // A payment link's record names no payment.
    "lookup authorized",
    "lookup captured",
    "lookup pending",
    "lookup declined",
    "lookup needs customer",
    "lookup canceled"
  ],
  messages: {
    toleranceMillis: null,
    secrets: {
      right: hmacKey,
      wrong: ["", `${hmacKey}0`, hmacKey.slice(0, -1), hmacKey.slice(0, -2), `${hmacKey}01`, "not hexadecimal", "zz"]
    },
    idOf: (situation) => {
      const { eventCode, pspReference, success } = itemOf(situation) ?? unsupported
      return `${pspReference}:${eventCode}:${success}`
    },
    sign: (situation, secret) => {
      const item = itemOf(situation)
      return item === undefined ? undefined : signed(item, secret)
    },
    signText: {
      tampered: (situation, secret) => {
        const right = signedItem(itemOf(situation) ?? unsupported, secret)
        const { hmacSignature } = right.additionalData
        const others = {
          pspReference: { pspReference: "QFQTPCQ8HXSKGK83" },
          originalReference: { originalReference: "prv_charge_2" },
          "originalReference, left out": { originalReference: undefined },
          merchantAccountCode: { merchantAccountCode: "PointsmanDE" },
          merchantReference: { merchantReference: "att_another.taken" },
          "amount.value": { amount: { ...right.amount, value: right.amount.value + 1 } },
          "amount.currency": { amount: { ...right.amount, currency: "JPY" } },
          amount: { amount: undefined },
          eventCode: { eventCode: "CANCELLATION" },
          success: { success: "false" },
          signature: {
            additionalData: { hmacSignature: hmacSignature.replace(/^./u, (one) => (one === "A" ? "B" : "A")) }
          },
          "signature, cut": { additionalData: { hmacSignature: hmacSignature.slice(0, -1) } },
          "signature, longer": { additionalData: { hmacSignature: `${hmacSignature}A` } },
          "signature, empty": { additionalData: { hmacSignature: "" } },
          "signature, left out": { additionalData: {} },
          "number of items (none)": undefined
        }
        const changed = Object.entries(others).map(
          ([part, other]) =>
            [part, { headers: {}, body: other === undefined ? envelope() : envelope({ ...right, ...other }) }] as const
        )
        return [...changed, ["number of items (two)", { headers: {}, body: envelope(right, right) }]]
      },
      unreadable: (secret) =>
        [
          { eventCode: "REPORT_AVAILABLE", pspReference: "hunter2" },
          { eventCode: "hunter2", pspReference: "QFQTPCQ8HXSKGK82" },
          { eventCode: "CAPTURE", pspReference: "hunter2", eventDate: "hunter2" },
          { eventCode: "CAPTURE", pspReference: "hunter2:hunter2" },
          { eventCode: "CAPTURE", pspReference: "hunter2", merchantAccountCode: "SomebodyElse" },
          { eventCode: "CAPTURE", pspReference: "hunter2", amount: { value: 0.5, currency: "EUR" } },
          { eventCode: "CAPTURE", pspReference: "hunter2", success: "perhaps" }
        ].map((item) => signed({ success: "true", merchantReference: "att_1.capture", ...item }, secret))
    }
  },
  byHand: {
    messages: (of, secret) => {
      const told = itemsByHand(of)
      return "lacks" in told ? told : told.map((item) => signed(item, secret))
    },
    lookUp: () => ({ lacks: "Adyen has no lookup of a payment" }),
    rows: () => ({ lacks: "a report is a file, which `@pointsman/reconcile` reads" })
  },
  wire: {
    idempotencyKeyOf: (request) => request.headers["idempotency-key"],
    amountOf: (request) => JSON.parse(request.body ?? "{}").amount.value,
    amounts: { EUR: 1234, JPY: 500, KWD: 1230 },
    currencyOf: (request) => JSON.parse(request.body ?? "{}").amount.currency,
    currencies: { EUR: "EUR", JPY: "JPY", KWD: "KWD" },
    checkout: {
      leadingTo: (url, situation) => answer(201, { ...link(situation), url }),
      returnUrlOf: (request) => JSON.parse(request.body ?? "{}").returnUrl
    },
    unknownStatus: (operation, situation) =>
      successOf(
        operation,
        situation,
        operation === "charge" ? { resultCode: "AuthenticationNotRequired" } : { status: "paused" }
      ),
    withoutReference: (operation, situation) =>
      successOf(operation, situation, { id: undefined, pspReference: undefined })
  }
})

function payment({ money, providerRef }: Situation) {
  return {
    pspReference: providerRef,
    resultCode: "Authorised",
    amount: { value: money.minorUnits, currency: money.currency }
  }
}

function link({ attemptId, checkout }: Situation) {
  return {
    id: checkout.reference,
    merchantAccount,
    reference: `${attemptId}.taken.page`,
    url: checkout.url,
    status: "active",
    expiresAt: new Date(checkout.expiresAt).toISOString()
  }
}

function modification(operation: Operation, { money, providerRef, providerRefundId }: Situation) {
  return {
    merchantAccount,
    paymentPspReference: providerRef,
    pspReference: operation === "refund" ? providerRefundId : "QFQTPCQ8HXSKGK82",
    status: "received",
    ...(operation === "void" ? {} : { amount: { value: money.minorUnits, currency: money.currency } })
  }
}

function successOf(operation: Operation, situation: Situation, fields: object = {}): TransportAnswer {
  if (operation === "charge") return answer(200, { ...payment(situation), ...fields })
  if (operation === "openCheckout") return answer(201, { ...link(situation), ...fields })
  if (operation === "lookUpCharge") return answer(200, { ...link(situation), ...fields })
  return answer(201, { ...modification(operation, situation), ...fields })
}

function answerTo(situation: Situation): TransportAnswer | undefined {
  const { decline, name, rejection } = situation
  if (name.endsWith("rejected")) return serviceError(422, rejection.code, rejection.message)
  switch (name) {
    case "charge authorized":
    case "charge captured":
      return successOf("charge", situation)
    case "charge pending":
      return successOf("charge", situation, { resultCode: "Pending" })
    case "charge canceled":
      return successOf("charge", situation, { resultCode: "Cancelled" })
    case "charge needs customer":
      return answer(200, { resultCode: "RedirectShopper", action: { type: "redirect", url: "https://bank.example" } })
    case "charge declined": {
      const [refusalReasonCode, refusalReason] = refusals[`${decline?.category} ${decline?.soft}`] ?? []
      if (refusalReasonCode === undefined) return undefined
      return successOf("charge", situation, { resultCode: "Refused", refusalReason, refusalReasonCode })
    }
    case "checkout opened":
      return successOf("openCheckout", situation)
    case "capture pending":
      return successOf("capture", situation)
    case "void pending":
      return successOf("void", situation)
    case "refund pending":
      return successOf("refund", situation)
    case "lookup not found":
      return successOf("lookUpCharge", situation, { status: "expired" })
    case "lookup not found yet":
      return successOf("lookUpCharge", situation)
    default:
      return undefined
  }
}

const unsupported: Item = { eventCode: "CAPTURE", success: "true", pspReference: "P", merchantReference: "att_1.taken" }

/** As `Webhooks-v1` describes the messages. */
function itemOf(situation: MessageSituation): Item | undefined {
  const { at, attemptId, disputeId, money, name, operationId, providerRef, providerRefundId, refundId } = situation
  const common = {
    success: "true",
    eventDate: new Date(at).toISOString(),
    amount: { value: money.minorUnits, currency: money.currency }
  }
  const ofPayment = { ...common, originalReference: providerRef, merchantReference: `${attemptId}.held` }
  const changed = (eventCode: string, word: string, more: Partial<Item> = {}) => ({
    ...{ ...ofPayment, eventCode, pspReference: "QFQTPCQ8HXSKGK82", merchantReference: `${attemptId}.${word}` },
    ...more
  })
  const refunded = { ...ofPayment, eventCode: "REFUND", pspReference: providerRefundId, merchantReference: refundId }
  switch (name) {
    case "charge authorized":
      return {
        ...common,
        eventCode: "AUTHORISATION",
        pspReference: providerRef,
        merchantReference: `${attemptId}.held`
      }
    case "charge captured":
      return changed("CAPTURE", "capture")
    case "charge canceled":
      return changed("CANCELLATION", "cancel")
    case "refund succeeded":
      return refunded
    case "refund failed":
      return { ...refunded, success: "false" }
    // It reports success only of the charge, and never that the operation is in progress.
    case "operation confirmed":
    case "operation pending":
      return undefined
    case "operation failed":
      return changed("CAPTURE", `take.${operationId}`, { success: "false", reason: "Insufficient balance on payment" })
    case "operation failed for now": {
      const reason = "Capture rejected by card scheme because of a technical issue."
      return changed("CAPTURE_FAILED", `take.${operationId}`, { reason })
    }
    // Adyen pays out in batches, and tells by reports of many payments.
    case "charge settled":
      return undefined
    case "dispute opened":
      return { ...ofPayment, eventCode: "CHARGEBACK", pspReference: disputeId }
    // Each of its messages is of a stage.
    case "dispute updated":
      return undefined
    case "dispute won":
      return { ...ofPayment, eventCode: "CHARGEBACK_REVERSED", pspReference: disputeId }
    case "dispute lost":
      return { ...ofPayment, eventCode: "SECOND_CHARGEBACK", pspReference: disputeId }
  }
}

/** In the Customer Area: under the payment's reference, or one of their own. */
function itemsByHand({ attemptId, captures, name, providerRef, providerRefundId, refunded }: ByHandSituation) {
  const ofPayment = { success: "true", originalReference: providerRef, merchantReference: `${attemptId}.held` }
  const ofChange = { ...ofPayment, pspReference: "QFQTPCQ8HXSKGK82" }
  switch (name) {
    case "refund": {
      const amount = { value: refunded.minorUnits, currency: refunded.currency }
      return [{ ...ofPayment, eventCode: "REFUND", pspReference: providerRefundId, amount }]
    }
    case "pending refund":
      return { lacks: "`REFUND` comes once it is known whether it was done" }
    case "capture":
    case "two captures":
      return captures.map(({ id, money: { currency, minorUnits: value } }) => ({
        ...{ ...ofPayment, eventCode: "CAPTURE", pspReference: id, merchantReference: "by hand" },
        amount: { value, currency }
      }))
    case "void":
      return [{ ...ofChange, eventCode: "CANCELLATION" }]
    case "expiry":
      return [{ ...ofChange, eventCode: "EXPIRE" }]
  }
}
