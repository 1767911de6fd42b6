import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "an acceptance that the payment does not keep",
    harm: "A late message opens an accepted dispute again, and evidence is sent for money that was given up.",
    edits: [{ in: "disputeStep", call: "withAcceptance", become: "payment" }],
    caughtBy:
      "packages/core/test/Disputes.test.ts > an accepted dispute is not opened again by a message written before"
  }
]
