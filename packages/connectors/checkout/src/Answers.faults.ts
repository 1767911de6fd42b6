import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take a captured payment without a stated amount for captured in full",
    harm: "A part that was captured is recorded as the whole.",
    edits: [
      {
        in: "stateOf",
        statement: "partially refunded",
        become: 'case "partially refunded":\n      return captured(id, balances?.total_captured ?? amount, currency)'
      }
    ],
    caughtBy:
      "packages/connectors/checkout/test/CheckoutConnector.test.ts > captured money of no stated amount has an unknown result"
  }
]
