/** The endpoints of routing. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./RoutingDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "routing",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle("routing", ({ params }) =>
        Effect.map(Desk.routing(params), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
      .handle("successRates", ({ params }) =>
        Effect.map(Desk.rates(params), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
      .handle("successHistory", ({ params, query: { period = "24h", segment = "" } }) =>
        Effect.map(Desk.history(params, period, segment), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
      .handle("previewRouting", ({ params, query }) =>
        Effect.map(Desk.preview(params, query), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
  })
)
