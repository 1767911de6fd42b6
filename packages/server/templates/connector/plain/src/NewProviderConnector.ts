/**
 * The connector `new-provider`, in plain functions.
 *
 * The rule that a connector must not break: it says what happened, and nothing that it does not know. A function that
 * throws leaves the result unknown, and the payment is looked up: throw whenever you are not sure. `rejected` is the
 * provider's word that it did nothing, and another connection may be tried after it.
 */
import { defineConnector } from "@pointsman/node/connector"
import { credentials } from "./Exchange.ts"

/**
 * A function is a capability: take out those that the provider does not have, `charge` and `lookUpCharge` apart, and
 * write the others. `ask` of `Exchange.ts` puts a request.
 */
export const definition = defineConnector({
  name: "new-provider",
  // What the provider never takes, whatever the connection's own limits are: { methods: ["card"] }, say.
  supports: {},
  credentials,
  charge: () => toBeWritten("charge"),
  lookUpCharge: () => toBeWritten("lookUpCharge"),
  openCheckout: () => toBeWritten("openCheckout"),
  capture: () => toBeWritten("capture"),
  void: () => toBeWritten("void"),
  refund: () => toBeWritten("refund"),
  lookUpOperation: () => toBeWritten("lookUpOperation"),
  lookUpRefund: () => toBeWritten("lookUpRefund"),
  account: () => toBeWritten("account"),
  verifyMessage: () => toBeWritten("verifyMessage"),
  readMessage: () => toBeWritten("readMessage")
})

/** The tests show its name: Pointsman reports only the name of an error that a function throws. */
class StillToBeWritten extends Error {
  override readonly name = "StillToBeWritten"
}

function toBeWritten(name: string): never {
  throw new StillToBeWritten(`${name} is still to be written, in src/NewProviderConnector.ts`)
}
