/** The endpoints of routing. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import * as Desk from "./RoutingDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "routing",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers
      .handle("routing", ({ params }) => answer(Desk.routing(params)))
      .handle("successRates", ({ params }) => answer(Desk.rates(params)))
      .handle("successHistory", ({ params, query: { period = "24h", segment = "" } }) =>
        answer(Desk.history(params, period, segment))
      )
      .handle("previewRouting", ({ params, query }) => answer(Desk.preview(params, query)))
  })
)
