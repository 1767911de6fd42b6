import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe Adyen's webhooks unsigned",
    harm: "Anybody who knows the address says that money was taken.",
    edits: [{ in: "signedItem", call: "Mac.timingSafeEqual", become: "true" }],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/adyen.contract.test.ts",
      test: "given another amount.value than was signed, then it is refused"
    }
  },
  {
    name: "take every failed capture of Adyen's for its end",
    harm: "Adyen captures again after a technical failure, and the merchant captures or charges a second time.",
    edits: [{ in: "aboutOf", call: "isNeverCaptured", become: "true" }],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/adyen.contract.test.ts",
      test: "given operation failed for now, then it is read as that, with its id and its time, and nothing is sent"
    }
  }
]
