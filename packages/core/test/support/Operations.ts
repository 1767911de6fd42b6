import {
  type Answered,
  type CaptureFailure,
  Pointsman,
  type RefundFailure,
  type RefundOrder,
  type VoidFailure
} from "@pointsman/core"
import { Effect, type Result } from "effect"
import { caller } from "./World.ts"

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
