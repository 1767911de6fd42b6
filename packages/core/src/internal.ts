/**
 * What the other packages of this repository need of core beyond its public doors: lifecycle tables, pure rules of
 * routing, amounts. It is no public interface, and may change with any release.
 */

export { OpenConnections } from "./call/CallProvider.ts"
export { applyChargeFact, type ChargeFact, lastFact, unexecutedFact } from "./decide/ChargeFact.ts"
export { nextCheckAt } from "./decide/CheckSchedule.ts"
export { withReview } from "./decide/WithReview.ts"
export { looksLikeCardNumber } from "./door/StoredTexts.ts"
export * as Machine from "./machine/Machine.ts"
export { observeStorage } from "./metrics/ObservedStorage.ts"
export { apiKeyIdOf, environmentOfApiKey, isApiKeyName, isNetwork } from "./model/ApiKey.ts"
export { type AttemptEnd, checkoutUrlContext, endAttempt, openAttempt, wasNeverSent } from "./model/Attempt.ts"
export { moveClaim, newClaim } from "./model/Claim.ts"
export { type ClaimEvent, ClaimMachine, type ClaimRow } from "./model/ClaimMachine.ts"
export { csvField, csvRow } from "./model/CsvField.ts"
export { isSoftDecline } from "./model/Decline.ts"
export { defaultWebhookScheduleMillis, resumed } from "./model/Delivery.ts"
export { DeliveryMachine } from "./model/DeliveryMachine.ts"
export { awaitsResponse, openSubmission } from "./model/Dispute.ts"
export { DisputeMachine, SubmissionMachine } from "./model/DisputeMachine.ts"
export { configuredSecretText } from "./model/EndpointSecret.ts"
export { emailKey, workspaceOfMerchant } from "./model/Merchant.ts"
export { loginKey } from "./model/Operator.ts"
export { weightOf } from "./model/OutcomeCounts.ts"
export { brokenInvariant, chargeSimulations, leadsToProvider, paymentEvent, refundableMinor } from "./model/Payment.ts"
export {
  bookAfter,
  brokenBalance,
  brokenBook,
  type ChargeReference,
  isPlainText,
  isSameReference,
  movedPayment,
  type NamedReference,
  referencesOf,
  refundTotals
} from "./model/PaymentBook.ts"
export {
  moneyTaken,
  noMoney,
  openCharge,
  operating,
  type PaymentEvent,
  PaymentMachine,
  type PaymentRow
} from "./model/PaymentMachine.ts"
export { payoutSumOf } from "./model/Payout.ts"
export { withStatedAccount } from "./model/ProviderAccount.ts"
export { newRun } from "./model/ReconciliationRun.ts"
export { columnOf, moveRefund, withRefund } from "./model/Refund.ts"
export { type RefundEvent, RefundMachine } from "./model/RefundMachine.ts"
export { nothingReported, type Reported } from "./model/Reported.ts"
export {
  dayMillis,
  defaultRetention,
  leastRetention,
  type RetentionTimes,
  retentionKinds,
  retentionOf,
  yearMillis
} from "./model/RetentionTimes.ts"
export { wholeDecision } from "./model/RoutingDecision.ts"
export { defaultExploration, defaultMaxApprovalLoss, defaultMaxAttempts } from "./model/RoutingSettings.ts"
export { payoutCurrency } from "./model/SettlementEntry.ts"
export { mostNamed } from "./model/StoredMessage.ts"
export {
  faded,
  knownRate,
  noRate,
  rateHalfLifeMillis,
  rateWindow,
  segmentOf,
  withOutcomes
} from "./model/SuccessRate.ts"
export { amountText, countries, decimalText, isCountry, scaleOf } from "./money/Money.ts"
export { Admission, makeAdmission, PlaceOf } from "./ports/Admission.ts"
export { adoptConnector, anotherEffect, connectorFault } from "./ports/AdoptConnector.ts"
export { type DirectoryConflict, isEmptyPlan, planDirectory, type WantedDirectory } from "./ports/DirectoryPlan.ts"
export { idsFrom } from "./ports/Ids.ts"
export { signatureOf } from "./ports/Signature.ts"
export { firstVersionIn, StorageSnapshots, versionIn } from "./ports/StorageHistory.ts"
export { withoutTrailingSlashes } from "./ports/WireFields.ts"
export {
  type EligibilityChecks,
  type EligibilityQuestion,
  eligibilityChecks,
  exclusionOf,
  type ProviderSupports,
  providerLimits
} from "./routing/Eligibility.ts"
export { routeValueText } from "./routing/Explanation.ts"
export { feeOf } from "./routing/Fees.ts"
export {
  isFollowed,
  mayFollow,
  type NothingExecuted,
  nothingExecuted,
  planRoute,
  type RouteQuestion
} from "./routing/RoutePlan.ts"
export { conditionFields, matchesIn } from "./routing/RoutingPolicy.ts"
export { defaultCircuitBreaker } from "./routing/run/Circuits.ts"
export { endpointIdOf } from "./verbs/administer/ConfigureWorkspace.ts"
export { isSearch } from "./verbs/read/ReadPayments.ts"
export { RefusalTick } from "./verbs/receive/RefuseMessage.ts"
export { type ScheduledReport, scheduledReports } from "./verbs/reconcile/FetchReports.ts"
export { removePayments } from "./verbs/retain/RemovePayments.ts"
