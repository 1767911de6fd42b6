/** The endpoints of payments under review. */
import { InProcess } from "@pointsman/http"
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { pageView } from "../api/Records.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./ReviewDesk.ts"
import { recordView, reviewView } from "./ReviewRecords.ts"
import { statementOf } from "./Statements.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "reviews",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* InProcess.PaymentViews
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle(
        "reviews",
        Effect.fnUntraced(function* ({ params, query: { after, limit = pageLimits.default, order = "age" } }) {
          const { items, next } = yield* Desk.reviews(params, { after, limit, order })
          const data = yield* Effect.forEach(items, ({ payment, review }) =>
            Effect.map(views.payment(payment, false), (view) => reviewView(view, review))
          )
          return pageView(data, next)
        }, Effect.provideContext(services))
      )
      .handle(
        "review",
        Effect.fnUntraced(function* ({ params }) {
          const file = yield* Desk.reviewFile(params)
          return { data: recordView(file, yield* views.payment(file.payment, false)) }
        }, Effect.provideContext(services))
      )
      .handle(
        "evidence",
        Effect.fnUntraced(function* ({ params, payload: { statement, ...order } }) {
          const stated = yield* statementOf(statement)
          const payment = yield* Desk.settle(params, { ...order, stated })
          return { data: yield* views.payment(payment, false) }
        }, Effect.provideContext(services)),
        { uninterruptible: true }
      )
  })
)
