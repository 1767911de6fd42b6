/** Payments, their events, and why they went where they went. */
import * as Core from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Effect } from "effect"
import { errorOf } from "../ErrorOf.ts"
import { checkId, eventsQuery, paymentsQuery, timelineQuery } from "../Orders.ts"
import { attemptView, eventView, filed } from "../Views.ts"
import { type Defaults, failing, fromStore, readerOf } from "./RunCall.ts"

export const payment = Effect.fnUntraced(function* (defaults: Defaults, paymentId: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const views = yield* InProcess.PaymentViews
  const tenant = yield* readerOf(defaults, options)
  const { payment: found, refunds } = yield* pointsman
    .paymentWithRefunds(tenant, yield* checkId("paymentId", paymentId))
    .pipe(failing((failure) => errorOf(InProcess.errorBodyOf("payment", failure))))
  const settlements = yield* fromStore(InProcess.settlementsOf(pointsman, tenant, [found]))
  return { ...(yield* views.payment(found)), refunds: InProcess.refundViews(refunds), ...settlements(found) }
})

export const payments = Effect.fnUntraced(function* (defaults: Defaults, query: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const views = yield* InProcess.PaymentViews
  const tenant = yield* readerOf(defaults, options)
  const page = yield* pointsman.payments(tenant, yield* paymentsQuery(query)).pipe(fromStore)
  const settlements = yield* fromStore(InProcess.settlementsOf(pointsman, tenant, page.items))
  const items = yield* Effect.forEach(page.items, (payment) =>
    Effect.map(views.payment(payment), (view) => ({ ...view, ...settlements(payment) }))
  )
  return InProcess.pageView({ ...page, items }, (view) => view)
})

export const timeline = Effect.fnUntraced(function* (
  defaults: Defaults,
  paymentId: unknown,
  query: unknown,
  options: unknown
) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const id = yield* checkId("paymentId", paymentId)
  const page = yield* pointsman
    .timeline(tenant, id, yield* timelineQuery(query))
    .pipe(failing((failure) => errorOf(InProcess.errorBodyOf("timeline", failure))))
  return InProcess.pageView(page, eventView)
})

export const events = Effect.fnUntraced(function* (defaults: Defaults, query: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const page = yield* pointsman.events(tenant, yield* eventsQuery(query)).pipe(fromStore)
  return InProcess.pageView(page, eventView)
})

export const explainRouting = Effect.fnUntraced(function* (defaults: Defaults, paymentId: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const views = yield* InProcess.PaymentViews
  const tenant = yield* readerOf(defaults, options)
  const explained = yield* pointsman
    .explainRouting(tenant, yield* checkId("paymentId", paymentId))
    .pipe(failing((failure) => errorOf(InProcess.errorBodyOf("payment", failure))))
  return {
    payment: yield* views.payment(explained.payment),
    attempts: explained.attempts.map(attemptView),
    chapters: explained.chapters
  }
})

export const paymentFile = Effect.fnUntraced(function* (defaults: Defaults, paymentId: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  return yield* pointsman.paymentFile(tenant, yield* checkId("paymentId", paymentId)).pipe(
    failing((failure) => errorOf(InProcess.errorBodyOf("payment", failure))),
    Effect.flatMap(filed)
  )
})
