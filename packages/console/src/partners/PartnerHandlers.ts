/** The endpoints of partners and usage. */
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./PartnerDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "partners",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle("partners", ({ query }) =>
        Desk.periodOf(query).pipe(
          Effect.flatMap(Desk.partners),
          Effect.map((data) => ({ data })),
          Effect.provideContext(services)
        )
      )
      .handle("partnerMerchants", ({ params, query: { before, limit = pageLimits.default, ...period } }) =>
        Desk.periodOf(period).pipe(
          Effect.flatMap((during) => Desk.merchants(params.partner, { before, limit }, during)),
          Effect.provideContext(services)
        )
      )
      .handle(
        "inviteMerchant",
        ({ params }) =>
          Desk.invite(params.partner, params.merchant).pipe(
            Effect.map((data) => ({ data })),
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
      .handle("usage", ({ params, query }) =>
        Desk.periodOf(query).pipe(
          Effect.flatMap((during) => Desk.usage(params.workspace, during)),
          Effect.map((data) => ({ data })),
          Effect.provideContext(services)
        )
      )
  })
)
