import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take an empty list of Checkout.com for its last word",
    harm: "A charge that Checkout.com shows late is called never received, and another provider charges the card again.",
    edits: [{ in: "notFound", property: "conclusive", become: "true" }],
    caughtBy:
      "packages/connectors/checkout/test/CheckoutConnector.test.ts > a payment may still be there, however late, if none has our reference"
  }
]
