import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "file no key of what is recovered",
    harm: "A merchant repeats a request whose record was lost, and its charge is made again.",
    edits: [{ in: "fileKey", condition: "tag", become: "true" }],
    caughtBy:
      "packages/core/test/RecoverRecords.test.ts > a recovered charge's payment answers its key, and nothing is charged",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  }
]
