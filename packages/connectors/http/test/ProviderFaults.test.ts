/** The connector and the transport together against providers at real sockets. */
import { HttpConnector } from "@pointsman/connector-http"
import { connectorsAt, moneyOperations, socketFaultsSuite } from "@pointsman/contracts/connector"
import { make } from "@pointsman/transport-node"
import { apiKey, asks } from "./Provider.ts"

const error = JSON.stringify({ error: { code: "busy", message: "Try another time." } })

socketFaultsSuite({
  provider: "an adapter",
  connectTo: connectorsAt(HttpConnector.definition, make(), { apiKey }),
  operations: Object.fromEntries([...moneyOperations, "lookUpCharge" as const].map((name) => [name, asks[name]])),
  success: JSON.stringify({ provider_reference: "ch_1", status: "captured", captured_amount: 1000 }),
  answers: {
    "is executing another request with the key": { status: 409, body: error },
    "says to try again": { status: 503, body: error, headers: { "retry-after": "0" } }
  }
})
