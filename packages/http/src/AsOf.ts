/** How a response says that it was read from a copy of the store, and of which moment it is. */
import type { StaleReads } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

/** RFC 3339, in UTC. What was committed by then is in the response; a response without it was read from the primary. */
export const asOfHeader = "pointsman-as-of"

/** To be called when everything was read. */
export const showAsOf = Effect.fnUntraced(function* ({ asOf }: StaleReads) {
  const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
  if (asOf === null || Option.isNone(request)) return
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, asOfHeader, new Date(asOf).toISOString()))
  ).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request.value))
})
