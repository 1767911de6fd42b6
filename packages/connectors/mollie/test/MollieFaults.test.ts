/** The connector and the transport together against a Mollie at a real socket. */

import { assert, describe } from "@effect/vitest"
import { MollieConnector } from "@pointsman/connector-mollie"
import {
  connectorsAt,
  httpAnswer,
  moneyOperations,
  socketFaultsSuite,
  socketProvider
} from "@pointsman/contracts/connector"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { make } from "@pointsman/transport-node"
import { Effect } from "effect"
import { asks, providerRef, sample } from "./Calls.ts"
import { apiKey, failure, payment } from "./Mollie.ts"

const connectTo = connectorsAt(MollieConnector.definition, make(), { apiKey })

const success = JSON.stringify(payment())

socketFaultsSuite({
  provider: "a Mollie",
  connectTo,
  operations: {
    ...Object.fromEntries([...moneyOperations, "lookUpOperation" as const].map((name) => [name, asks[name]])),
    hints: (connector) => connector.hints?.lookUp(providerRef)
  },
  success,
  answers: {
    "executes and then answers 503": { status: 503, body: failure(503).body },
    "executes and then answers 504 as a gateway": { status: 504, body: "<html>" }
  }
})

describe("a Mollie at a socket", () => {
  itRunsLive("a charge and a release over the wire have Mollie's paths, key and bodies", function* () {
    const at = yield* socketProvider({
      onRequest: (socket, { path }) =>
        socket.write(path.endsWith("/release-authorization") ? httpAnswer(202, "") : httpAnswer(201, success))
    })
    const connector = yield* connectTo(at.url)
    assert.strictEqual((yield* connector.charge(sample.charge))._tag, "Captured")
    assert.strictEqual((yield* connector.void?.(sample.void) ?? Effect.die("no void"))._tag, "Pending")
    assert.deepStrictEqual(
      at.requests.map(({ body, headers, method, path }) => [method, path, headers["idempotency-key"], body !== ""]),
      [
        ["POST", "/v2/payments", "att_1", true],
        ["POST", `/v2/payments/${providerRef}/release-authorization`, "op_1", true]
      ]
    )
  })
})
