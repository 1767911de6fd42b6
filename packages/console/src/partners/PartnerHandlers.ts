/** The endpoints of partners and usage. */
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import * as Desk from "./PartnerDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "partners",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("partners", ({ query }) => answer(Effect.flatMap(Desk.periodOf(query), Desk.partners)))
      .handle("partnerMerchants", ({ params, query: { before, limit = pageLimits.default, ...period } }) =>
        run(
          Effect.flatMap(Desk.periodOf(period), (during) => Desk.merchants(params.partner, { before, limit }, during))
        )
      )
      .handle("inviteMerchant", ({ params }) => answer(Desk.invite(params.partner, params.merchant)), {
        uninterruptible: true
      })
      .handle("usage", ({ params, query }) =>
        answer(Effect.flatMap(Desk.periodOf(query), (during) => Desk.usage(params.workspace, during)))
      )
  })
)
