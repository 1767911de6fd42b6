import type { Fault } from "../../../../checks/mutations/Fault.ts"

const caught = (test: string) => `packages/http/test/DisputeRounds.test.ts > ${test}`

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a new round of a dispute ignored",
    harm: "A payment whose dispute is opened again is refunded in full, and the merchant pays twice.",
    edits: [{ in: "orderOf", condition: "isBack", become: "before.verdict === verdict" }],
    caughtBy: caught("a dispute that was won and is opened again begins a new round"),
    simulatedOn: "memory"
  },
  {
    name: "a dispute opened again by an equal time",
    harm: "A late opening of the same second takes back the money of a dispute that was won.",
    edits: [{ in: "orderOf", const: "isDated", become: "at !== null && before.at !== null" }],
    caughtBy: caught("an opening that is dated at the time of the end does not open again")
  },
  {
    name: "money back by an inquiry",
    harm: "A disputed payment is refunded in full because the provider states an inquiry.",
    edits: [{ in: "orderOf", const: "isBack", become: "false" }],
    caughtBy: caught("an inquiry dated after an opening returns no money, and operations review it")
  },
  {
    name: "a dispute message believed that contradicts itself",
    harm: "A message that says both lost and won moves the payment without a review.",
    edits: [{ in: "orderDispute", const: "order", become: "orderOf(before, { verdict, at })" }],
    caughtBy: caught("a message dispute.lost with the status won changes nothing, and opens a review")
  }
]
