import type { Fault } from "../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a server's own clock",
    harm: "A server whose clock is ahead takes an unknown result for a failure before the provider captures.",
    edits: [
      {
        in: "layer",
        call: "Context.add",
        about: "storageClock.clock",
        become: "Context.add(Clock.Clock, yield* Clock.Clock)"
      }
    ],
    caughtBy: 'packages/core/test/StorageClock.test.ts > "never received" follows store time, ours 65 s ahead',
    simulatedOn: "memory",
    simulatedUnder: "clocks"
  }
]
