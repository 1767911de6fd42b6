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
  },
  {
    name: "a newer version of a row loses its payment",
    harm: "The payout fills in a row that an operator accepted, and the books show its money as unexplained again.",
    edits: [{ const: "acceptedId", become: "null" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/AcceptSuggestion.test.ts",
      test: "given four eyes, then two people decide the amount, and newer versions of the row stay with the payment"
    }
  }
]
