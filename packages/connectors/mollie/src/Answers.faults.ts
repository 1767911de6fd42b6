import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "call a used key a rejection, at Mollie",
    harm: "Mollie may have charged under the key before; the next connection charges again.",
    edits: [
      { in: "rejected", if: "409", become: "" },
      { const: "didNothing", become: "new Set([400, 409, 401, 403, 404, 405, 410, 415, 422, 429])" }
    ],
    caughtBy:
      "packages/connectors/mollie/test/MollieConnector.test.ts > 400 of a payment that was to move money is key used"
  }
]
