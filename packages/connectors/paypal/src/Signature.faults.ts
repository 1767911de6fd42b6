import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe a message without comparing PayPal's signature",
    harm: "Anybody who names PayPal's certificate says that a payment was captured.",
    edits: [{ in: "verified", condition: "verify", become: "false" }],
    caughtBy:
      "packages/connectors/paypal/test/OfficialSignature.test.ts > another account's webhook id, in any character, or none, is refused"
  }
]
