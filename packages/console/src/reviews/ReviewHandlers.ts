/** The endpoints of payments under review. */
import type { DecidedCorrection, Payment } from "@pointsman/core"
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

const { correctionView } = InProcess

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "reviews",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* InProcess.PaymentViews
    const { answer, run } = yield* deskAnswers
    const shown = (payment: Payment) => views.payment(payment, false)
    const decided = <E, R>(decision: Effect.Effect<DecidedCorrection, E, R>) =>
      Effect.flatMap(decision, ({ correction, payment }) =>
        Effect.map(shown(payment), (data) => ({ data, correction: correctionView(correction) }))
      )
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
        ({ params, payload: { evidence_reference, file_sha256, statement, ...order } }) =>
          run(
            statementOf(statement).pipe(
              Effect.flatMap((stated) =>
                Desk.settle(params, {
                  ...order,
                  stated,
                  fileHash: file_sha256,
                  providerReference: evidence_reference
                })
              ),
              Effect.flatMap(({ payment, proposed }) =>
                Effect.map(shown(payment), (data) => ({
                  data,
                  correction: proposed === null ? null : correctionView(proposed)
                }))
              )
            )
          ),
        { uninterruptible: true }
      )
      .handle("corrections", ({ params }) =>
        answer(
          Effect.map(Desk.proposals(params), (found) =>
            found.map(({ correction, payment }) => ({ payment_id: payment.id, correction: correctionView(correction) }))
          )
        )
      )
      .handle("approveCorrection", ({ params }) => run(decided(Desk.approve(params))), { uninterruptible: true })
      .handle("rejectCorrection", ({ params, payload }) => run(decided(Desk.reject(params, payload.reason))), {
        uninterruptible: true
      })
      .handle("withdrawCorrection", ({ params }) => run(decided(Desk.withdraw(params))), { uninterruptible: true })
  })
)
