import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "recover a connection that did not answer",
    harm: "Servers charge again although a part of what was lost is not recovered.",
    edits: [{ in: "recover", operand: "Complete", become: "true" }],
    caughtBy:
      "packages/core/test/RecoverRecords.test.ts > a page that is never answered leaves its connection for the next recovery"
  },
  {
    name: "list before what was sent has ended",
    harm: "A charge that is under way is in no list; its key comes again, and its customer is charged twice.",
    edits: [{ in: "recover", statement: "awaitClaims", become: "" }],
    caughtBy:
      "packages/core/test/RecordLosses.test.ts > a recovery waits for a charge that was in flight when the loss was declared"
  }
]
