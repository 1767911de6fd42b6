/** Pointsman's core: payments, their lifecycle, routing and idempotency. */

export {
  ConnectionBroken,
  credentialsContext,
  OpenConnections,
  webhookSecretContext
} from "./call/OpenConnections.ts"
export * from "./decide/ChargeFact.ts"
export * from "./decide/CheckSchedule.ts"
export * from "./decide/CreateRequest.ts"
export * from "./decide/HostedOrder.ts"
export * from "./decide/OperationOrder.ts"
export * from "./decide/OperatorEvidence.ts"
export * from "./decide/RefundOrder.ts"
export { type BroughtUp, withReview } from "./decide/WithReview.ts"
export * as Machine from "./machine/Machine.ts"
export * as Metrics from "./metrics/Metrics.ts"
export { observeStorage } from "./metrics/ObservedStorage.ts"
export * from "./model/ApiKey.ts"
export * from "./model/Attempt.ts"
export * from "./model/AttemptOutcome.ts"
export { type NamedReference, referencesOf } from "./model/ChargeReference.ts"
export * from "./model/CheckIntervals.ts"
export * from "./model/Claim.ts"
export * from "./model/ClaimMachine.ts"
export * from "./model/Connection.ts"
export * from "./model/Decline.ts"
export {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryEnd,
  defaultWebhookScheduleMillis,
  type SendFailure,
  sendFailures
} from "./model/Delivery.ts"
export * from "./model/DeliveryMachine.ts"
export * from "./model/EndpointSecret.ts"
export * from "./model/Event.ts"
export * from "./model/EventType.ts"
export * from "./model/EventView.ts"
export * from "./model/HostedPage.ts"
export * from "./model/Merchant.ts"
export * from "./model/Operation.ts"
export * from "./model/Payment.ts"
export * from "./model/PaymentEvents.ts"
export * from "./model/PaymentMachine.ts"
export * from "./model/PaymentStatus.ts"
export * from "./model/Refund.ts"
export * from "./model/RefundLedger.ts"
export * from "./model/RefundMachine.ts"
export * from "./model/Review.ts"
export * from "./model/RoutingDecision.ts"
export * from "./model/RoutingMode.ts"
export * from "./model/RoutingSettings.ts"
export * from "./model/Segment.ts"
export * from "./model/Simulation.ts"
export * from "./model/SuccessRate.ts"
export * from "./model/Tenant.ts"
export * from "./model/Workspace.ts"
export * from "./money/Country.ts"
export * from "./money/Currency.ts"
export * from "./money/Money.ts"
export * from "./Pointsman.ts"
export * from "./ports/DirectoryPlan.ts"
export { PaymentSettings } from "./ports/PaymentSettings.ts"
export * as SecretsLayer from "./ports/SecretsLayer.ts"
export * from "./ports/Signature.ts"
export * from "./ports.ts"
export * from "./routing/BySuccess.ts"
export * from "./routing/Circuit.ts"
export { conditionFields, matchesIn } from "./routing/Condition.ts"
export * from "./routing/Eligibility.ts"
export * from "./routing/Explanation.ts"
export * from "./routing/NextStep.ts"
export * from "./routing/ProviderLimits.ts"
export * from "./routing/Replay.ts"
export * from "./routing/RoutePlan.ts"
export * from "./routing/Strategy.ts"
export { KeyRefused } from "./verbs/administer/Authenticate.ts"
export {
  ApiKeyNotFound,
  type CreatedApiKey,
  type RevokedApiKey,
  WorkspaceNotFound
} from "./verbs/administer/ManageApiKeys.ts"
export { MerchantNotFound, type MerchantWithStatus } from "./verbs/administer/ProvisionMerchant.ts"
export { DeliveryNotFound, NotRedeliverable } from "./verbs/deliver/ReadDeliveries.ts"
export type { ReplayQuery } from "./verbs/explain/ReplayPayments.ts"
export { type Page, PaymentNotFound } from "./verbs/read/ReadPayments.ts"
export { type IncomingMessage, MessageRefused, type VerifiedMessage } from "./verbs/receive/ReceiveMessage.ts"
export { type MessageFile, MessageNotApplicable, MessageNotFound } from "./verbs/receive/StoredMessages.ts"
export { type PaymentFile, ReviewNotFound } from "./verbs/review/ReadReviews.ts"
export { type SettleReviewOrder, StatementRefused } from "./verbs/review/RecordEvidence.ts"
