import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take a gateway's 404 for an adapter's word",
    harm: "A charge or refund that was executed is given up as never received, and the money moves twice.",
    edits: [
      { in: "notFound", condition: "field", become: "(body[field] ?? id) === id" },
      { file: "Protocol.ts", in: "NotFound", property: "found", become: "optional($)" }
    ],
    caughtBy:
      "packages/connectors/http/test/http.contract.test.ts > status 404 with a gateway's JSON to lookUpRefund is Unanswered",
    simulatedOn: "memory",
    simulatedUnder: "gateway"
  }
]
