import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take a paid payment link for an unpaid one",
    harm: "The payment is cancelled while the customer's money is taken.",
    edits: [{ in: "foundOnPage", property: "conclusive", become: 'link.status !== "active"' }],
    caughtBy:
      "packages/connectors/adyen/test/AdyenConnector.test.ts > a page that is completed is NotFound, not conclusive"
  }
]
