/** The simulated provider as an adapter of the provider protocol: what arrives over HTTP is asked of it, and answered so. */
import { money } from "@pointsman/core"
import type {
  ChargeRecord,
  CheckoutOpened,
  Connector,
  Found,
  NotSent,
  RefundState,
  Rejected,
  TransportAnswer,
  TransportRequest,
  Unanswered
} from "@pointsman/core/ports"
import { Effect } from "effect"

type Answer = Effect.Effect<TransportAnswer, NotSent | Unanswered>

/** The only currency of a simulation. */
const currency = "EUR"

const json = (status: number, body: unknown): TransportAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

export const answerOverHttp = (connector: Connector, { body, method, url }: TransportRequest): Answer => {
  const { pathname, searchParams } = new URL(url)
  const [collection, encodedRef = "", action] = pathname.slice(1).split("/")
  const providerRef = decodeURIComponent(encodedRef)
  const asked = body === undefined ? {} : JSON.parse(body)
  const simulation = null
  if (method === "GET") {
    const attemptId = searchParams.get("attempt_id") ?? ""
    const refundId = searchParams.get("refund_id") ?? ""
    const since = { sentAt: 0, money: money(0, currency), simulation }
    if (collection === "charges") {
      const lookUp = connector.lookUpCharge({ ...since, attemptId, providerRef: null, checkoutReference: null })
      return Effect.map(lookUp, (found) => foundBody(found, { attempt_id: attemptId }, chargeBody))
    }
    const providerRefundId = searchParams.get("provider_refund_id")
    const lookUp = connector.lookUpRefund?.({ ...since, refundId, providerRef: "", providerRefundId })
    return Effect.map(lookUp ?? Effect.never, (found) => foundBody(found, { refund_id: refundId }, refundBody))
  }
  const operation = { operationId: asked.operation_id, attemptId: "", providerRef, simulation }
  switch (action ?? collection) {
    case "charges":
      return answered(connector.charge({ ...chargeAsked(asked), instrument: null, simulation }), chargeBody)
    case "checkouts":
      return answered(connector.openCheckout?.({ ...chargeAsked(asked), returnUrl: asked.return_url }), checkoutBody)
    case "capture":
      return answered(connector.capture?.({ ...operation, money: money(asked.amount, currency) }), chargeBody)
    case "void":
      return answered(connector.void?.(operation), chargeBody)
    default: {
      const { amount, reason, refund_id: refundId } = asked
      const request = { refundId, attemptId: "", providerRef, money: money(amount, currency), reason, simulation }
      return answered(connector.refund?.(request), refundBody)
    }
  }
}

const chargeAsked = (asked: ReturnType<typeof JSON.parse>) => ({
  attemptId: asked.attempt_id,
  attemptNumber: 1,
  paymentId: asked.payment_id,
  money: money(asked.amount, asked.currency),
  country: asked.country,
  method: asked.method,
  cardBrand: asked.card_brand,
  initiator: asked.initiator,
  capture: asked.capture,
  reference: asked.reference
})

const answered = <State extends { readonly _tag: string }>(
  answer: Effect.Effect<State | Rejected, NotSent | Unanswered> | undefined,
  bodyOf: (state: Exclude<State, Rejected>) => unknown
): Answer =>
  Effect.map(answer ?? Effect.never, (state) =>
    isRejected(state)
      ? json(400, { error: { code: state.code, message: state.message } })
      : json(200, bodyOf(state as Exclude<State, Rejected>))
  )

const isRejected = (state: { readonly _tag: string }): state is Rejected => state._tag === "Rejected"

const foundBody = <State>(
  found: Found<State>,
  subject: Readonly<Record<string, string>>,
  bodyOf: (state: State) => unknown
): TransportAnswer =>
  found._tag === "Found"
    ? json(200, bodyOf(found.state))
    : json(404, { found: false, ...subject, conclusive: found.conclusive })

const chargeBody = (state: ChargeRecord) => {
  const provider_reference = state.providerRef
  switch (state._tag) {
    case "Approved":
      throw new Error("the provider takes the money of its checkouts by itself, and the protocol has no word for this")
    case "Authorized":
      return { provider_reference, status: "authorized", amount: state.stated?.minorUnits, currency }
    case "Captured":
      return {
        ...{ provider_reference, status: "captured" },
        captured_amount: (state.stated ?? state.capture?.money)?.minorUnits
      }
    case "Pending":
      return { provider_reference, status: "pending" }
    case "Canceled":
      return { provider_reference, status: "canceled" }
    case "NeedsCustomer":
      return { provider_reference, status: "requires_authentication" }
    case "Declined": {
      const { category, code, soft } = state
      return { provider_reference, status: "declined", decline: { category, code, soft } }
    }
  }
}

const checkoutBody = ({ expiresAt, reference, url }: CheckoutOpened) => ({
  checkout_reference: reference,
  url,
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString()
})

const refundStatuses = { Succeeded: "succeeded", RefundPending: "pending", RefundFailed: "failed" } as const

const refundBody = (state: RefundState) => ({
  provider_refund_id: state.providerRefundId,
  status: refundStatuses[state._tag],
  ...(state._tag === "RefundFailed" ? { failure_reason: state.reason } : { amount: state.stated?.minorUnits })
})
