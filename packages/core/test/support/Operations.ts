import {
  type Answered,
  type CaptureFailure,
  Pointsman,
  type RefundFailure,
  type RefundOrder,
  type VoidFailure
} from "@pointsman/core"
import { Effect, Result } from "effect"
import { caller, request } from "./World.ts"

export const operationKinds = ["capture", "void", "refund"] as const
export type Kind = (typeof operationKinds)[number]

export type Answer = Result.Result<Answered, CaptureFailure | VoidFailure | RefundFailure>

/** One of the three, all of the amount unless told otherwise, and how it ended. */
export const operate = (
  kind: Kind,
  paymentId: string,
  order: Partial<Omit<RefundOrder, "paymentId">> = {}
): Effect.Effect<Answer, never, Pointsman> =>
  Effect.flatMap(Pointsman, (pointsman) => {
    const asked = { paymentId, idempotencyKey: null, amountMinor: null, reason: null, ...order }
    const answer: Effect.Effect<Answered, CaptureFailure | VoidFailure | RefundFailure> = pointsman[kind](caller, asked)
    return Effect.result(answer)
  })

/** A failure's tag, or the state of the payment. */
export const told = (answer: Answer): string =>
  Result.isFailure(answer) ? answer.failure._tag : answer.success.payment.state

/** A payment that the provider takes, of 19.99 EUR unless told otherwise. */
export const created = (details: NonNullable<Parameters<typeof request>[0]>["details"] = {}) =>
  Effect.flatMap(Pointsman, (pointsman) =>
    Effect.map(pointsman.create(caller, request({ details })), ({ payment }) => payment)
  )

export const authorized = created({ captureMethod: "manual" })

/** A payment of which the operation can be asked. */
export const payable = (kind: Kind) => (kind === "refund" ? created() : authorized)
