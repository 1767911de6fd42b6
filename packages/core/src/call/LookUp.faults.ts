import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "look up in another account",
    harm: "A charge that was captured is not found in another account, and recorded as failed; its customer pays again.",
    edits: [{ in: "inAccount", if: "other", become: "" }],
    caughtBy:
      "packages/core/test/Accounts.test.ts > a payment that is unanswered does not move at a lookup there, and is reviewed once",
    simulatedOn: "memory",
    simulatedUnder: "account"
  },
  {
    name: "believe never received in an account that is not named",
    harm: "The credentials may open another account, which never received what was captured in the first one.",
    edits: [{ in: "inAccount", operand: "isVerified", become: "false" }],
    caughtBy:
      "packages/core/test/Accounts.test.ts > a provider that names no account may have what is not found in the one before",
    simulatedOn: "memory",
    simulatedUnder: "account"
  }
]
