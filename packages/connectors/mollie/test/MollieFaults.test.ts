/** The connector and the transport together against a Mollie at a real socket. */
import { MollieConnector } from "@pointsman/connector-mollie"
import { connectorsAt, moneyOperations, socketFaultsSuite } from "@pointsman/contracts/connector"
import { make } from "@pointsman/transport-node"
import { asks, providerRef } from "./Calls.ts"
import { apiKey, failure, payment } from "./Mollie.ts"

socketFaultsSuite({
  provider: "a Mollie",
  connectTo: connectorsAt(MollieConnector.definition, make(), { apiKey }),
  operations: {
    ...Object.fromEntries([...moneyOperations, "lookUpOperation" as const].map((name) => [name, asks[name]])),
    hints: (connector) => connector.hints?.lookUp(providerRef)
  },
  success: JSON.stringify(payment()),
  answers: {
    "executes and then answers 503": { status: 503, body: failure(503).body },
    "executes and then answers 504 as a gateway": { status: 504, body: "<html>" }
  }
})
