import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a draft of a refund is sent",
    harm: "An agent's draft moves money before a person has seen it.",
    edits: [{ in: "paymentMethods", const: "drafting", become: "refunding" }],
    caughtBy:
      "packages/core/test/ProposedRefunds.test.ts > any amount is proposed and not sent until another person approves it"
  }
]
