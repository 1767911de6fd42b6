import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a row of a report is taken twice",
    harm: "A second report with the same rows counts their money twice.",
    edits: [
      {
        in: "openRows",
        if: "isApplied",
        become:
          "open.push({ ...own, entryId: repeatedRowId(row.id, number), isStored: false, isRepeated: true })\n      continue"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileReport.test.ts",
      test: "given a report that was read, when it or its rows come again, then nothing changes"
    },
    simulatedOn: "memory"
  }
]
