/**
 * The connector `new-provider`.
 *
 * The rule that a connector must not break: it says what happened, and nothing that it does not know. What it cannot
 * read is `Unanswered`. Whether a request went out is the transport's word: a connector says `NotSent` itself only
 * before it calls the transport.
 */
import {
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  MessageUnverified,
  NotSent,
  type Transport
} from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { type Credentials, credentialsOf } from "./Credentials.ts"

export const definition: ConnectorDefinition = {
  name: "new-provider",
  environments: ["sandbox", "production"],
  redact: Redacted.make,
  // What the provider never takes, whatever the connection's own limits are: { methods: ["card"] }, say.
  supports: {},
  connect: (account, transport) =>
    Result.map(credentialsOf(account.credentials), (credentials) => connector(credentials, account, transport))
}

/**
 * A method is a capability: take out those that the provider does not have, `charge` and `lookUpCharge` apart, and
 * write the others. `asking` of `Exchange.ts` puts a request.
 */
const connector = (
  _credentials: Credentials,
  _account: ConnectorAccount,
  _transport: Transport["Service"]
): Connector => ({
  charge: () => toBeWritten("charge"),
  lookUpCharge: () => toBeWritten("lookUpCharge"),
  openCheckout: () => toBeWritten("openCheckout"),
  capture: () => toBeWritten("capture"),
  void: () => toBeWritten("void"),
  refund: () => toBeWritten("refund"),
  lookUpOperation: () => toBeWritten("lookUpOperation"),
  lookUpRefund: () => toBeWritten("lookUpRefund"),
  account: () => toBeWritten("account"),
  listCharges: () => toBeWritten("listCharges"),
  listRefunds: () => toBeWritten("listRefunds"),
  readMessage: () => Effect.fail(new MessageUnverified({ reason: "readMessage is still to be written" }))
})

/** True of a method that sends nothing: another connection may be asked. */
const toBeWritten = (method: keyof Connector): Effect.Effect<never, NotSent> =>
  Effect.fail(new NotSent({ reason: `${method} is still to be written, in src/NewProviderConnector.ts` }))
