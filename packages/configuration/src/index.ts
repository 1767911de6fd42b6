/** The configuration of workspaces, keys, connections, routing and webhooks: its schema, its checks and findings, and its application. */
export * from "./ApplyConfiguration.ts"
export { type ArchiveFile, archiveOptionsOf, understandArchive } from "./ArchiveFile.ts"
export type { CheckOptions } from "./CheckConfiguration.ts"
export {
  checkSeals,
  openPayments,
  openPaymentsText,
  SealedWithAnotherKey,
  unreadableOf,
  warnOfUnreadable
} from "./CheckSeals.ts"
export * from "./ConfigurationFile.ts"
export { openConnectionOf, routingSettingsOf, sendsNothing } from "./ConfiguredDirectory.ts"
export { isConnectorPath, understandConnectors } from "./ConnectorsFile.ts"
export { formatMistake, formatPath, type Mistake } from "./DecodeFile.ts"
export { type FeeFile, feeFileOf, feeRuleOf, feeText } from "./FeeFields.ts"
export * from "./findings/RuleFindings.ts"
export * from "./Generation.ts"
export * from "./StoredTimeouts.ts"
export { durationExpected, momentExpected, readDelay, readDuration, readMoment } from "./TimeText.ts"
export * from "./UnderstandConfiguration.ts"
export * from "./UnderstandPart.ts"
