/**
 * Gives requests their place before anything is done for them: reading, authenticating and checking one costs a good part
 * of what serving it does, and under overload there are several for each that is served.
 *
 * A request that did not arrive whole yet gets none here: a client that sends slowly would keep it. It asks for one when
 * its body was read.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { NotAdmitted } from "@pointsman/core"
import { type Admission, PlaceOf } from "@pointsman/core/internal"
import { Ids } from "@pointsman/core/ports"
import { errorBodyOf } from "@pointsman/http"
import { Effect, Metric } from "effect"
import { HttpServerRequest } from "effect/http"

const requestsRefused = Metric.counter("pointsman_requests_refused_total", {
  description: "Payments, captures, voids and refunds refused, because more came than this process serves.",
  incremental: true
})

/** Payments, captures, voids and refunds. */
const takesPlace = ({ method, url = "" }: IncomingMessage) => method === "POST" && url.startsWith("/api/v1/payments")

const body = JSON.stringify(errorBodyOf("create", new NotAdmitted({ reason: "", retryAfterMillis: 0 })))
const headers = {
  "content-type": "application/json",
  "content-length": Buffer.byteLength(body),
  "retry-after": "1"
}

export interface AdmittedRequests {
  /** Around the program that answers: it ends the place of a request with the request's work. */
  readonly answer: <A, E, R>(
    program: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest>
  /** Around the handler that Node calls. */
  readonly listener: (handler: RequestListener) => RequestListener
}

/** To call for each request that is refused. */
export const countRefused: Effect.Effect<() => void> = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  // A metric that was never updated is not exported.
  yield* Metric.update(requestsRefused, 0)
  return () => requestsRefused.updateUnsafe(1, context)
})

export const admitRequests = (admission: Admission): Effect.Effect<AdmittedRequests, never, Ids> =>
  Effect.map(Ids, (ids) => {
    /** Requests that have a place, and are not answered by the program yet. */
    const placed = new WeakSet<object>()
    const refuse = (response: ServerResponse) =>
      response.writeHead(503, { ...headers, "x-request-id": Effect.runSync(ids.request) }).end(body)
    const endUnbegun = (request: IncomingMessage) => {
      if (placed.delete(request)) admission.leave()
    }
    return {
      answer: (program) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          if (!placed.delete(NodeHttpServerRequest.toIncomingMessage(request))) return program
          return Effect.onExit(Effect.provideService(program, PlaceOf, admission), () => Effect.sync(admission.leave))
        }),
      listener: (handler) => (request, response) => {
        if (!takesPlace(request)) return handler(request, response)
        const begin = () => {
          placed.add(request)
          response.once("close", () => endUnbegun(request))
          if (response.destroyed) endUnbegun(request)
          else handler(request, response)
        }
        // What arrived with the headers was read by then. At the next tick it is not: Node reads the body after it.
        setImmediate(() => {
          if (request.complete) admission.enter(begin, () => refuse(response))
          else handler(request, response)
        })
      }
    }
  })
