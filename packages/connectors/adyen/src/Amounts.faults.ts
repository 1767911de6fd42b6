import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "send sen of a rupiah to Adyen",
    harm: "The customer is charged a hundred times too little, or a rounded amount.",
    edits: [{ in: "shifted", returned: "result", become: "Math.round(result)" }],
    caughtBy:
      "packages/connectors/adyen/test/AdyenConnector.test.ts > an amount that the other side cannot express is refused"
  }
]
