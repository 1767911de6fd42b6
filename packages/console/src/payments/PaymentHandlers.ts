/** The endpoints of payments. */
import { InProcess } from "@pointsman/http"
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { nextId, pageView } from "../api/Records.ts"
import type { DeskServices } from "../gate/Caller.ts"
import { exportCsv } from "./ExportDesk.ts"
import * as Desk from "./PaymentDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "payments",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* InProcess.PaymentViews
    const services = yield* Effect.context<DeskServices>()
    const shown = Effect.fnUntraced(function* ({ payment }: Desk.Answered) {
      return { data: yield* views.payment(payment, false) }
    })
    return handlers
      .handle(
        "payments",
        Effect.fnUntraced(function* ({ params, query: { before, limit = pageLimits.default, ...filter } }) {
          const page = yield* Desk.payments(params, { ...InProcess.filterOf(filter), before, limit })
          const data = yield* Effect.forEach(page.items, (payment) => views.payment(payment, false))
          return pageView(data, nextId(page))
        }, Effect.provideContext(services))
      )
      .handle(
        "exportPayments",
        Effect.fnUntraced(function* ({ params, query }) {
          return yield* exportCsv(params, InProcess.filterOf(query))
        }, Effect.provideContext(services))
      )
      .handle("payment", ({ params }) =>
        Effect.map(Desk.paymentFile(params), ({ view }) => ({ data: view })).pipe(Effect.provideContext(services))
      )
      .handle(
        "capture",
        ({ headers, params, payload: { amount = null } }) =>
          Desk.capture(params, { amountMinor: amount, idempotencyKey: headers["idempotency-key"] }).pipe(
            Effect.flatMap(shown),
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
      .handle(
        "void",
        ({ headers, params }) =>
          Desk.voidPayment(params, { amountMinor: null, idempotencyKey: headers["idempotency-key"] }).pipe(
            Effect.flatMap(shown),
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
      .handle(
        "refund",
        Effect.fnUntraced(function* ({ headers, params, payload }) {
          const { amount = null, reason = null } = yield* Desk.checkedRefund(payload)
          const order = { amountMinor: amount, reason, idempotencyKey: headers["idempotency-key"] }
          return yield* Effect.flatMap(Desk.refund(params, order), shown)
        }, Effect.provideContext(services)),
        { uninterruptible: true }
      )
  })
)
