import type { Fault } from "../../../../checks/mutations/Fault.ts"

const caught = (test: string) => `packages/core/test/ProposedRefunds.test.ts > ${test}`

export const faults: ReadonlyArray<Fault> = [
  {
    name: "one operator refunds above the limit",
    harm: "One person sends any amount to a card of their own.",
    edits: [{ in: "upTo", operand: "isAboveLimit", become: "false" }],
    caughtBy: caught("a minor unit more is proposed")
  },
  {
    name: "a refund is sent under the key of its proposal",
    harm: "The refund goes out below the limit, and once more when its proposal is approved.",
    edits: [{ in: "upTo", const: "isProposed", become: "false" }],
    caughtBy: caught("nothing is sent under a proposal's key, and another amount is refused")
  },
  {
    name: "an approval sends another amount than was proposed",
    harm: "The second person approves one amount, and the provider gives another one back.",
    edits: [{ in: "approvedBy", if: "reason", become: "" }],
    caughtBy: caught("a proposal of more than is left sends nothing and is overtaken")
  }
]
