import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe another connection",
    harm: "The holder of one connection's secret can move the payments of every connection.",
    edits: [{ in: "attemptNamed", call: "book.attempts.filter", become: "book.attempts" }],
    caughtBy:
      "packages/core/test/ProviderMessages.test.ts > a message of another connection than the attempt's changes nothing",
    simulatedOn: "memory"
  }
]
