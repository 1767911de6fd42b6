/**
 * The first commit of a hosted payment that a provider is about to be asked for: `AwaitingCustomer` to `Charging`, with
 * the attempt. The version that it was decided on lets one tab of many begin; a commit of which it is not known whether
 * it was written is not sent on.
 */
import { Clock, Effect, Option, Result } from "effect"
import { type Attempt, abandonAttempt } from "../payment/Attempt.ts"
import { applyChargeFact } from "../payment/ChargeFact.ts"
import { type ChargeInHand, decisionsAtMost, withAttempts, withRouting } from "../payment/ChargeInHand.ts"
import { PaymentResultUnknown } from "../payment/CreateRequest.ts"
import { commitInsistently, readInsistently } from "../payment/Insistently.ts"
import { newAttempt } from "../payment/NewPayment.ts"
import type { Payment } from "../payment/Payment.ts"
import { firstOf, giveBackProbe, type RouteRequest, routePayment } from "../payment/RoutePayment.ts"
import { abandonForGood } from "../payment/SettleCharge.ts"
import { writeFact } from "../payment/WriteFact.ts"
import { Directory } from "../ports/Directory.ts"
import { type Change, Ledger } from "../ports/Ledger.ts"
import { StorageError } from "../ports/StorageError.ts"
import type { RoutePlan } from "../routing/RoutePlan.ts"
import { endExpiredPage } from "./FindPage.ts"
import { HostedSuspended } from "./HostedOrder.ts"

export type Begun =
  /** It is ours: the attempt is stored, and may be sent. */
  | { readonly _tag: "Begun"; readonly inHand: ChargeInHand; readonly plan: RoutePlan }
  /** Nothing may be sent. `acted`: the payment ended here; otherwise somebody else was first. */
  | { readonly _tag: "Stands"; readonly payment: Payment; readonly acted: boolean }

const stands = (payment: Payment, acted: boolean): Begun => ({ _tag: "Stands", payment, acted })

export const beginHosted = Effect.fnUntraced(function* <R>(page: Payment, isAble: RouteRequest<R>["isAble"]) {
  const ledger = yield* Ledger
  const directory = yield* Directory
  const { id, tenant } = page
  let stored = page
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    stored = yield* endExpiredPage(stored)
    if (stored.state !== "AwaitingCustomer") return stands(stored, false)
    const workspace = yield* directory.workspace(tenant.workspaceId)
    if (Option.isNone(workspace) || workspace.value.suspended) return yield* new HostedSuspended()
    const plan = yield* routePayment({
      tenant,
      workspace: workspace.value,
      paymentId: id,
      details: stored,
      instruments: null,
      isAble
    })
    if (Result.isFailure(plan)) {
      const unrouted = { ...stored, routing: plan.failure.decision }
      const { isWritten, payment } = yield* writeFact(unrouted, { on: "NoRouteFound" })
      return stands(payment, isWritten)
    }
    const inHand = yield* firstInHand(stored, plan.success)
    const written = yield* Effect.result(
      ledger.commit({
        tenant,
        payment: { expected: stored.version, after: inHand.payment },
        attempts: [inHand.attempt],
        events: []
      })
    )
    if (Result.isSuccess(written)) return { _tag: "Begun", inHand, plan: plan.success } satisfies Begun
    yield* giveBackProbe(plan.success, id)
    const failure = written.failure
    if (failure._tag === "pointsman/StorageError") return yield* failure
    if (failure._tag === "pointsman/CommitUnknown") return yield* giveUp(inHand)
    const read = yield* ledger.payment(tenant, id)
    if (Option.isNone(read)) break
    stored = read.value
  }
  return yield* new StorageError({ operation: "beginHosted", cause: new Error("other writers kept winning") })
})

/** The payment as it is about to be charged at the first connection of the plan. */
const firstInHand = Effect.fnUntraced(function* (stored: Payment, plan: RoutePlan) {
  const now = yield* Clock.currentTimeMillis
  const connection = firstOf(plan)
  const attempt: Attempt = yield* newAttempt(connection, stored, 1, now)
  const { payment } = Result.getOrThrow(applyChargeFact(stored, { on: "ChargeSent" }, now))
  const inHand: ChargeInHand = {
    payment: { ...payment, routing: withAttempts(plan.decision, [attempt]) },
    // The key was answered when the payment was created.
    claim: null,
    connection,
    attempt,
    earlier: []
  }
  return inHand
})

/**
 * It is not known whether the first commit was written, or may still be; nothing may be sent on it. Its place is taken:
 * the payment is written as failed unsent. Where that works, the commit that is out can no longer be written.
 */
const giveUp = Effect.fnUntraced(function* (inHand: ChargeInHand) {
  const ledger = yield* Ledger
  const { id, tenant, updatedAt, version } = inHand.payment
  const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: id, cause })
  const moved = Result.getOrThrow(applyChargeFact(inHand.payment, { on: "ChargeAbandoned" }, updatedAt))
  const attempt = abandonAttempt(inHand.attempt)
  const place: Change = {
    tenant,
    // Two moves, one write: the version counts writes.
    payment: { expected: version - 1, after: { ...withRouting(moved.payment, [attempt]), version } },
    attempts: [attempt],
    events: moved.events
  }
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const taken = yield* Effect.result(commitInsistently(place))
    if (Result.isSuccess(taken)) return stands(place.payment.after, true)
    const read = yield* Effect.mapError(readInsistently(ledger.payment(tenant, id)), unknown)
    if (Option.isNone(read)) return yield* unknown("the payment is not stored")
    const stored = read.value
    if (stored.state === "AwaitingCustomer") {
      if (taken.failure._tag === "pointsman/StorageError") break
      continue
    }
    const isOurs = stored.routing?.attempts.some(({ attemptId }) => attemptId === attempt.id) ?? false
    if (!isOurs) return stands(stored, false)
    return stands(yield* abandonForGood({ ...inHand, payment: stored }), true)
  }
  return yield* unknown("the store does not tell what it wrote")
})
