/** Pointsman's core, for those who embed it: the service, what it takes and returns, and how it fails. */

export type { AccountReading, AccountStanding } from "./call/Accounts.ts"
export * from "./decide/CreateRequest.ts"
export * from "./decide/DisputeOrder.ts"
export { reminderDays } from "./decide/DisputeReminders.ts"
export { evidenceLimits } from "./decide/EvidenceFiles.ts"
export {
  ActionNotOffered,
  type CheckoutStep,
  type HostedAction,
  type HostedOutcome,
  HostedSuspended,
  type HostedView,
  PageNotFound
} from "./decide/HostedOrder.ts"
export { brokenJournal, journalOf, pendingOf } from "./decide/journal/Journal.ts"
export * from "./decide/journal/JournalText.ts"
export { defaultMonthClosing, type MonthClosing, periodOpenUntil, postedAt } from "./decide/journal/PostingDate.ts"
export type { JournalRecord } from "./decide/journal/RecordedFacts.ts"
export { movementsOfEntry } from "./decide/journal/RecordedFacts.ts"
export { type KeptReason, keptReasons } from "./decide/MayLeave.ts"
export {
  type Answered,
  type CaptureOrder,
  InvalidAmount,
  NoProviderRef,
  NotCapturable,
  NotRefundable,
  NotVoidable,
  ProviderRefused,
  type RefundOrder,
  RefundPending,
  ResultUnknown,
  StateConflict,
  StateUnconfirmed,
  TakenByAnother,
  Unsupported,
  type VoidOrder
} from "./decide/OperationOrder.ts"
export type { PossibleStatement } from "./decide/PossibleStatements.ts"
export { type ProofResult, proofResults } from "./decide/ProofPlan.ts"
export { entryCsvHeader, entryCsvLine } from "./decide/reconcile/EntryCsv.ts"
export type { ConfigureMethods } from "./door/Configure.ts"
export type { EvidenceFailure, SubmissionFailure } from "./door/Disputes.ts"
export type { HostedFailure } from "./door/HostedPages.ts"
export type { OperatorMethods } from "./door/Operators.ts"
export type { NewPasskeyChallenge, PasskeyMethods } from "./door/Passkeys.ts"
export type { CaptureFailure, CreateFailure, RefundFailure, VoidFailure } from "./door/Payments.ts"
export type { CorrectionFailure } from "./door/Reviews.ts"
export { CardNumberFound } from "./door/StoredTexts.ts"
export * as Metrics from "./metrics/Metrics.ts"
export { type ApiKey, apiKeyEntropyBytes, formatApiKey, type Scope, scopes } from "./model/ApiKey.ts"
export type { Attempt, Checkout } from "./model/Attempt.ts"
export { type AttemptOutcome, attemptOutcomes } from "./model/Attempt.ts"
export type { CheckIntervals } from "./model/CheckIntervals.ts"
export { type Claim, defaultClaimWindowMillis } from "./model/Claim.ts"
export { type ClaimState, claimStates } from "./model/ClaimMachine.ts"
export * from "./model/Connection.ts"
export { type FeeCondition, type FeeRegion, type FeeRule, feeRegions } from "./model/Connection.ts"
export {
  type Correction,
  type CorrectionState,
  correctionStates,
  isAnotherPerson,
  isRefundProposal,
  isSamePerson,
  openCorrection,
  type Person,
  type ProposedRefund,
  refundProposalMillis
} from "./model/Correction.ts"
export {
  type Decline,
  type DeclineAdvice,
  type DeclineCategory,
  type DeclineCode,
  type DeclineDetail,
  declineAdvices,
  declineCategories,
  declineCodes
} from "./model/Decline.ts"
export {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryEnd,
  type SendFailure,
  sendFailures
} from "./model/Delivery.ts"
export { type DeliveryState, deliveryStates } from "./model/DeliveryMachine.ts"
export {
  type Dispute,
  type DisputeReason,
  disputeReasons,
  type EvidenceFileType,
  evidenceFileTypes,
  type KeptEvidence,
  type KeptFile,
  type Submission,
  type SubmissionKind,
  submissionKinds
} from "./model/Dispute.ts"
export {
  type DisputeStatus,
  disputeStatuses,
  type SubmissionStage,
  submissionStages
} from "./model/DisputeMachine.ts"
export { endpointSecretContext, type SecretRotation, signingSecrets } from "./model/EndpointSecret.ts"
export type { Event, EventDraft, JsonObject, JsonValue } from "./model/Event.ts"
export { type EventView, viewOfEvent } from "./model/Event.ts"
export { type EventType, eventTypes } from "./model/EventType.ts"
export * from "./model/Journal.ts"
export type { Merchant, MerchantDetails, MerchantStanding, MerchantStatus } from "./model/Merchant.ts"
export * from "./model/Operation.ts"
export {
  displayNameExpected,
  isDisplayName,
  isLogin,
  leastRoles,
  loginExpected,
  managesOperators,
  mayAct,
  type Operator,
  type OperatorAction,
  type OperatorGrant,
  type OperatorRole,
  operatorActions,
  operatorRoles
} from "./model/Operator.ts"
export {
  type OperatorSession,
  recentSignInMillis,
  type SignInLink,
  type SignInMethod,
  signInMethods
} from "./model/OperatorSession.ts"
export { type Evidence, type OperatorStatement, statedOfCharges, statedOfRefunds } from "./model/OperatorStatement.ts"
export type { OutcomeCounts } from "./model/OutcomeCounts.ts"
export type { Passkey, PasskeyChallenge } from "./model/Passkey.ts"
export type { HostedPage } from "./model/Payment.ts"
export {
  type CaptureMethod,
  type ChargeSimulation,
  captureMethods,
  declineOfAttempt,
  declineOfPayment,
  type Initiator,
  initiators,
  type LookupSimulation,
  lookupSimulations,
  type Metadata,
  type OperationSimulation,
  operationSimulations,
  type Payment,
  type PaymentDetails,
  type Purchase,
  type PurchaseLine,
  type RefundSimulation,
  type Review,
  type ReviewReason,
  refundSimulations,
  reviewReasons,
  type Simulation
} from "./model/Payment.ts"
export {
  type PaymentState,
  type PaymentStatus,
  paymentStates,
  paymentStatuses,
  statesOf,
  statusOf
} from "./model/PaymentMachine.ts"
export {
  kindOfMethod,
  type NamedMethodLimits,
  type NamedMethods,
  type PaymentMethod,
  type PaymentMethodName,
  paymentMethodNames,
  paymentMethods
} from "./model/PaymentMethod.ts"
export { type Payout, type PayoutStatus, type PayoutSums, payoutRest, payoutStatuses } from "./model/Payout.ts"
export { accountText, type ConnectionAccount, type ProviderAccount } from "./model/ProviderAccount.ts"
export type { RateMemory, RecalledRate } from "./model/RateMemory.ts"
export {
  type MoneySums,
  type ReconciliationRun,
  type RunLease,
  type RunState,
  runStates
} from "./model/ReconciliationRun.ts"
export type { Refund, RefundOrigin, RefundReply } from "./model/Refund.ts"
export { type RefundStage, refundStages } from "./model/RefundMachine.ts"
export { type ReportRowKind, reportRowKinds, type SignedMoney } from "./model/ReportRow.ts"
export type { Fee, RouteValue } from "./model/RoutingDecision.ts"
export {
  type CircuitSeen,
  type Exclusion,
  type ExclusionCode,
  exclusionCodes,
  type RoutingAttempt,
  type RoutingCandidate,
  type RoutingDecision,
  type RoutingDraw,
  type RoutingGiven,
  type RoutingMode,
  routingModes
} from "./model/RoutingDecision.ts"
export {
  type AutoObjective,
  type AutoSettings,
  autoObjectives,
  type ControlGroup,
  defaultRoutingSettings,
  type RoutingRule,
  type RoutingSettings
} from "./model/RoutingSettings.ts"
export {
  type Closing,
  differenceResults,
  isDifference,
  type MatchReason,
  matchReasons,
  missingRowId,
  type Settlement,
  type SettlementEntry,
  type SettlementResult,
  settlementOf,
  settlementResults
} from "./model/SettlementEntry.ts"
export type { CandidateRates, KnownRate, SuccessRate } from "./model/SuccessRate.ts"
export { type Environment, environments, type Tenant } from "./model/Tenant.ts"
export type { Brand, Workspace } from "./model/Workspace.ts"
export { type FourEyes, isAboveLimit, needsSecondPerson, type RefundLimits } from "./model/Workspace.ts"
export { amountLimits, currencies, isCurrency, type Money, money } from "./money/Money.ts"
export {
  type BackgroundOptions,
  defaultProviderTimeoutMillis,
  Pointsman,
  type PointsmanOptions
} from "./Pointsman.ts"
export type { AfterRestore, BareCardNumbers } from "./ports/PaymentSettings.ts"
export * as SecretsLayer from "./ports/SecretsLayer.ts"
export { SignatureRefused, signatureHeader, signatureToleranceSeconds, verifySignature } from "./ports/Signature.ts"
export { NotAdmitted } from "./ports/StorageCondition.ts"
export { bySuccess } from "./routing/BySuccess.ts"
export type { ValueObjective } from "./routing/ByValue.ts"
export type { ExplanationChapter, RoutingExplanation } from "./routing/Explanation.ts"
export type { Replayed, ReplayedRoute, RoutedPayment, RoutingConfiguration } from "./routing/Replay.ts"
export type { CircuitReading, CircuitState } from "./routing/run/Circuits.ts"
export {
  RoutingStrategies,
  type RoutingStrategy,
  type StrategyAnswer,
  type StrategyCandidate,
  type StrategyQuestion
} from "./routing/Strategy.ts"
export type { HistorySpan, SuccessSeries } from "./routing/SuccessHistory.ts"
export { KeyRefused } from "./verbs/administer/Authenticate.ts"
export {
  type ConnectionEdit,
  ConnectionNotFound,
  type ConnectionOrder,
  CredentialsRefused,
  type EndpointEdit,
  type EndpointOrder,
  RecordChanged,
  RecordExists,
  WorkspaceInFile
} from "./verbs/administer/ConfigureWorkspace.ts"
export {
  ApiKeyCreated,
  ApiKeyDraftInvalid,
  ApiKeyNotFound,
  ApiKeyNotRestorable,
  type ApiKeyOptions,
  type CreatedApiKey,
  type RestoredApiKey,
  type RevokedApiKey,
  WorkspaceNotFound
} from "./verbs/administer/ManageApiKeys.ts"
export {
  type CreatedLink,
  type OperatorEdit,
  OperatorInvalid,
  OperatorNotFound,
  type OperatorOrder,
  type OperatorWithSessions
} from "./verbs/administer/ManageOperators.ts"
export {
  PasskeyInvalid,
  PasskeyNotFound,
  type PasskeyOrder,
  PasskeyRefused,
  type VerifiedPasskey
} from "./verbs/administer/ManagePasskeys.ts"
export { MerchantNotFound, type MerchantWithStatus } from "./verbs/administer/ProvisionMerchant.ts"
export * from "./verbs/administer/RotateEncryption.ts"
export {
  type NewSession,
  NotSignedIn,
  type PasswordOrder,
  PasswordRefused,
  type PasswordSignIn,
  SignInRefused,
  TooManySignIns
} from "./verbs/administer/SignIn.ts"
export type { OidcIdentity } from "./verbs/administer/SignInWithOidc.ts"
export type { PasskeySignIn } from "./verbs/administer/SignInWithPasskey.ts"
export type { ProofCounts } from "./verbs/check/ProveClosed.ts"
export {
  type DeliveryFile,
  DeliveryNotFound,
  NotRedeliverable,
  type RedeliveryOptions
} from "./verbs/deliver/ReadDeliveries.ts"
export {
  EndpointChanged,
  EndpointNotFound,
  maxSecretOverlapMillis,
  type RotatedSecret,
  type SecretRotationOrder
} from "./verbs/deliver/RotateEndpointSecret.ts"
export type { EvidenceTaken } from "./verbs/dispute/ReadDisputes.ts"
export { type ErasedPayment, type Erasure, type ErasureOrder, ErasureRefused } from "./verbs/erase/ErasePayments.ts"
export type { PreviewedRoute, PreviewQuery, RoutingPreview } from "./verbs/explain/PreviewRouting.ts"
export { type ConnectionHealth, type ConnectionOutcome, healthPayments } from "./verbs/explain/ReadConnectionHealth.ts"
export {
  historyStepsAtMost,
  type SuccessHistory,
  type SuccessHistoryQuery
} from "./verbs/explain/ReadSuccessHistory.ts"
export type { ReplayQuery } from "./verbs/explain/ReplayPayments.ts"
export { PaymentArchived, PaymentNotFound } from "./verbs/read/ReadArchive.ts"
export type { AccountBalance, Balances, PendingBalance } from "./verbs/read/ReadBalances.ts"
export type { JournalEntry, JournalQuery } from "./verbs/read/ReadJournal.ts"
export type { Page } from "./verbs/read/ReadPayments.ts"
export { HintNotLookedUp, type ReceivedHint } from "./verbs/receive/ReceiveHint.ts"
export type { IncomingMessage, VerifiedMessage } from "./verbs/receive/ReceiveMessage.ts"
export { MessageRefused } from "./verbs/receive/RefuseMessage.ts"
export { type MessageFile, MessageNotApplicable, MessageNotFound } from "./verbs/receive/StoredMessages.ts"
export { type AcceptanceOrder, SuggestionNotFound } from "./verbs/reconcile/AcceptSuggestion.ts"
export { type ReportFileOrder, TooManyReports } from "./verbs/reconcile/BeginFile.ts"
export type { FetchOrder } from "./verbs/reconcile/FetchReports.ts"
export { ReportBeingRead, ReportBroken, type ReportOrder, ReportRefused } from "./verbs/reconcile/RunReport.ts"
export { type ClosingOrder, DifferenceNotFound, ReportTaken } from "./verbs/reconcile/WriteBatch.ts"
export { type Recovery, type RecoveryOrder, RecoveryRefused } from "./verbs/recover/Recover.ts"
export type { ConnectionRecovery, RecoveredAmount } from "./verbs/recover/RecoveryReport.ts"
export type { PaymentRemoval } from "./verbs/retain/RemovePayments.ts"
export { countedAtMost, type Sweep, type SweepOrder, type TenantSweep } from "./verbs/retain/SweepStore.ts"
export {
  CorrectionNotFound,
  type CorrectionOrder,
  type DecidedCorrection,
  type Rejection
} from "./verbs/review/DecideCorrection.ts"
export { type PaymentFile, type ReviewFile, ReviewNotFound } from "./verbs/review/ReadReviews.ts"
export { type ReadRecord, type ResolveReviewOrder, StatementRefused } from "./verbs/review/RecordEvidence.ts"
export type { OperatorRefund, RefundedOrProposed } from "./verbs/review/RefundByOperator.ts"
export { CorrectionRefused } from "./verbs/review/SecondPerson.ts"
