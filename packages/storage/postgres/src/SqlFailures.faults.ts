import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a commit whose answer was lost, taken for not written",
    harm: "Its key is given back although its claim stands, or its charge is settled as never sent.",
    edits: [
      {
        in: "failureOf",
        call: "CommitUnknown",
        become: 'new Refused({ code: "", error: storageError(operation, error) })'
      }
    ],
    caughtBy:
      "packages/storage/postgres/test/LostConnections.test.ts > given a commit whose answer is lost, then its end is unknown, and a read tells that it is stored"
  }
]
