/** What a supervisor asks: does the process answer, and may it be sent requests. */
import { Directory } from "@pointsman/core"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

/** So that another method on them answers 405. */
export const healthPaths = { "/health/live": ["GET"], "/health/ready": ["GET"] } as const

/** A storage that takes longer to read one row would not answer a payment in time either. */
const readyWithinMillis = 2_000

const answer = (status: number, state: "live" | "ready" | "unavailable") =>
  HttpServerResponse.jsonUnsafe({ status: state }, { status, headers: { "cache-control": "no-store" } })

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const directory = yield* Directory
    const ready = directory.workspace("health").pipe(
      Effect.timeout(readyWithinMillis),
      Effect.as(answer(200, "ready")),
      Effect.catch((error) =>
        Effect.as(Effect.logError("the storage does not answer", error), answer(503, "unavailable"))
      )
    )
    return HttpRouter.addAll([
      HttpRouter.route("GET", "/health/live", Effect.succeed(answer(200, "live"))),
      HttpRouter.route("GET", "/health/ready", ready)
    ])
  })
)
