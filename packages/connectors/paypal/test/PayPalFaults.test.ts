/** The connector and the transport together against a PayPal at a real socket. */
import { connectorsAt, moneyOperations, socketFaultsSuite } from "@pointsman/contracts/connector"
import { make } from "@pointsman/transport-node"
import { asks, attemptId, seenAlone } from "./Calls.ts"
import { capture, credentials, failure, order } from "./PayPal.ts"

const soon = { "retry-after": "0" }

socketFaultsSuite({
  provider: "a PayPal",
  connectTo: connectorsAt(seenAlone, make(), credentials),
  operations: Object.fromEntries([...moneyOperations, "completeCheckout" as const].map((name) => [name, asks[name]])),
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
