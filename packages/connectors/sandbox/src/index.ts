/** The built-in provider simulator: `SandboxConnector.make(SandboxRecords.memory())`. */
import type { ConnectorHandle } from "@pointsman/core/connector"
import { Effect } from "effect"
import { make } from "./SandboxConnector.ts"
import { SandboxRecords } from "./SandboxRecords.ts"

export { ChargeRecord, type DisputeRecord, type RefundRecord } from "./ChargeRecord.ts"
export { disputedReference, messagesOf, withDispute } from "./Disputes.ts"
export * as SandboxConnector from "./SandboxConnector.ts"
export * from "./SandboxRecords.ts"
export type { Played } from "./Simulator.ts"

/**
 * The connector `sandbox`, for `createPointsman` of `@pointsman/node`. `recordsFile`: where the simulated provider keeps
 * what it executed, in a SQLite file of its own; name one wherever payments outlive the process, or the simulator will
 * not know them again after a restart. In memory unless named.
 */
export const sandbox = (recordsFile?: string): ConnectorHandle => ({
  name: "sandbox",
  "~pointsman/connector":
    recordsFile === undefined
      ? Effect.sync(() => make(SandboxRecords.memory()))
      : SandboxRecords.file(recordsFile).pipe(
          Effect.map(make),
          Effect.mapError(() => `The sandbox's records in ${recordsFile} cannot be opened.`)
        )
})
