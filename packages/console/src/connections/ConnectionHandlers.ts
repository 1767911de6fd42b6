/** The endpoints of connections. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./ConnectionDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "connections",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle("connections", ({ params }) =>
        Effect.map(Desk.connections(params), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
      .handle("connection", ({ params }) =>
        Effect.map(Desk.connection(params), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
  })
)
