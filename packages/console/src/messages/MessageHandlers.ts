/** The endpoints of providers' messages. */
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { pageView } from "../api/Records.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./MessageDesk.ts"
import { messageView } from "./MessageRecords.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle(
        "messages",
        Effect.fnUntraced(function* ({ params, query }) {
          const { before, connection, limit = pageLimits.default, outcome, payment } = query
          const filter = { connectionId: connection, paymentId: payment, outcome }
          const { items, next } = yield* Desk.messages(params, { ...filter, before, limit })
          return pageView(items.map(messageView), next)
        }, Effect.provideContext(services))
      )
      .handle("message", ({ params, query }) =>
        Effect.map(Desk.message(params, query), (found) => ({
          data: { ...messageView(found), body: found.body }
        })).pipe(Effect.provideContext(services))
      )
      .handle(
        "applyMessage",
        ({ params, payload }) =>
          Effect.map(Desk.apply(params, payload), (after) => ({ data: messageView(after) })).pipe(
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
  })
)
