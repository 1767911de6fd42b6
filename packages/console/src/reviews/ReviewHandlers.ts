/** The endpoints of payments under review. */
import type { Payment } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import { pageView } from "../api/Records.ts"
import * as Desk from "./ReviewDesk.ts"
import { recordView, reviewView } from "./ReviewRecords.ts"
import { statementOf } from "./Statements.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "reviews",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* InProcess.PaymentViews
    const { answer, run } = yield* deskAnswers
    const shown = (payment: Payment) => views.payment(payment, false)
    return handlers
      .handle("reviews", ({ params, query: { after, limit = pageLimits.default, order = "age" } }) =>
        run(
          Effect.gen(function* () {
            const { items, next } = yield* Desk.reviews(params, { after, limit, order })
            const data = yield* Effect.forEach(items, ({ payment, review }) =>
              Effect.map(shown(payment), (view) => reviewView(view, review))
            )
            return pageView(data, next)
          })
        )
      )
      .handle("review", ({ params }) =>
        answer(
          Effect.flatMap(Desk.reviewFile(params), (file) =>
            Effect.map(shown(file.payment), (view) => recordView(file, view))
          )
        )
      )
      .handle(
        "evidence",
        ({ params, payload: { statement, ...order } }) =>
          answer(
            statementOf(statement).pipe(
              Effect.flatMap((stated) => Desk.settle(params, { ...order, stated })),
              Effect.flatMap(shown)
            )
          ),
        { uninterruptible: true }
      )
  })
)
