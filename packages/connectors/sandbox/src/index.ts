/** The built-in provider simulator: `SandboxConnector.make(SandboxRecords.memory())`. */

export { ChargeRecord, type DisputeRecord, type RefundRecord } from "./ChargeRecord.ts"
export { disputedReference, messagesOf, withDispute } from "./Disputes.ts"
export { sandbox } from "./Handle.ts"
export * as SandboxConnector from "./SandboxConnector.ts"
export * from "./SandboxRecords.ts"
export type { Played } from "./Simulator.ts"
