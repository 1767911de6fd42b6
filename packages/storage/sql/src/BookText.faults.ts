import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take some fields that stay for all of them",
    harm: "What changes of a payment's details is not written: an erased reference stays in the store.",
    edits: [{ in: "isKept", call: "fields.every", become: "fields.some((field) => before[field] === after[field])" }],
    caughtBy: "packages/storage/sqlite/test/Sqlite.contract.test.ts > texts that are erased find their payment no more"
  }
]
