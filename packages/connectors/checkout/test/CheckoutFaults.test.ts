/** The connector and the transport together against a Checkout.com at a real socket. */
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { connectorsAt, moneyOperations, socketFaultsSuite } from "@pointsman/contracts/connector"
import { make } from "@pointsman/transport-node"
import { asks } from "./Calls.ts"
import { credentials, failure, payment } from "./Checkout.ts"

const soon = { "retry-after": "0" }

socketFaultsSuite({
  provider: "a Checkout.com",
  connectTo: connectorsAt(CheckoutConnector.definition, make(), credentials),
  operations: Object.fromEntries(moneyOperations.map((name) => [name, asks[name]])),
  success: JSON.stringify(payment()),
  answers: {
    "is executing another request with the key": {
      status: 429,
      body: failure(429, ["too_many_requests"]).body,
      headers: soon
    },
    "says to try again": { status: 503, body: failure(503, ["service_unavailable"]).body, headers: soon }
  }
})
