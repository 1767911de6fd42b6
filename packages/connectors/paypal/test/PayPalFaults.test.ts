/** The connector and the transport together against a PayPal at a real socket. */
import { socketFaultsSuite } from "@pointsman/contracts/connector"
import { make } from "@pointsman/transport-node"
import { Effect, Result } from "effect"
import { attemptId, capturing, charge, checkout, completion, refunding, seenAlone, voiding } from "./Calls.ts"
import { capture, credentials, failure, order } from "./PayPal.ts"

const soon = { "retry-after": "0" }

socketFaultsSuite({
  provider: "a PayPal",
  connectTo: (baseUrl) =>
    Effect.map(make(), (transport) =>
      Result.getOrThrow(
        seenAlone.connect(
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
    completeCheckout: (connector) => connector.completeCheckout?.(completion),
    capture: (connector) => connector.capture?.(capturing),
    void: (connector) => connector.void?.(voiding),
    refund: (connector) => connector.refund?.(refunding)
  },
  success: JSON.stringify(order(attemptId, { captures: [capture()] })),
  answers: {
    "is executing another request with the id": {
      status: 409,
      body: failure(409, "PREVIOUS_REQUEST_IN_PROGRESS").body,
      headers: soon
    },
    "says that there were too many requests": { status: 429, body: failure(429).body, headers: soon },
    "says to try again": { status: 503, body: failure(503).body, headers: soon }
  }
})
