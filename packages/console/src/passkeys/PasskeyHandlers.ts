/** The endpoints of the operator's passkeys. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./PasskeyDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "passkeys",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle("passkeys", () => Effect.map(Desk.list, (data) => ({ data })).pipe(Effect.provideContext(services)))
      .handle("beginPasskey", () => Effect.map(Desk.begin, (data) => ({ data })).pipe(Effect.provideContext(services)))
      .handle("addPasskey", ({ payload }) =>
        Effect.map(Desk.add(payload), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
      .handle("removePasskey", ({ params }) =>
        Effect.as(Desk.remove(params.passkey), HttpServerResponse.empty({ status: 204 })).pipe(
          Effect.provideContext(services)
        )
      )
  })
)
