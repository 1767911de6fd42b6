import { CheckoutConnector } from "@pointsman/connector-checkout"
import {
  type ByHandSituation,
  brokenCredentials,
  connectorSuite,
  type MessageSituation,
  type Operation,
  type Situation
} from "@pointsman/contracts/connector"
import type { ConnectorDefinition, ListedDispute, TransportAnswer, TransportRequest } from "@pointsman/core/connector"
import { Effect } from "effect"
import {
  accepted,
  action,
  answer,
  authorization,
  dispute,
  event,
  failure,
  instrument,
  list,
  openedLink,
  payment,
  prefix,
  secretKey,
  signed,
  told
} from "./Checkout.ts"

/** A placeholder for our reference in an object: Checkout.com gives back what it was given. */
const ourReference = "our_reference_here"

const remembering: ConnectorDefinition = {
  ...CheckoutConnector.definition,
  connect: (account, transport) =>
    CheckoutConnector.definition.connect(account, {
      send: (request) =>
        Effect.map(transport.send(request), (given) => ({
          ...given,
          body: given.body.replaceAll(ourReference, referenceIn(request))
        }))
    })
}

const live = "sk_o2nulev2arguvyf6w7sc5fkznas"

/** The suite connects in both environments, and a key is of one. */
const inEither: ConnectorDefinition = {
  ...remembering,
  connect: (account, transport) => {
    const { credentials, environment } = account
    const isWorking = typeof credentials === "object" && credentials !== null && "isWorking" in credentials
    if (!isWorking) return remembering.connect(account, transport)
    const { isWorking: _, ...others } = credentials
    const key = environment === "production" ? live : secretKey
    return remembering.connect({ ...account, credentials: { ...others, secretKey: key } }, transport)
  }
}

const codes: Readonly<Record<string, string>> = {
  "insufficient_funds hard": "20051",
  "do_not_honor soft": "20005",
  "expired_card hard": "20054",
  "invalid_card hard": "20014",
  "lost_or_stolen hard": "30041",
  "suspected_fraud hard": "40101",
  "limit_exceeded soft": "20061",
  "limit_exceeded hard": "30021",
  "authentication_failed hard": "20151",
  "not_permitted hard": "20057",
  "issuer_unavailable soft": "20091",
  "issuer_unavailable hard": "20068",
  "invalid_request hard": "20013",
  "cancelled_by_customer hard": "20017",
  "other hard": "20999"
}

connectorSuite({
  name: "checkout",
  definition: inEither,
  credentials: { isWorking: true, secretKey, prefix, baseUrl: "https://checkout.example/" },
  secrets: [secretKey],
  instrument,
  account: { is: { id: prefix, mode: "test" } },
  disputes: {
    answers: (disputes) => [
      answer(200, { limit: 250, skip: 0, total_count: disputes.length, data: disputes.map(disputeOf).toReversed() })
    ],
    // Of an end there is no other status.
    told: ({ status, ...listed }) => ({ ...listed, ...(listed.verdict === "opened" && status && { status }) })
  },
  brokenCredentials: brokenCredentials(
    { secretKey, prefix },
    {
      secretKey: [
        ...[undefined, "", "pk_sbox_o2nulev2arguvyf6w7sc5fkznas", "sk_sbox_two words", "sk_sbox_line\r\nx: y", live]
      ],
      prefix: [undefined, "", "evil.example/", "VKUHVK4V"],
      processingChannelId: ["pc_1"],
      prefx: [prefix]
    }
  ),

  play: (situation) => {
    const played = answerTo(situation)
    return played === undefined ? undefined : { answer: played }
  },
  lacks: [
    // A capture, a void and a refund are accepted, and nothing more.
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
    // It tries no action again by itself.
    "operation lookup failed for now",
    // No page says that what it shows is complete.
    "lookup not found",
    "operation lookup not found",
    "refund lookup not found"
  ],
  messages: {
    // The signature has none; the age of the event is for this connector's own tests.
    toleranceMillis: null,
    sign: (situation, secret) => {
      const message = messageOf(situation)
      return message === undefined ? undefined : signed(JSON.stringify(message), secret)
    },
    signText: (text, secret) => signed(text, secret)
  },
  byHand: {
    messages: (of, secret) => eventsByHand(of).map((one) => signed(JSON.stringify(one), secret)),
    lookUp: lookedUpByHand,
    rows: () => ({ lacks: "a report is a file, which `@pointsman/reconcile` reads" })
  },
  wire: {
    idempotencyKeyOf: (request) => request.headers["cko-idempotency-key"],
    amountOf: (request) => bodyOf(request)["amount"],
    amounts: { EUR: 1234, JPY: 500, KWD: 1230 },
    currencyOf: (request) => bodyOf(request)["currency"],
    currencies: { EUR: "EUR", JPY: "JPY", KWD: "KWD" },
    checkout: {
      leadingTo: (href, { checkout }) =>
        answer(201, openedLink({ id: checkout.reference, _links: { redirect: { href } } })),
      returnUrlOf: (request) => bodyOf(request)["return_url"]
    },
    unknownStatus: (operation, situation) => spoiled(operation, situation, "status"),
    withoutReference: (operation, situation) => spoiled(operation, situation, "reference")
  }
})

function bodyOf(request: TransportRequest): Readonly<Record<string, unknown>> {
  return JSON.parse(request.body ?? "{}")
}

function referenceIn(request: TransportRequest): string {
  return request.method === "POST"
    ? String(bodyOf(request)["reference"])
    : (new URL(request.url).searchParams.get("reference") ?? "")
}

function spoiled(operation: Operation, situation: Situation, what: "status" | "reference"): TransportAnswer {
  const isStatus = what === "status"
  const { checkout } = situation
  const lost = isStatus ? {} : { id: undefined }
  switch (operation) {
    case "charge":
      return answer(201, chargeOf(situation, isStatus ? { status: "Settled" } : lost))
    case "openCheckout":
      return answer(201, openedLink({ id: checkout.reference, ...(isStatus ? { expires_on: "soon" } : lost) }))
    case "completeCheckout":
      throw new Error("the connector has none")
    case "capture":
    case "void":
    case "refund":
      // It has no status; another reference is another request's.
      return answer(
        202,
        accepted(isStatus ? { reference: "ORD-1" } : { reference: ourReference, action_id: undefined })
      )
    case "lookUpCharge":
      return answer(200, list(chargeOf(situation, isStatus ? { status: "Settled" } : lost)))
    case "lookUpOperation":
      return changed(situation, isStatus ? { approved: "perhaps" } : { metadata: undefined })
    case "lookUpRefund":
      return refunded(situation, isStatus ? { approved: "perhaps" } : lost)
  }
}

/** The actions of a payment, of which the first one is ours. */
function changed({ kind, money, operationId }: Situation, fields: Readonly<Record<string, unknown>> = {}) {
  const type = kind === "capture" ? "Capture" : "Void"
  const ours = { type, amount: money.minorUnits, metadata: { operation_id: operationId } }
  return answer(200, [action({ ...ours, ...fields }), authorization])
}

function refunded({ money, providerRefundId, refundId }: Situation, fields: Readonly<Record<string, unknown>> = {}) {
  const ours = { id: providerRefundId, amount: money.minorUnits, metadata: { refund_id: refundId } }
  return answer(200, [action({ type: "Refund", ...ours, ...fields }), authorization])
}

function chargeOf({ money, providerRef }: Situation, fields: Readonly<Record<string, unknown>>) {
  const { currency, minorUnits: amount } = money
  return payment({
    ...{ id: providerRef, amount, currency, reference: ourReference },
    balances: { total_authorized: amount, total_captured: 0 },
    ...fields
  })
}

function answerTo(situation: Situation): TransportAnswer | undefined {
  const { checkout, decline, money, name, providerRefundId, rejection } = situation
  const amount = money.minorUnits
  const isLookUp = name.startsWith("lookup")
  const charged = (fields: Readonly<Record<string, unknown>>) =>
    isLookUp ? answer(200, list(chargeOf(situation, fields))) : answer(201, chargeOf(situation, fields))
  switch (name) {
    case "checkout opened":
      return answer(
        201,
        openedLink({
          id: checkout.reference,
          expires_on: new Date(checkout.expiresAt).toISOString(),
          _links: { redirect: { href: checkout.url } }
        })
      )
    case "charge rejected":
    case "checkout rejected":
    case "capture rejected":
    case "void rejected":
    case "refund rejected":
      return failure(422, [rejection.code, rejection.message])
    case "charge authorized":
    case "lookup authorized":
      return charged({})
    case "charge captured":
    case "lookup captured":
      return charged({ status: "Captured", balances: { total_authorized: amount, total_captured: amount } })
    case "charge pending":
    case "lookup pending":
      return charged({ status: "Pending" })
    case "charge needs customer":
    case "lookup needs customer":
      return charged({ status: "Pending", _links: { redirect: { href: "https://3ds.checkout.example/" } } })
    case "charge declined":
    case "lookup declined": {
      const code = decline === null ? undefined : codes[`${decline.category} ${decline.soft ? "soft" : "hard"}`]
      if (code === undefined) return undefined
      return isLookUp
        ? charged({
            status: "Declined",
            approved: false,
            response_code: undefined,
            actions: [{ id: "act_1", type: "Authorization", response_code: code, response_summary: "Declined" }]
          })
        : charged({ status: "Declined", approved: false, response_code: code, response_summary: "Declined" })
    }
    case "charge canceled":
    case "lookup canceled":
      return charged({ status: "Canceled" })
    case "capture pending":
    case "void pending":
    case "refund pending":
      return answer(
        202,
        accepted({ reference: ourReference, ...(name === "refund pending" ? { action_id: providerRefundId } : {}) })
      )
    case "lookup not found yet":
      return answer(200, list())
    case "operation lookup confirmed":
      return changed(situation)
    case "operation lookup pending":
      return changed(situation, { approved: undefined })
    case "operation lookup failed":
      return changed(situation, { approved: false, response_code: "20006", response_summary: rejection.message })
    case "operation lookup not found yet":
    case "refund lookup not found yet":
      return answer(200, [authorization])
    case "refund lookup succeeded":
      return refunded(situation)
    case "refund lookup pending":
      return refunded(situation, { approved: undefined })
    case "refund lookup failed":
      return refunded(situation, { approved: false, response_code: "20006" })
    default:
      return undefined
  }
}

function messageOf(situation: MessageSituation) {
  const { at, attemptId, disputeId, id, money, name, operationId, providerRef, providerRefundId, refundId } = situation
  const amount = money.minorUnits
  const tell = (type: string, data: Readonly<Record<string, unknown>>) =>
    event(type, data, { id, created_on: new Date(at).toISOString() })
  const ofCharge = (captured: number) =>
    told({
      ...{ id: providerRef, amount, metadata: { attempt_id: attemptId } },
      balances: { total_authorized: amount, total_captured: captured }
    })
  const ofOperation = told({ id: providerRef, amount, metadata: { attempt_id: attemptId, operation_id: operationId } })
  const ofRefund = told({
    ...{ id: providerRef, action_id: providerRefundId, amount },
    metadata: { attempt_id: attemptId, refund_id: refundId }
  })
  const disputed = (type: string) => tell(type, dispute({ id: disputeId, payment_id: providerRef }))
  switch (name) {
    case "charge authorized":
      return tell("payment_approved", ofCharge(0))
    case "charge captured":
      return tell("payment_captured", ofCharge(amount))
    case "charge canceled":
      return tell("payment_voided", ofCharge(0))
    case "refund succeeded":
      return tell("payment_refunded", ofRefund)
    case "refund failed":
      return tell("payment_refund_declined", ofRefund)
    case "operation pending":
      return tell("payment_capture_pending", ofOperation)
    case "operation failed":
      return tell("payment_capture_declined", ofOperation)
    // What was captured is told of the payment; it tries nothing again, and its settlements name no payment.
    case "operation confirmed":
    case "operation failed for now":
    case "charge settled":
      return undefined
    case "dispute opened":
      return disputed("dispute_evidence_required")
    case "dispute updated":
      return disputed("dispute_evidence_submitted")
    case "dispute won":
      return disputed("dispute_won")
    case "dispute lost":
      return disputed("dispute_lost")
  }
}

function disputeOf({ at, charge, disputeId, dueBy, money, verdict }: ListedDispute) {
  const attemptId = "attemptId" in charge ? charge.attemptId : ""
  return dispute({
    ...{ id: disputeId, status: verdict === "lost" ? "lost" : "evidence_required" },
    ...{ amount: money?.minorUnits, currency: money?.currency },
    // An id that is no UUID is written out.
    payment_reference: `a.${attemptId}`,
    received_on: "2026-11-20T12:00:00Z",
    last_update: new Date(at ?? 0).toISOString(),
    ...(dueBy === undefined ? {} : { evidence_required_by: new Date(dueBy).toISOString() })
  })
}

/** In the Dashboard: with the payment's metadata. An authorization that is not captured in time is voided too. */
function eventsByHand({ attemptId, captures, name, providerRef: id, providerRefundId, refunded }: ByHandSituation) {
  const ofPayment = { id, metadata: { attempt_id: attemptId, page: "false" } }
  if (name === "void" || name === "expiry") return [event("payment_voided", told(ofPayment))]
  if (captures.length === 0) {
    const type = name === "refund" ? "payment_refunded" : "payment_refund_pending"
    return [event(type, told({ ...ofPayment, action_id: providerRefundId, amount: refunded.minorUnits }))]
  }
  return captures.map(({ id: action_id, money, total }) => {
    const balances = { total_authorized: 1234, total_captured: total.minorUnits }
    return event("payment_captured", told({ ...ofPayment, action_id, amount: money.minorUnits, balances }))
  })
}

function lookedUpByHand({ attemptId, captures, name, providerRef: id, providerRefundId, refunded }: ByHandSituation) {
  const shown = (status: string, balances: object) =>
    answer(200, payment({ id, status, reference: `a.${attemptId}`, balances: { total_authorized: 1234, ...balances } }))
  if (name === "void") return [shown("Voided", { total_voided: 1234 })]
  if (name === "expiry") return [shown("Expired", {})]
  const amount = captures.at(-1)?.total.minorUnits
  if (amount !== undefined) return [shown("Partially Captured", { total_captured: amount })]
  const approved = name === "refund" ? true : undefined
  return [
    shown("Partially Refunded", { total_captured: 1234, total_refunded: refunded.minorUnits }),
    answer(200, [
      action({ id: providerRefundId, type: "Refund", amount: refunded.minorUnits, approved, reference: "by hand" }),
      authorization
    ])
  ]
}
