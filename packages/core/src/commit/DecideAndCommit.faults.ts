import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a commit that may be written, taken for lost",
    harm: "A claim is never released: its key stands for a charge that was never sent.",
    edits: [
      {
        in: "notWritten",
        statement: "unanswered.push",
        become: "if (sent !== undefined) return Effect.succeed(storeFailed(cause as never))"
      }
    ],
    caughtBy:
      'packages/core/test/LateWriters.test.ts > ["unheard"] leaves one abandoned payment, announced once; a free key'
  },
  {
    name: "a refusal from what a process wrote last",
    harm: "A merchant's refund is refused, although another server has captured the payment.",
    edits: [
      { in: "commitOnKept", property: "onFailure", become: "Effect.fail" },
      {
        in: "commitOnKept",
        statement: "Done",
        become: 'if (tried._tag === "Done") return Effect.succeed(tried.value); $'
      }
    ],
    caughtBy:
      "packages/core/test/KeptBooks.test.ts > a refund after a capture is made, and not refused on what was kept"
  },
  {
    name: "one of two payments with one reference reviewed",
    harm: "Operations settle the second payment, and never hear that the first one's charge may not be its own.",
    edits: [{ in: "reviewOther", condition: "id", become: "!($)" }],
    caughtBy:
      "packages/core/test/ReusedReferences.test.ts > one payment has the reference of two answers at once, both reviewed",
    simulatedOn: "memory"
  }
]
