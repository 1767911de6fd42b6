/** The endpoints of the operator's passkeys. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import * as Desk from "./PasskeyDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "passkeys",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("passkeys", () => answer(Desk.list))
      .handle("beginPasskey", () => answer(Desk.begin))
      .handle("addPasskey", ({ payload }) => answer(Desk.add(payload)))
      .handle("removePasskey", ({ params }) =>
        Effect.as(run(Desk.remove(params.passkey)), HttpServerResponse.empty({ status: 204 }))
      )
  })
)
