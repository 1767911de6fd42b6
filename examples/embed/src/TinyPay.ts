/**
 * Tiny Pay, a made-up provider, so that the example needs no network:
 *
 * - `POST /charges` with `{amount: "12.34", currency, capture, order, card}` and an `Idempotency-Key`. It answers 200
 *   with `{id, state, amount, currency, reason?}`, or 400, 401 or 422 with `{error: {code, message}}` when it did
 *   nothing.
 * - `GET /charges/{idempotency key}` returns its outcome, or 404 with the code `no_such_charge`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect, type Scope } from "effect"

export interface TinyPay {
  readonly url: string
  readonly apiKey: string
  /** How often it was asked to charge. */
  readonly chargesAsked: () => number
}

/** Listens on a free port of this machine until the scope closes. */
export const start: Effect.Effect<TinyPay, never, Scope.Scope> = Effect.gen(function* () {
  const apiKey = "tiny_0123456789"
  const charges = new Map<string, object>()
  let asked = 0

  const answer = async (request: IncomingMessage): Promise<readonly [status: number, body: object]> => {
    if (request.headers.authorization !== `Bearer ${apiKey}`) {
      return [401, { error: { code: "bad_key", message: "The key is not known." } }]
    }
    if (request.method === "GET") {
      const known = charges.get(decodeURIComponent(request.url?.slice("/charges/".length) ?? ""))
      return known === undefined
        ? [404, { error: { code: "no_such_charge", message: "Never received." } }]
        : [200, known]
    }
    asked += 1
    const key = String(request.headers["idempotency-key"])
    const { amount, capture, currency } = JSON.parse(await text(request))
    const charge = charges.get(key) ?? {
      id: `tiny_${charges.size + 1}`,
      state: capture ? "paid" : "held",
      amount,
      currency
    }
    charges.set(key, charge)
    return [200, charge]
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    answer(request).then(
      ([status, body]) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      () => response.writeHead(500).end()
    )
  }
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const created = createServer(onRequest)
      created.listen({ host: "127.0.0.1", port: 0 }, () => resume(Effect.succeed(created)))
    }),
    (created) =>
      Effect.sync(() => {
        created.close()
        created.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, apiKey, chargesAsked: () => asked }
})
