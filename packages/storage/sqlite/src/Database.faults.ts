import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a commit that the disk did not confirm, taken for not written",
    harm: "A crash brings back a claim whose key was given back, and a retry meets a payment that nobody sent.",
    edits: [{ in: "transaction", operand: "refused", become: "true" }],
    caughtBy:
      "packages/storage/sqlite/test/GroupCommit.test.ts > given a batch, when the disk fails after its COMMIT, then nobody is told that it was not written"
  }
]
