import type { Fault } from "../../../checks/mutations/Fault.ts"

const retries = "packages/client/test/Retries.test.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "draw an idempotency key for each try",
    harm: "A payment whose answer was lost is sent again as another payment, and the customer pays twice.",
    edits: [
      { in: "makeCall", call: "send", become: "send(endpoint, order, movesMoney ? drawKey() : null, timer.signal)" }
    ],
    caughtBy: `${retries} > given a connection that is lost after the server answered, when a payment is created, then it is sent again under the one key and charged once`
  },
  {
    name: "forget that an earlier try may have been executed",
    harm: "The customer sees a failure, and pays again for what a provider may have charged.",
    edits: [{ in: "makeCall", if: "mayHaveArrived", become: "" }],
    caughtBy: `${retries} > given a lost answer and then a refusal before the key is looked up, then money may have moved`
  },
  {
    name: "send again what a provider refused",
    harm: "A refused capture is put to the provider again and again, without anybody asking for it.",
    edits: [{ in: "makeCall", operand: "isSafeAgain", become: "false" }],
    caughtBy: `${retries} > given 502 psp_error, when a payment is created, then it is sent once and the error says what is known`
  }
]
