import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "tell customers that an unknown charge failed",
    harm: "The customer pays again, and is charged twice.",
    edits: [{ in: "outcomeOf", property: "ChargeUnknown", become: '"failed"' }],
    caughtBy:
      "packages/http/test/hosted/Pages.test.ts > ChargeUnknown says Your payment is being checked on the page and leads back"
  }
]
