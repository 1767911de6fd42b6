import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "look up in another account",
    harm: "A charge that was captured is not found in another account, and recorded as failed; its customer pays again.",
    edits: [{ in: "inAccount", if: "other", become: "" }],
    caughtBy:
      "packages/core/test/Accounts.test.ts > given a payment that is unanswered, when it is looked up there, then nothing moves, once under review",
    simulatedOn: "memory",
    simulatedUnder: "account"
  },
  {
    name: "believe never received in an account that is not named",
    harm: "The credentials may open another account, which never received what was captured in the first one.",
    edits: [{ in: "inAccount", operand: "isVerified", become: "false" }],
    caughtBy:
      "packages/core/test/Accounts.test.ts > given a provider that does not name the account, then what is not found may be in the one before",
    simulatedOn: "memory",
    simulatedUnder: "account"
  }
]
