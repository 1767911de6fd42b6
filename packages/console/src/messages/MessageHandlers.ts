/** The endpoints of providers' messages. */
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import { pageView } from "../api/Records.ts"
import * as Desk from "./MessageDesk.ts"
import { messageView } from "./MessageRecords.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("messages", ({ params, query: { before, connection, limit = pageLimits.default, outcome, payment } }) => {
        const filter = { connectionId: connection, paymentId: payment, outcome }
        return run(
          Effect.map(Desk.messages(params, { ...filter, before, limit }), ({ items, next }) =>
            pageView(items.map(messageView), next)
          )
        )
      })
      .handle("message", ({ params, query }) =>
        answer(Effect.map(Desk.message(params, query), (found) => ({ ...messageView(found), body: found.body })))
      )
      .handle("applyMessage", ({ params, payload }) => answer(Effect.map(Desk.apply(params, payload), messageView)), {
        uninterruptible: true
      })
  })
)
