import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "compare recovered keys of today alone",
    harm: "After midnight a merchant repeats a request whose record was lost, and its charge is made again.",
    edits: [{ in: "findRecovered", call: "daysOf", become: "[now]" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecoverRecords.test.ts",
      test: "given midnight and an open circuit since, when the key comes again, then nothing is charged"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  }
]
