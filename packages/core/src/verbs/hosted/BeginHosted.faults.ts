import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "send a hosted payment on an unknown commit",
    harm: "A charge, or a checkout, begins on an attempt that may not be stored; another tab begins a second one.",
    edits: [{ in: "beginHosted", property: "MaybeWritten", become: "({ value }) => Effect.succeed(value)" }],
    caughtBy: 'packages/core/test/HostedFaults.test.ts > a first commit, ["lost"], fails once, unsent',
    simulatedOn: "memory"
  },
  {
    name: "give up another tab's charge",
    harm: "A payment reads FAILED while its provider is being asked.",
    edits: [{ in: "giveUp", if: "claimedBy", become: "" }],
    caughtBy:
      "packages/core/test/HostedFaults.test.ts > the payment of another tab whose provider is at work stays after a lost commit",
    simulatedOn: "memory"
  }
]
