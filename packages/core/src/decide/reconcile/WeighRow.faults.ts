import type { Fault } from "../../../../../checks/mutations/Fault.ts"

const caught = (test: string) => `packages/core/test/ReconcileGuards.test.ts > ${test}`

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a second row of a charge states nothing",
    harm: "The provider took the money twice under one attempt, and the second charge gets no review.",
    edits: [{ const: "statement", become: "isDuplicate ? undefined : $" }],
    caughtBy: caught("operations review a payment with a row of a second charge at the provider")
  },
  {
    name: "a repeated row of a pair states its amount",
    harm: "A payment of which a part was captured reads as captured in full, and may be refunded in full.",
    edits: [{ const: "pairedWith", become: "order.before" }],
    caughtBy: caught("a smaller capture captures no more when a whole row comes twice")
  },
  {
    name: "one person decides by a second row",
    harm: "A report that one person wrote decides an amount for which two are asked.",
    edits: [{ in: "weighRow", call: "isForTwo", become: "isForTwo(row, book, subject, difference, order.limits)" }],
    caughtBy: caught("two people decide under four eyes when a second row differs from the record")
  }
]
