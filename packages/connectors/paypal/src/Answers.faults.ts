import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take PayPal's used invoice id for a refusal",
    harm: "A charge that PayPal made before is tried at another provider, and the customer pays twice.",
    edits: [{ in: "refusal", condition: "usedBefore", become: "false" }],
    caughtBy:
      "packages/connectors/paypal/test/PayPalConnector.test.ts > given a used invoice id, then nothing is known, and that the key was used is"
  }
]
