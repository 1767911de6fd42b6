/** Payments as calls return them. */
import type * as Core from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Effect } from "effect"
import type { Payment } from "../Payment.ts"
import { fileView, reviewedView } from "../Views.ts"

/** The API's payment is this package's: a field that differs does not compile. */
export const asPayment = (payment: Effect.Success<ReturnType<InProcess.PaymentViews["Service"]["payment"]>>): Payment =>
  payment

export const answered = Effect.fnUntraced(function* ({ isReplay, payment }: Core.Answered) {
  const views = yield* InProcess.PaymentViews
  return { payment: asPayment(yield* views.payment(payment)), isReplay }
})

export const reviewed = (payment: Core.Payment) =>
  Effect.flatMap(InProcess.PaymentViews, (views) =>
    Effect.map(views.payment(payment), (view) => reviewedView(payment, asPayment(view)))
  )

export const filed = (file: Core.PaymentFile) =>
  Effect.flatMap(InProcess.PaymentViews, (views) =>
    Effect.map(views.payment(file.payment), (view) => fileView(file, asPayment(view)))
  )
