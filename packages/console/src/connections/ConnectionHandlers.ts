/** The endpoints of connections. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import * as Desk from "./ConnectionDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "connections",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers
      .handle("connections", ({ params }) => answer(Desk.connections(params)))
      .handle("connection", ({ params }) => answer(Desk.connection(params)))
  })
)
