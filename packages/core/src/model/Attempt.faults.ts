import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe too early that a charge never arrived",
    harm: "A charge that the provider executes a moment later is FAILED, and the merchant asks for the money again.",
    edits: [{ in: "oldFrom", returned: "timeoutMillis", become: "Math.max(sentAt, agesFrom ?? sentAt)" }],
    caughtBy:
      "packages/core/test/CheckDue.test.ts > 'never received' is not believed of a charge younger than twice its timeout"
  },
  {
    name: "ages across a change of clocks",
    harm: "After a failover to a clock that is ahead, an unknown result becomes a failure before the provider captures.",
    edits: [{ in: "oldFrom", call: "Math.max", become: "Math.min(sentAt, agesFrom ?? sentAt)" }],
    caughtBy:
      "packages/core/test/StorageClock.test.ts > 'never received' is believed once the full age has passed since a clock changed",
    simulatedOn: "memory",
    simulatedUnder: "promote"
  }
]
