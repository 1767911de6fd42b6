import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "let an open payment leave the store",
    harm: "An authorization that a provider still holds is neither captured nor voided, because its record is gone.",
    edits: [{ in: "endOf", property: "Authorized", become: '"none"' }],
    caughtBy:
      "packages/storage/memory/test/Memory.contract.test.ts > closed payments leave after years, and the sums stay"
  }
]
