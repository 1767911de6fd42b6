/**
 * PayPal's webhooks: the signature over the bytes as they came, and only then what they say
 * (https://developer.paypal.com/api/rest/webhooks/event-names/). The resource of an event is the object of the API.
 *
 * A charge is named by its order everywhere, while most events are about one of
 * its authorizations or captures, which name the order; and a capture that carries an operation's id is about that operation. Of
 * a type that is not here, or that cannot be read, nothing is shown but the name of a field: the charge that it names is looked up.
 */
import {
  type ChargeName,
  type ChargeState,
  type Clean,
  cleaner,
  type DisputeStatus,
  isWireText,
  keptFields,
  type MessageAbout,
  MessageUnreadable,
  type MessageUnverified,
  messageReader,
  type OperationState,
  orChanged,
  type ProviderMessage,
  type RawMessage,
  type RefundState,
  type StatedDispute,
  secretsOf,
  type VerifiedBody,
  verifiedJson,
  WireTime
} from "@pointsman/core/connector"
import { Effect, type Redacted, Result, Schema } from "effect"
import { fromPayPal } from "./Amounts.ts"
import * as Answers from "./Answers.ts"
import type { Certificates } from "./Certificates.ts"
import * as Protocol from "./Protocol.ts"
import { verified } from "./Signature.ts"

type Unusable = MessageUnverified | MessageUnreadable

export const readMessage = Effect.fnUntraced(function* (
  message: RawMessage,
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  certificates: Certificates
): Effect.fn.Return<ProviderMessage, Unusable> {
  yield* verified(message, certificates)
  return yield* readStored(message, secrets)
})

/** A message that was verified when it came. */
export const readStored = Effect.fnUntraced(function* (
  message: VerifiedBody,
  secrets: ReadonlyArray<Redacted.Redacted<string>>
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  const event = yield* decoded(Protocol.Event, yield* verifiedJson(message.body))
  const clean = cleaner([...secrets, ...secretsOf(message)])
  const reading = Effect.map(aboutOf(event, clean), (about) => ({ about }))
  const { about } = yield* orChanged(reading, namedCharge(event, clean))
  return { id: event.id, at: Date.parse(event.create_time), about }
})

/** The charge that an event about money names, whatever else of it cannot be read. */
const namedCharge = ({ event_type: type, resource }: Protocol.Event, clean: Clean): ChargeName | undefined => {
  const names = Result.getOrUndefined(readNames(resource))
  const charge = names === undefined ? undefined : namesOf(type, names)
  return charge !== undefined && "providerRef" in charge && clean.shows(charge.providerRef) ? undefined : charge
}

const namesOf = (type: string, names: typeof Protocol.Names.Type): ChargeName | undefined => {
  const named = (attemptId: string | undefined, providerRef: string | null | undefined) =>
    attemptId === undefined ? (providerRef == null ? undefined : { providerRef }) : { attemptId }
  const { custom_id, disputed_transactions, id, invoice_id, order_id, purchase_units } = names
  if (/^PAYMENT\.(?:AUTHORIZATION|CAPTURE|REFUND)\./u.test(type)) {
    const above = orderIdOf(names) ?? linkedAbove(names, "payments/captures")
    return named(ours(custom_id, "att_") ?? ours(invoice_id, "att_"), above ?? id)
  }
  if (/^CHECKOUT\./u.test(type)) return named(ours(purchase_units?.[0]?.custom_id, "att_"), order_id ?? id)
  const [transaction, ...others] = disputed_transactions ?? []
  if (!/^CUSTOMER\.DISPUTE\./u.test(type) || transaction === undefined || others.length > 0) return undefined
  const { custom, invoice_number, seller_transaction_id } = transaction
  return named(ours(custom, "att_") ?? ours(invoice_number, "att_"), seller_transaction_id)
}

const readNames = Schema.decodeUnknownResult(Protocol.Names)
const decoded = messageReader("it is not as documented")

const unreadable = (reason: string): MessageUnreadable => new MessageUnreadable({ reason })

type About = Effect.Effect<MessageAbout, MessageUnreadable>

const aboutOf = ({ event_type: type, resource }: Protocol.Event, clean: Clean): About => {
  const of = (tell: (payment: Protocol.Payment) => About) => Effect.flatMap(decoded(Protocol.Payment, resource), tell)
  switch (type) {
    case "PAYMENT.AUTHORIZATION.CREATED":
    case "PAYMENT.AUTHORIZATION.VOIDED":
      return of((payment) =>
        tellCharge(payment, (providerRef) => Answers.authorizationState(providerRef, payment, clean))
      )
    case "PAYMENT.CAPTURE.COMPLETED":
    case "PAYMENT.CAPTURE.PENDING":
    case "PAYMENT.CAPTURE.DECLINED":
    case "PAYMENT.CAPTURE.DENIED":
      return of((payment) => tellCapture(payment, clean))
    case "PAYMENT.CAPTURE.REFUNDED":
      return of((payment) => tellRefund(payment, clean))
    case "CHECKOUT.ORDER.APPROVED":
    case "CHECKOUT.ORDER.COMPLETED":
      return Effect.flatMap(decoded(Protocol.Order, resource), (order) => tellOrder(order, clean))
    case "CUSTOMER.DISPUTE.CREATED":
    case "CUSTOMER.DISPUTE.UPDATED":
    case "CUSTOMER.DISPUTE.RESOLVED":
      return Effect.flatMap(decoded(Protocol.Dispute, resource), (dispute) => tellDispute(type, dispute))
    default:
      return Effect.fail(unreadable("its type is not supported"))
  }
}

// Our names.

/** A text of ours: PayPal's own pages and other programs write theirs in the same fields. */
const ours = (text: string | null | undefined, prefix: "att_" | "op_" | "rf_"): string | undefined =>
  isWireText(text) && text.startsWith(prefix) ? text : undefined

const told = <State>(
  state: State | string,
  tell: (state: State) => MessageAbout
): Effect.Effect<MessageAbout, MessageUnreadable> =>
  typeof state === "string"
    ? Effect.fail(unreadable(`it is not to be understood at resource.${state}`))
    : Effect.succeed(tell(state))

const chargeIn = (attemptId: string | undefined, orderId: string): ChargeName =>
  attemptId === undefined ? { providerRef: orderId } : { attemptId }

/**
 * "Extract the order ID from the "rel": "up" link in the webhook payload's resource.links array"
 * (https://developer.paypal.com/limited-release/alternative-payment-methods/klarna/accept-klarna-payments/track-payment-status).
 * For a capture of an authorization it leads to the authorization.
 */
const orderIdOf = (payment: Linked): string | undefined =>
  payment.supplementary_data?.related_ids?.order_id ?? linkedAbove(payment, "checkout/orders")

type Linked = Pick<Protocol.Payment, "links" | "supplementary_data">

/** The id in a link to what it is of. */
const linkedAbove = ({ links }: Linked, kind: "checkout/orders" | "payments/captures"): string | undefined => {
  const up = links?.find(({ rel }) => rel === "up")?.href ?? ""
  const [, linkedKind, id] =
    /^https:\/\/[^/?#]+\/v2\/(checkout\/orders|payments\/captures)\/([0-9A-Za-z-]{1,255})$/u.exec(up) ?? []
  return linkedKind === kind ? id : undefined
}

const tellCharge = (
  payment: Protocol.Payment,
  stateOf: (providerRef: string) => ChargeState | string
): Effect.Effect<MessageAbout, MessageUnreadable> => {
  const orderId = orderIdOf(payment)
  if (orderId === undefined) {
    return Effect.fail(unreadable("its resource.supplementary_data.related_ids.order_id is missing"))
  }
  const charge = chargeIn(ours(payment.custom_id, "att_"), orderId)
  return told(stateOf(orderId), (state) => ({ _tag: "Charge", charge, state: () => state }))
}

/** A capture that a person made at PayPal has no operation of ours: it states the charge, as one capture of it. */
const tellCapture = (capture: Protocol.Payment, clean: Clean): About => {
  const operationId = ours(capture.invoice_id, "op_")
  if (operationId !== undefined) {
    return told<OperationState>(Answers.captureState(capture, clean), (state) => ({
      _tag: "Operation",
      operationId,
      state: () => state
    }))
  }
  return tellCharge(capture, (providerRef) => {
    const stated = Answers.amountOf(capture)
    if (capture.status === "PENDING" || Answers.isTaken(capture)) {
      if (stated === undefined) return "amount"
      return capture.status === "PENDING"
        ? { _tag: "Pending", providerRef, stated }
        : { _tag: "Captured", providerRef, capture: { id: capture.id, money: stated } }
    }
    return capture.status === "DECLINED" || capture.status === "FAILED" || capture.status === "DENIED"
      ? Answers.refusedState(providerRef, capture, clean)
      : "status"
  })
}

/**
 * What a refund without an id of ours is of. One that a person makes at PayPal has the names of its capture, and a link to it
 * (https://developer.paypal.com/docs/api/payments/v2/#refunds_get), whose id is recorded. Without either, its own id may be.
 */
const refundedIn = (refund: Protocol.Payment): ChargeName => {
  const attemptId = ours(refund.custom_id, "att_") ?? ours(refund.invoice_id, "att_")
  if (attemptId !== undefined) return { attemptId }
  return { providerRef: orderIdOf(refund) ?? linkedAbove(refund, "payments/captures") ?? refund.id }
}

const tellRefund = (refund: Protocol.Payment, clean: Clean): About => {
  const { custom_id, id: providerRefundId } = refund
  const tell = (about: (state: () => RefundState) => MessageAbout) =>
    told<RefundState>(Answers.refundState(refund, clean), (state) => about(() => state))
  const refundId = ours(custom_id, "rf_")
  if (refundId !== undefined) return tell((state) => ({ _tag: "Refund", refundId, state }))
  return tell((state) => ({ _tag: "UnnamedRefund", charge: refundedIn(refund), providerRefundId, state }))
}

const tellOrder = (order: Protocol.Order, clean: Clean): About => {
  const charge = chargeIn(ours(order.purchase_units[0]?.custom_id, "att_"), order.id)
  return told(Answers.orderState(order, clean), (told) => {
    const state = Answers.isApproved(order) ? ({ _tag: "Approved", providerRef: order.id } as const) : told
    return { _tag: "Charge", charge, state: () => state }
  })
}

type Verdict = Extract<MessageAbout, { readonly _tag: "Dispute" }>["verdict"]

/**
 * `dispute_outcome.outcome_code` (`customer_disputes_v1`). "With payout" PayPal pays for it and the merchant keeps the
 * money. `NONE` decides nothing: another dispute continues.
 */
const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ["RESOLVED_BUYER_FAVOUR", "lost"],
  ["ACCEPTED", "lost"],
  ["RESOLVED_SELLER_FAVOUR", "won"],
  ["RESOLVED_WITH_PAYOUT", "won"],
  ["CANCELED_BY_BUYER", "won"],
  ["DENIED", "won"]
])

/** `status` of an open dispute (https://developer.paypal.com/api/customer-disputes/v1/disputes-get). */
const openStatuses: ReadonlyMap<string, DisputeStatus> = new Map([
  ["OPEN", "needs_response"],
  ["WAITING_FOR_SELLER_RESPONSE", "needs_response"],
  ["WAITING_FOR_BUYER_RESPONSE", "under_review"],
  ["UNDER_REVIEW", "under_review"]
])

type Stated = Pick<StatedDispute, "verdict" | "status" | "isContinued">

/** `undefined` for an end that is not understood. An update tells the dispute as it is, and may come after its end. */
const statedIn = (type: string, { dispute_outcome, status }: Protocol.Dispute): Stated | undefined => {
  const ended = verdicts.get(dispute_outcome?.outcome_code ?? "")
  if (type === "CUSTOMER.DISPUTE.RESOLVED") return ended === undefined ? undefined : { verdict: ended }
  if (type === "CUSTOMER.DISPUTE.CREATED") return { verdict: "opened" }
  const open = openStatuses.get(status ?? "")
  if (open !== undefined) return { verdict: "opened", status: open }
  return status === "RESOLVED" && ended !== undefined ? { verdict: ended } : { verdict: "opened", isContinued: true }
}

const isAmount = Schema.is(Protocol.Amount)
const isTime = Schema.is(WireTime)

/**
 * What is not as documented is left out: the dispute counts without it. Of one that is lost, `amount_refunded` is "the amount
 * that either the merchant or PayPal refunds the customer"
 * (https://developer.paypal.com/api/customer-disputes/v1/definitions/dispute_outcome), which may be a part of the claim.
 */
const termsOf = (
  { dispute_amount, dispute_outcome, seller_response_due_date }: Protocol.Dispute,
  { verdict }: Stated
) => {
  const refunded = dispute_outcome?.amount_refunded
  const stated = verdict === "lost" && isAmount(refunded) ? refunded : dispute_amount
  const money = isAmount(stated) ? fromPayPal(stated) : undefined
  const dueBy = isTime(seller_response_due_date) ? Date.parse(seller_response_due_date) : undefined
  return { ...(money === undefined ? {} : { money }), ...(dueBy === undefined ? {} : { dueBy }) }
}

/** What PayPal states of a dispute, or what of it cannot be understood. */
export const disputeIn = (
  type: string,
  dispute: Protocol.Dispute
): (StatedDispute & { readonly charge: ChargeName }) | string => {
  const { dispute_id, disputed_transactions } = dispute
  const stated = statedIn(type, dispute)
  if (stated === undefined) return "it is not to be understood at resource.dispute_outcome"
  const [transaction, ...others] = disputed_transactions
  // A dispute about several payments names no amount for each.
  if (transaction === undefined || others.length > 0) {
    return "it is not to be understood at resource.disputed_transactions"
  }
  const attemptId = attemptIn(transaction)
  const captureId = transaction.seller_transaction_id ?? undefined
  if (attemptId === undefined && captureId === undefined) {
    return "its charge is unknown, at resource.disputed_transactions"
  }
  const charge: ChargeName = attemptId === undefined ? { providerRef: captureId ?? "" } : { attemptId }
  return { charge, disputeId: dispute_id, ...stated, ...termsOf(dispute, stated) }
}

/** Our id of the charge that a disputed transaction is of; `undefined` where it has none. */
export const attemptIn = ({ custom, invoice_number }: Protocol.DisputedTransaction): string | undefined =>
  ours(custom, "att_") ?? ours(invoice_number, "att_")

const tellDispute = (type: string, dispute: Protocol.Dispute): About => {
  const told = disputeIn(type, dispute)
  return typeof told === "string" ? Effect.fail(unreadable(told)) : Effect.succeed({ _tag: "Dispute", ...told })
}

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, notes or card details. */
export const keptOfMessage = keptFields(
  new Set(
    (
      "id event_type create_time resource status status_details reason amount currency_code value custom_id " +
      "invoice_id processor_response response_code supplementary_data related_ids order_id links href rel " +
      "purchase_units payments authorizations captures refunds dispute_id dispute_amount seller_response_due_date " +
      "disputed_transactions seller_transaction_id custom invoice_number dispute_outcome outcome_code " +
      "amount_refunded"
    ).split(" ")
  )
)
