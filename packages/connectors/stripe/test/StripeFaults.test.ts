/** The connector and the transport together against a Stripe at a real socket. */
import { StripeConnector } from "@pointsman/connector-stripe"
import { socketFaultsSuite } from "@pointsman/contracts/connector"
import { make } from "@pointsman/transport-node"
import { Effect, Result } from "effect"
import { capture, charge, checkout, refundRequest, voidRequest } from "./Calls.ts"
import { failure, paymentIntent, secretKey } from "./Stripe.ts"

socketFaultsSuite({
  provider: "a Stripe",
  connectTo: (baseUrl) =>
    Effect.map(make(), (transport) =>
      Result.getOrThrow(
        StripeConnector.definition.connect(
          { connectionId: "main", environment: "sandbox", credentials: { secretKey, baseUrl }, timeoutMillis: 2_000 },
          transport
        )
      )
    ),
  operations: {
    charge: (connector) => connector.charge(charge),
    openCheckout: (connector) => connector.openCheckout?.(checkout),
    capture: (connector) => connector.capture?.(capture),
    void: (connector) => connector.void?.(voidRequest),
    refund: (connector) => connector.refund?.(refundRequest)
  },
  success: JSON.stringify(paymentIntent()),
  answers: {
    "says to try again": {
      status: 503,
      body: failure(503, {}).body,
      headers: { "stripe-should-retry": "true", "retry-after": "0" }
    }
  }
})
