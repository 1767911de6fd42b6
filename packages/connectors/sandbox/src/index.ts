/** The built-in provider simulator: `SandboxConnector.make(SandboxRecords.memory())`. */
export { sandbox } from "./Handle.ts"
export * as SandboxConnector from "./SandboxConnector.ts"
export * from "./SandboxRecords.ts"
export { ChargeRecord, type Played, type RefundRecord } from "./Simulator.ts"
