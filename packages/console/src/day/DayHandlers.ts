/** The endpoint of the day. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import * as Desk from "./DayDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "days",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers.handle("day", ({ params }) => answer(Desk.day(params)))
  })
)
