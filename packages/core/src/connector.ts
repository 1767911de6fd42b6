/** What a connector is made of. For provider adapters. */

export type { Supports } from "./model/Connection.ts"
export * from "./model/Decline.ts"
export {
  type DisputeReason,
  disputeReasons,
  type EvidenceFile,
  type EvidenceFileType,
  evidenceFileTypes,
  type SubmissionKind
} from "./model/Dispute.ts"
export { type DisputeStatus, disputeStatuses } from "./model/DisputeMachine.ts"
export {
  type ChargeSimulation,
  chargeSimulationOf,
  chargeSimulations,
  type Initiator,
  initiators,
  type LookupSimulation,
  lookupSimulations,
  type OperationSimulation,
  operationSimulations,
  type RefundSimulation,
  refundSimulations,
  type Simulation
} from "./model/Payment.ts"
export {
  type NamedMethodLimits,
  type NamedMethods,
  type PaymentMethod,
  type PaymentMethodName,
  type ProviderMethods,
  paymentMethodNames,
  paymentMethods,
  providerNameOf
} from "./model/PaymentMethod.ts"
export type { ProviderAccount } from "./model/ProviderAccount.ts"
export * from "./model/ProviderStatement.ts"
export * from "./model/ReportRow.ts"
export type { Environment } from "./model/Tenant.ts"
export {
  amountLimits,
  amountText,
  currencies,
  decimalText,
  isCurrency,
  type Money,
  money,
  scaleOf
} from "./money/Money.ts"
export type { ConnectorHandle } from "./ports/Connector.ts"
export * from "./ports/Connector.ts"
export { credentialsReader, HeaderText, keyModeFault, ProviderUrl } from "./ports/CredentialFields.ts"
export { type Clean, cleaner, hideSecrets } from "./ports/HideSecrets.ts"
export { expressing, type JsonCall, type JsonProvider, jsonCaller, segment } from "./ports/JsonCall.ts"
export * from "./ports/ProviderLists.ts"
export * from "./ports/ReadMessage.ts"
export * from "./ports/Signature.ts"
export * from "./ports/Transport.ts"
export {
  answerReader,
  fieldOf,
  fromJson,
  isSuccess,
  isWireText,
  WebAddress,
  WireReference,
  WireTime,
  wireOptional,
  withoutTrailingSlashes
} from "./ports/WireFields.ts"
