import type { Fault } from "../../../../../checks/mutations/Fault.ts"

const outOfOrder =
  "packages/core/test/ReconcileVersions.test.ts > the last generated version counts, and then that of the last run"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a row of a report is taken twice",
    harm: "A second report with the same rows counts their money twice.",
    edits: [
      {
        in: "openRows",
        if: "isApplied",
        become: "open.push({ ...own, entryId: ownId, isStored: false, isRepeated: true })\n      continue"
      }
    ],
    caughtBy:
      "packages/core/test/ReconcileReport.test.ts > a report that was read changes nothing when it or its rows come again",
    simulatedOn: "memory"
  },
  {
    name: "a newer version of a row loses its payment",
    harm: "The payout fills in a row that an operator accepted, and the books show its money as unexplained again.",
    edits: [{ const: "acceptedId", become: "null" }],
    caughtBy:
      "packages/core/test/AcceptSuggestion.test.ts > two people decide the amount under four eyes; the payment keeps newer versions"
  },
  {
    name: "an older report that is read late counts",
    harm: "A fee that the provider has corrected since comes back, and the books show it as the final one.",
    edits: [{ in: "openRows", condition: "countsInstead", become: "false" }],
    caughtBy: outOfOrder
  },
  {
    name: "an unchanged row of a newer report does not count again",
    harm: "A report that was generated before it is read late, and its fee counts instead of the newest one.",
    edits: [{ in: "openRows", condition: "newest.generatedAt", become: "false" }],
    caughtBy: outOfOrder
  }
]
