/** The endpoints of operators. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import * as Desk from "./OperatorDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "operators",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers
      .handle("operators", () => answer(Desk.operators))
      .handle("addOperator", ({ payload }) => answer(Desk.add(payload)), { uninterruptible: true })
      .handle("editOperator", ({ params, payload }) => answer(Desk.edit(params.operator, payload)), {
        uninterruptible: true
      })
      .handle("removeOperator", ({ params }) => answer(Desk.remove(params.operator)), { uninterruptible: true })
      .handle("createSignInLink", ({ params }) => answer(Desk.createLink(params.operator)), { uninterruptible: true })
  })
)
