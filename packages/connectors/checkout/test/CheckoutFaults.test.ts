/** The connector and the transport together against a Checkout.com at a real socket. */
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { socketFaultsSuite } from "@pointsman/contracts/connector"
import { make } from "@pointsman/transport-node"
import { Effect, Result } from "effect"
import { capture, charge, checkout, refundRequest, voidRequest } from "./Calls.ts"
import { credentials, failure, payment } from "./Checkout.ts"

const soon = { "retry-after": "0" }

socketFaultsSuite({
  provider: "a Checkout.com",
  connectTo: (baseUrl) =>
    Effect.map(make(), (transport) =>
      Result.getOrThrow(
        CheckoutConnector.definition.connect(
          {
            connectionId: "main",
            environment: "sandbox",
            credentials: { ...credentials, baseUrl },
            timeoutMillis: 2_000
          },
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
