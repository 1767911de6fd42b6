/**
 * The same requests as Stripe's own client sends, at a real socket: names and values in Stripe's own types, the form in
 * Stripe's own encoding, and the version that the client is made for. What the types no longer have does not compile.
 */

import { assert, describe } from "@effect/vitest"
import { StripeConnector } from "@pointsman/connector-stripe"
import { connectorsAt, httpAnswer, type SeenRequest, socketProvider } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { make } from "@pointsman/transport-node"
import { Effect } from "effect"
import Stripe from "stripe"
import { pairs } from "./Requests.ts"
import { secretKey } from "./Stripe.ts"

const connectTo = connectorsAt(StripeConnector.definition, make(), { secretKey })

/** What Stripe would read of a request. */
const read = ({ body, headers, method, path }: SeenRequest) => {
  const url = new URL(path, "http://stripe.example")
  const form = [...url.searchParams, ...new URLSearchParams(body)]
  return {
    method,
    path: url.pathname,
    form: form.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    version: headers["stripe-version"],
    key: headers["idempotency-key"],
    authorization: headers["authorization"],
    type: body === "" ? undefined : headers["content-type"]
  }
}

describe("Stripe's own client", () => {
  for (const [what, ours, theirs] of pairs) {
    itRuns(`the client's request of ${what} and ours are read alike`, function* () {
      const at = yield* socketProvider({
        onRequest: (socket) => socket.write(httpAnswer(200, JSON.stringify({ id: "x", object: "x", data: [] })))
      })
      const { hostname: host, port } = new URL(at.url)
      const stripe = new Stripe(secretKey, {
        ...{ host, port, protocol: "http", maxNetworkRetries: 0, telemetry: false }
      })
      yield* Effect.promise(() => theirs(stripe))
      yield* Effect.exit(ours(yield* connectTo(at.url)))
      const [client, connector, ...more] = at.requests.map(read)
      assert.deepStrictEqual(connector, client)
      assert.isEmpty(more)
    })
  }
})
