import { Pointsman } from "@pointsman/core"
import { withStaleReads } from "@pointsman/core/ports"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiV1 } from "./api/ApiV1.ts"
import { CurrentCaller } from "./api/Authorization.ts"
import { pageLimits } from "./api/Pages.ts"
import { eventView, pageView, refuseUnknownParameters, showAsOf } from "./Lists.ts"
import { told } from "./Report.ts"

export const layer = HttpApiBuilder.group(
  ApiV1,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const pointsman = yield* Pointsman
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { tenant } = yield* CurrentCaller
        yield* refuseUnknownParameters(["type", "before", "after", "limit"])
        const events = pointsman.events(tenant, {
          type: query.type,
          before: query.before,
          after: query.after,
          limit: query.limit ?? pageLimits.default
        })
        const page = yield* withStaleReads((reads) => Effect.tap(events, () => showAsOf(reads))).pipe(told("events"))
        return pageView(page, eventView)
      })
    )
  })
)
