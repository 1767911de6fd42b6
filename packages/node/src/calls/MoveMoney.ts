/** The calls that a provider is asked for: each is answered as the API answers it. */
import * as Core from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Context, Effect } from "effect"
import { errorOf } from "../ErrorOf.ts"
import { captureFields, checkId, checkOptions, createFields, refundFields } from "../Orders.ts"
import { ValidationError } from "../PointsmanError.ts"
import { answered } from "../Views.ts"
import { callerOf, type Defaults, failing } from "./RunCall.ts"

export const create = Effect.fnUntraced(function* (defaults: Defaults, order: unknown, options: unknown) {
  const context = yield* Effect.context<Core.Pointsman | InProcess.PaymentViews>()
  const pointsman = Context.get(context, Core.Pointsman)
  const views = Context.get(context, InProcess.PaymentViews)
  const given = yield* checkOptions(options, true)
  const caller = yield* callerOf(defaults, given)
  const { environment } = caller.tenant
  if (given.idempotencyKey === null && environment === "production") {
    return yield* Effect.fail(
      new ValidationError(
        "idempotency_key_required",
        "`idempotencyKey` is required to create a payment in production.",
        "idempotencyKey"
      )
    )
  }
  const fields = yield* createFields(order)
  const request = yield* Effect.mapError(
    InProcess.decodeCreate(fields, caller, given.idempotencyKey, views.hasPages),
    errorOf
  )
  const { isReplay, payment } = yield* pointsman.create(caller, request).pipe(
    failing((failure) => {
      const body = InProcess.errorBodyOf("create", failure)
      return failure._tag === "pointsman/RoutingFailed"
        ? errorOf({ error: { ...body.error, excluded: failure.excluded.map(InProcess.exclusionView) } })
        : errorOf(body)
    })
  )
  return { payment: yield* views.created(payment, request.debug), isReplay }
})

export const capture = Effect.fnUntraced(function* (
  defaults: Defaults,
  paymentId: unknown,
  order: unknown,
  options: unknown
) {
  const pointsman = yield* Core.Pointsman
  const given = yield* checkOptions(options, true)
  const caller = yield* callerOf(defaults, given)
  const id = yield* checkId("paymentId", paymentId)
  const { amount = null } = yield* Effect.mapError(InProcess.decodeCapture(yield* captureFields(order)), errorOf)
  return yield* pointsman
    .capture(caller, { paymentId: id, amountMinor: amount, idempotencyKey: given.idempotencyKey })
    .pipe(
      failing((failure) => errorOf(InProcess.wordedBodyOf("capture", failure))),
      Effect.flatMap(answered)
    )
})

export const voidPayment = Effect.fnUntraced(function* (defaults: Defaults, paymentId: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const given = yield* checkOptions(options, true)
  const caller = yield* callerOf(defaults, given)
  const id = yield* checkId("paymentId", paymentId)
  return yield* pointsman.void(caller, { paymentId: id, idempotencyKey: given.idempotencyKey }).pipe(
    failing((failure) => errorOf(InProcess.wordedBodyOf("void", failure))),
    Effect.flatMap(answered)
  )
})

export const refund = Effect.fnUntraced(function* (
  defaults: Defaults,
  paymentId: unknown,
  order: unknown,
  options: unknown
) {
  const pointsman = yield* Core.Pointsman
  const given = yield* checkOptions(options, true)
  const caller = yield* callerOf(defaults, given)
  const id = yield* checkId("paymentId", paymentId)
  const { amount = null, reason = null } = yield* Effect.mapError(
    InProcess.decodeRefund(yield* refundFields(order)),
    errorOf
  )
  return yield* pointsman
    .refund(caller, { paymentId: id, amountMinor: amount, reason, idempotencyKey: given.idempotencyKey })
    .pipe(
      failing((failure) => errorOf(InProcess.wordedBodyOf("refund", failure))),
      Effect.flatMap(answered)
    )
})
