/** The connector and the transport together against a Stripe at a real socket. */
import { StripeConnector } from "@pointsman/connector-stripe"
import { connectorsAt, moneyOperations, socketFaultsSuite } from "@pointsman/contracts/connector"
import { make } from "@pointsman/transport-node"
import { asks } from "./Calls.ts"
import { failure, paymentIntent, secretKey } from "./Stripe.ts"

socketFaultsSuite({
  provider: "a Stripe",
  connectTo: connectorsAt(StripeConnector.definition, make(), { secretKey }),
  operations: Object.fromEntries(moneyOperations.map((name) => [name, asks[name]])),
  success: JSON.stringify(paymentIntent()),
  answers: {
    "says to try again": {
      status: 503,
      body: failure(503, {}).body,
      headers: { "stripe-should-retry": "true", "retry-after": "0" }
    }
  }
})
