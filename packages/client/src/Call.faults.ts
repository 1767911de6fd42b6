import type { Fault } from "../../../checks/mutations/Fault.ts"

const retries = "packages/client/test/Retries.test.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "draw an idempotency key for each try",
    harm: "A payment whose answer was lost is sent again as another payment, and the customer pays twice.",
    edits: [
      { in: "makeCall", call: "send", become: "send(endpoint, order, movesMoney ? drawKey() : null, timer.signal)" }
    ],
    caughtBy: `${retries} > a connection that is lost after the server answered: a create is repeated, charged once`
  },
  {
    name: "forget that an earlier try may have been executed",
    harm: "The customer sees a failure, and pays again for what a provider may have charged.",
    edits: [{ in: "makeCall", if: "mayHaveArrived", become: "" }],
    caughtBy: `${retries} > money may have moved after a lost answer and a refusal before the key's lookup`
  },
  {
    name: "send again what a provider refused",
    harm: "A refused capture is put to the provider again and again, without anybody asking for it.",
    edits: [{ in: "makeCall", operand: "isSafeAgain", become: "false" }],
    caughtBy: `${retries} > a create with 502 psp_error is sent once and the error says what is known`
  }
]
