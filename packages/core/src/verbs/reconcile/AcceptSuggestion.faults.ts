import type { Fault } from "../../../../../checks/mutations/Fault.ts"

const caught = (test: string) => `packages/core/test/AcceptSuggestion.test.ts > ${test}`

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a payment is accepted that was not suggested",
    harm: "A slip of the pen gives another payment the money of the row.",
    edits: [{ in: "acceptSuggestion", operand: "suggestedPaymentId", become: "false" }],
    caughtBy: caught("a row of another payment, without one, or of a closed difference changes nothing")
  },
  {
    name: "a row of another charge is accepted",
    harm: "What a second charge states is applied to a payment that has its own, without a report.",
    edits: [{ in: "acceptSuggestion", if: "first.entries", become: "" }],
    caughtBy: caught("a row stays without a payment that has a charge of its own by now")
  }
]
