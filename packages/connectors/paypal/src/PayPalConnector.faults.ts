import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "ask for an approved order under the id of its opening",
    harm: "PayPal answers with the order as it was opened, and the money is never taken.",
    edits: [{ in: "completeCheckout", property: "id", become: "id" }],
    caughtBy:
      "packages/connectors/paypal/test/PayPalCheckout.test.ts > an approved order, to be Captured, is one request with an id of its own"
  }
]
