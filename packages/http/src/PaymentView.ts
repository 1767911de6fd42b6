/** Core's payment in the words of the API. */
import {
  type Decline,
  type Dispute as DisputeRecord,
  declineOfAttempt,
  declineOfPayment,
  type Exclusion,
  type Payment as PaymentRecord,
  Pointsman,
  type Refund as RefundRecord,
  type RoutingDecision as RoutingRecord,
  statusOf
} from "@pointsman/core"
import { withoutTrailingSlashes } from "@pointsman/core/internal"
import { Context, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Dispute } from "./api/Disputes.ts"
import {
  outcomeNames,
  type Payment,
  type PaymentEnvelope,
  type RoutingDecision,
  type RoutingExclusion
} from "./api/Payment.ts"
import type { IgnoredFields } from "./IgnoredFields.ts"

/**
 * Renders payments. An effect, because the address of a hosted page is derived anew for each answer: its token is not
 * stored. That costs only those payments that wait for their customer.
 */
export class PaymentViews extends Context.Service<
  PaymentViews,
  {
    /** Whether there are hosted pages to send customers to. */
    readonly hasPages: boolean
    /** `mayAct`: a person with the address of the hosted page can pay, cancel or decline on it. */
    readonly payment: (payment: PaymentRecord, mayAct?: boolean) => Effect.Effect<Payment>
    /** The answer to a create, which alone tells how the payment was routed. */
    readonly created: (payment: PaymentRecord, debug: boolean) => Effect.Effect<Payment>
  }
>()("pointsman/http/PaymentViews") {
  /** `baseUrl`: where the hosted pages are reached; without it no customer is sent there. */
  static readonly layer = (baseUrl: string | undefined): Layer.Layer<PaymentViews, never, Pointsman> =>
    Layer.effect(
      PaymentViews,
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const nextAction = (payment: PaymentRecord, mayAct = true): Effect.Effect<NextAction> => {
          const { hosted, id, state } = payment
          if (statusOf[state] !== "REQUIRES_ACTION" || hosted === null || baseUrl === undefined) return noAction
          if (!mayAct) return Effect.succeed({ type: "REDIRECT", expires_at: timeView(hosted.expiresAt) })
          return Effect.map(pointsman.pageToken(id), (token) => ({
            type: "REDIRECT",
            url: hostedPageUrl(baseUrl, token),
            expires_at: timeView(hosted.expiresAt)
          }))
        }
        return PaymentViews.of({
          hasPages: baseUrl !== undefined,
          payment: (payment, mayAct) =>
            Effect.map(nextAction(payment, mayAct), (action) => paymentView(payment, action)),
          created: (payment, debug) =>
            Effect.map(nextAction(payment), (action) =>
              payment.routing === null
                ? paymentView(payment, action)
                : { ...paymentView(payment, action), routing: routingView(payment.routing, debug) }
            )
        })
      })
    )
}

export const hostedPageUrl = (baseUrl: string, token: string): string =>
  `${withoutTrailingSlashes(baseUrl)}/hosted/${token}`

type NextAction = Payment["next_action"]

const noAction: Effect.Effect<NextAction> = Effect.succeed({ type: "NONE" })

const paymentView = (payment: PaymentRecord, nextAction: NextAction): Payment => {
  const status = statusOf[payment.state]
  return {
    id: payment.id,
    payment_id: payment.id,
    reference: payment.reference,
    ...givenPurchase(payment),
    payment_status: status,
    status,
    environment: payment.tenant.environment,
    amount: payment.money.minorUnits,
    currency: payment.money.currency,
    country: payment.country,
    method: payment.method,
    ...(payment.paymentMethod === undefined ? {} : { payment_method: payment.paymentMethod }),
    card_brand: payment.cardBrand,
    initiator: payment.initiator,
    capture_method: payment.captureMethod,
    decline_category: payment.declineCategory,
    decline_reason: payment.declineReason,
    ...declineView(declineOfPayment(payment)),
    captured_amount: payment.capturedMinor,
    refunded_amount: payment.refundedMinor,
    refund_pending_amount: payment.refundPendingMinor,
    next_action: nextAction,
    created: timeView(payment.createdAt),
    ...(payment.reported?.isRecovered === true ? { recovered: true as const } : {})
  }
}

/** Of one payment. */
const mostRefunds = 100

const refundStatus = {
  Sending: "pending",
  Pending: "pending",
  Unknown: "unknown",
  Succeeded: "succeeded",
  Refused: "failed",
  Failed: "failed",
  Reversed: "failed"
} as const satisfies Record<RefundRecord["stage"], unknown>

/** Newest first. One of which nothing was sent is none. */
export const refundViews = (refunds: ReadonlyArray<RefundRecord>): NonNullable<Payment["refunds"]> =>
  refunds
    .filter(({ answeredAt, stage }) => stage !== "Refused" || answeredAt !== null)
    .toSorted((one, other) => other.sentAt - one.sentAt)
    .slice(0, mostRefunds)
    .map(({ id, money, origin, sentAt, stage }) => ({
      refund_id: id,
      amount: money.minorUnits,
      status: refundStatus[stage],
      origin,
      created: timeView(sentAt)
    }))

const declineView = (decline: Decline | undefined) => (decline === undefined ? {} : { decline: { ...decline } })

/** Records from before there was any have neither. */
const givenPurchase = ({ metadata, purchase }: Partial<Pick<PaymentRecord, "metadata" | "purchase">>) => ({
  ...(metadata == null ? {} : { metadata }),
  ...(purchase?.description == null ? {} : { description: purchase.description }),
  ...(purchase?.locale == null ? {} : { locale: purchase.locale }),
  ...(purchase?.lines == null
    ? {}
    : { lines: purchase.lines.map(({ amountMinor, name, quantity }) => ({ name, quantity, amount: amountMinor })) })
})

export const exclusionView = (exclusion: Exclusion): RoutingExclusion => ({
  providerId: exclusion.connectionId,
  name: exclusion.name,
  code: exclusion.code,
  reason: exclusion.reason
})

/** RFC 3339, UTC, milliseconds. */
export const timeView = (epochMillis: number): string => new Date(epochMillis).toISOString()

export const timeOrNull = (epochMillis: number | null): string | null =>
  epochMillis === null ? null : timeView(epochMillis)

const routingView = (routing: RoutingRecord, debug: boolean): RoutingDecision => ({
  path: routing.path,
  strategy: routing.strategy,
  mode: routing.mode,
  rule: routing.rule,
  candidates: routing.candidates.map((candidate) => ({
    connection_id: candidate.connectionId,
    name: candidate.name,
    priority: candidate.priority,
    ...(candidate.score === null ? {} : { score: candidate.score })
  })),
  attempts: routing.attempts.map((attempt) => ({
    attempt_id: attempt.attemptId,
    connection_id: attempt.connectionId,
    outcome: attempt.outcome === null ? null : outcomeNames[attempt.outcome],
    code: attempt.code,
    ...declineView(declineOfAttempt(attempt))
  })),
  ...(debug
    ? {
        excluded: [...routing.excluded, ...(routing.skipped ?? [])].map(exclusionView),
        eligibility_version: routing.eligibilityVersion,
        degraded: routing.degraded
      }
    : {})
})

/**
 * The answer to a create, a capture, a void or a refund that succeeded. Its type is that of the contract's codec, and it is
 * written without a walk through the codec, which takes longer than making the answer. The tests compare every answer with
 * the codec.
 */
export const paymentAnswer = (
  status: 200 | 201,
  envelope: typeof PaymentEnvelope.Encoded,
  isReplay: boolean,
  ignored: IgnoredFields
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(envelope, {
    status,
    headers: { ...(isReplay ? { "idempotent-replay": "true" } : {}), ...ignored }
  })

/** A dispute as the API shows it. */
export const disputeView = (dispute: DisputeRecord): Dispute => ({
  id: dispute.id,
  payment_id: dispute.paymentId,
  status: dispute.status,
  amount: dispute.money?.minorUnits ?? null,
  currency: dispute.money?.currency ?? null,
  reason: dispute.reason,
  provider_reason: dispute.providerReason,
  evidence_due_by: timeOrNull(dispute.evidenceDueBy),
  evidence_submitted_at: timeOrNull(dispute.evidenceSubmittedAt),
  evidence: dispute.evidence === null ? null : { texts: dispute.evidence.texts, files: dispute.evidence.files },
  created: timeView(dispute.createdAt)
})
