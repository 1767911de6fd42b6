import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take PayPal's used invoice id for a refusal",
    harm: "A charge that PayPal made before is tried at another provider, and the customer pays twice.",
    edits: [{ in: "refusal", condition: "usedBefore", become: "false" }],
    caughtBy:
      "packages/connectors/paypal/test/PayPalConnector.test.ts > a used invoice id leaves nothing known but that the key was used"
  }
]
