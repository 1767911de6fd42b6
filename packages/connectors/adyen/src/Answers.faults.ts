import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take a payment link that was paid for one that nobody paid",
    harm: "The payment is cancelled while the customer's money is taken.",
    edits: [{ in: "foundOnPage", property: "conclusive", become: 'link.status !== "active"' }],
    caughtBy:
      "packages/connectors/adyen/test/AdyenConnector.test.ts > a page that is completed is NotFound, not conclusive"
  }
]
