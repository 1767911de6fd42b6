/** The endpoints of operators. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import type { DeskServices } from "../gate/Caller.ts"
import type { ConsoleSettings } from "../gate/Settings.ts"
import * as Desk from "./OperatorDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "operators",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices | ConsoleSettings>()
    const answer = <A, E, R>(desk: Effect.Effect<A, E, R>) =>
      Effect.map(desk, (data) => ({ data })).pipe(Effect.provideContext(services))
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
