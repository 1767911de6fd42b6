/** The endpoints of payments. */
import { InProcess } from "@pointsman/http"
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import { nextId, pageView } from "../api/Records.ts"
import { exportCsv } from "./ExportDesk.ts"
import * as Desk from "./PaymentDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "payments",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* InProcess.PaymentViews
    const { answer, run } = yield* deskAnswers
    const shown = ({ payment }: Pick<Desk.Answered, "payment">) => views.payment(payment, false)
    return handlers
      .handle("payments", ({ params, query: { before, limit = pageLimits.default, ...filter } }) =>
        run(
          Effect.gen(function* () {
            const page = yield* Desk.payments(params, { ...InProcess.filterOf(filter), before, limit })
            const data = yield* Effect.forEach(page.items, (payment) => shown({ payment }))
            return pageView(data, nextId(page))
          })
        )
      )
      .handle("exportPayments", ({ params, query }) => run(exportCsv(params, InProcess.filterOf(query))))
      .handle("payment", ({ params }) => answer(Effect.map(Desk.paymentFile(params), ({ view }) => view)))
      .handle(
        "capture",
        ({ headers, params, payload: { amount = null } }) => {
          const order = { amountMinor: amount, idempotencyKey: headers["idempotency-key"] }
          return answer(Effect.flatMap(Desk.capture(params, order), shown))
        },
        { uninterruptible: true }
      )
      .handle(
        "void",
        ({ headers, params }) => {
          const order = { amountMinor: null, idempotencyKey: headers["idempotency-key"] }
          return answer(Effect.flatMap(Desk.voidPayment(params, order), shown))
        },
        { uninterruptible: true }
      )
      .handle(
        "refund",
        ({ headers, params, payload }) =>
          run(
            Effect.gen(function* () {
              const { amount = null, reason = null } = yield* Desk.checkedRefund(payload)
              const order = { amountMinor: amount, reason, idempotencyKey: headers["idempotency-key"] }
              const { payment, proposed } = yield* Desk.refund(params, order)
              const correction = proposed === null ? null : InProcess.correctionView(proposed)
              return { data: yield* shown({ payment }), correction }
            })
          ),
        { uninterruptible: true }
      )
  })
)
