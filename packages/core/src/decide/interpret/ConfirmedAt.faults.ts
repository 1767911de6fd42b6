import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "an old failure counts after a success",
    harm: "A late message of an earlier failure takes back a capture that the provider made, and it is captured again.",
    edits: [{ in: "isOvertaken", operand: "source.at", about: "dateOf", become: "source.at < 0" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > a capture that was accepted has an older failure, and a newer one counts"
  }
]
