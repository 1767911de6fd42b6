/** Pointsman for Node backends that do not use Effect: `createPointsman({ storage, connectors, encryptionKey, workspaces })`. */
import { atCaller } from "./calls/RunCall.ts"
import type { Pointsman } from "./Pointsman.ts"
import type { PointsmanSettings } from "./Settings.ts"
import type { IncomingWebhook, VerifiedWebhook } from "./VerifyWebhook.ts"

// What both the API and this package show: @pointsman/client has the same types.
export type {
  AmountMismatchEventData,
  CancelledEventData,
  CapturedEventData,
  CaptureMethod,
  ConflictEventData,
  CreatePayment,
  Decline,
  DeclineAdvice,
  DeclineCategory,
  DeclinedEventData,
  Dispute,
  DisputeEventData,
  DisputeEvidenceDueEventData,
  DisputeReason,
  DisputeStatus,
  DisputesQuery,
  Environment,
  Event,
  EventDataOf,
  EventOf,
  EventsQuery,
  EventType,
  Initiator,
  Json,
  NextAction,
  OperationFailedEventData,
  Page,
  Payment,
  PaymentEventData,
  PaymentMethod,
  PaymentMethodName,
  PaymentStatus,
  PaymentsQuery,
  PayoutStatus,
  PurchaseLine,
  Refund as PaymentRefund,
  RefundEventData,
  RefundFailedEventData,
  RefundSettlement,
  ReviewedEventData,
  RoutingAttempt,
  RoutingCandidate,
  RoutingDecision,
  RoutingExclusion,
  Settlement,
  SimulatedCharge,
  Simulation,
  TimelineQuery
} from "@pointsman/client/contract"
export type * from "./Console.ts"
export type * from "./Corrections.ts"
export type * from "./Journal.ts"
export type * from "./Operators.ts"
export type * from "./Pointsman.ts"
export * from "./PointsmanError.ts"
export type * from "./Reconciliation.ts"
export type * from "./Records.ts"
export type * from "./Settings.ts"
export type { IncomingWebhook, VerifiedWebhook } from "./VerifyWebhook.ts"

/**
 * Opens the storage, applies the workspaces, and starts the background. Fails with `StartError`, and has closed then what
 * it had opened. Close what it gives before the process ends.
 */
export const createPointsman = async (settings: PointsmanSettings): Promise<Pointsman> => {
  // Nearly all of the package: a program that only names it in an import does not wait for it.
  const { openPointsman } = await import("./OpenPointsman.ts")
  try {
    return await openPointsman(settings)
  } catch (error) {
    throw atCaller(error, createPointsman)
  }
}

/**
 * Gives the event where one of the secrets signed the body within the last 300 seconds, and throws `WebhookRefusedError`
 * otherwise. It does not notice that an event came before: keep the ids of those that you acted on.
 */
const verify = async (webhook: IncomingWebhook): Promise<VerifiedWebhook> => {
  const { verifyWebhook } = await import("./VerifyWebhook.ts")
  try {
    return await verifyWebhook(webhook)
  } catch (error) {
    throw atCaller(error, verify)
  }
}

/** For receivers of Pointsman's webhooks. Needs no storage and no `createPointsman`. */
export const webhooks = { verify } as const
