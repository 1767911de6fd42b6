import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take messages of Checkout.com however old they are",
    harm: "An attacker who kept a signed message sends it again, years later.",
    edits: [{ in: "readMessage", operand: "ageAtMostMillis", become: "false" }],
    caughtBy:
      "packages/connectors/checkout/test/Messages.test.ts > an older message, or one of the future, is refused, whatever its signature"
  }
]
