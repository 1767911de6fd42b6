import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "an unreadable message not stored",
    harm: "What a provider wrote is gone, and cannot be applied once its connector can read it.",
    edits: [{ in: "recordMessage", statement: "storeMessage", become: "if (verified.message === null) return\n  $" }],
    caughtBy:
      "packages/core/test/StoredMessages.test.ts > an unreadable message is applied once after its reader is corrected",
    simulatedOn: "memory"
  },
  {
    name: "an unmatched message not decided",
    harm: "A dispute of a charge that is not here is on no list.",
    edits: [{ in: "decideMessage", statement: "Effect.logWarning", become: "$\n    return" }],
    caughtBy:
      "packages/core/test/ProviderMessages.test.ts > a reference of another connection, or of none, changes nothing and is kept",
    simulatedOn: "memory"
  },
  {
    name: "believe a message of another account",
    harm: "What happened to a charge of another account would move a payment.",
    edits: [{ in: "meaningOf", condition: "elsewhere", become: "false" }],
    caughtBy: "packages/core/test/Accounts.test.ts > a message through another account moves nothing, and is reviewed"
  },
  {
    name: "verify messages by the newest secret alone",
    harm: "While a provider's secret is rotated, its messages are refused, and payments stay unknown.",
    edits: [{ in: "readWithEither", operand: "isUnverified", become: "true" }],
    caughtBy:
      "packages/server/test/PreviousSecrets.test.ts > a previous secret is refused once removed, beside new and unknown ones"
  }
]
