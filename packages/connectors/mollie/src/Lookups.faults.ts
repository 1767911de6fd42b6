import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "deny a charge that Mollie's first page does not show",
    harm: "A charge that 250 newer payments followed is settled as failed, and the customer pays again.",
    edits: [{ in: "isWhole", operand: "last.created", become: "true" }],
    caughtBy:
      "packages/connectors/mollie/test/MollieConnector.test.ts > the next page is asked for of a list that does not go back far enough"
  }
]
