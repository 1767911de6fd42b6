import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a refund that names a capture finds no payment",
    harm: "A refund made at the provider is stored and never counted.",
    edits: [{ in: "findCharge", call: "findPart", become: "Effect.succeed(found)" }],
    caughtBy:
      "packages/core/test/ChangedCharges.test.ts > the id of a capture that was stated before refunds its payment"
  }
]
