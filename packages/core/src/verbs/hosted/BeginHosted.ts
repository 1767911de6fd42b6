/**
 * The first commit of a hosted payment that a provider is about to be asked for: `AwaitingCustomer` to `Charging`, with
 * the attempt. The version that it was decided on lets one tab of many begin; a commit of which it is not known whether
 * it was written is not sent on.
 */
import { Clock, Effect, Exit, Option, Result } from "effect"
import type { Step } from "../../commit/CommitChange.ts"
import { asStorageError, decideAndCommit, done, orLost, write } from "../../commit/DecideAndCommit.ts"
import { writeFact } from "../../commit/WriteFact.ts"
import { applyChargeFact, withAttempts, withRouting } from "../../decide/ChargeFact.ts"
import { PaymentResultUnknown } from "../../decide/CreateRequest.ts"
import { HostedSuspended } from "../../decide/HostedOrder.ts"
import { type Attempt, abandonAttempt } from "../../model/Attempt.ts"
import type { Payment } from "../../model/Payment.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import type { RoutePlan } from "../../routing/RoutePlan.ts"
import { firstOf, giveBackProbe, type RouteRequest, routePayment } from "../../routing/run/RoutePayment.ts"
import { chargeGuard, newAttempt } from "../create/ClaimCharge.ts"
import { abandonForGood, type ChargeInHand } from "../create/RecordCharge.ts"
import { endExpiredPage } from "./ViewHostedPage.ts"

export type Begun =
  /** It is ours: the attempt is stored, and may be sent. */
  | { readonly _tag: "Begun"; readonly inHand: ChargeInHand; readonly plan: RoutePlan }
  /** Nothing may be sent. `acted`: the payment ended here; otherwise another request was first. */
  | { readonly _tag: "Stands"; readonly payment: Payment; readonly acted: boolean }

const stands = (payment: Payment, acted: boolean): Begun => ({ _tag: "Stands", payment, acted })

export const beginHosted = Effect.fnUntraced(function* <R = never>(page: Payment, isAble?: RouteRequest<R>["isAble"]) {
  const ledger = yield* Ledger
  const directory = yield* Directory
  const { id, tenant } = page
  let plan: RoutePlan | undefined
  // For a plan whose first connection is not asked after all.
  const notAsked = Effect.suspend(() => (plan === undefined ? Effect.void : giveBackProbe(plan, id)))
  const begun = decideAndCommit({
    first: page,
    decide: Effect.fnUntraced(function* (read: Payment) {
      yield* notAsked
      const stored = yield* endExpiredPage(read)
      if (stored.state !== "AwaitingCustomer") return done(stands(stored, false))
      const workspace = yield* directory.workspace(tenant.workspaceId)
      if (Option.isNone(workspace) || workspace.value.suspended) return yield* new HostedSuspended()
      const routed = yield* routePayment({
        tenant,
        workspace: workspace.value,
        paymentId: id,
        idempotencyKey: stored.idempotencyKey,
        details: stored,
        instruments: null,
        isAble
      })
      if (Result.isFailure(routed)) {
        const unrouted = { ...stored, routing: routed.failure.decision }
        const { isWritten, payment } = yield* writeFact(unrouted, { on: "NoRouteFound" })
        return done(stands(payment, isWritten))
      }
      plan = routed.success
      const inHand = yield* firstInHand(stored, plan)
      const step = {
        tenant,
        guard: chargeGuard(yield* PaymentSettings, inHand.attempt),
        payment: { expected: stored.version, after: inHand.payment },
        attempts: [inHand.attempt],
        events: []
      }
      return write(step, { _tag: "Begun" as const, inHand, plan })
    }),
    read: () => Effect.flatMap(ledger.payment(tenant, id), orLost("beginHosted")),
    afterUnknown: "stop",
    storageErrors: "fail"
  })
  return yield* begun.pipe(
    Effect.onExit((exit) => (Exit.isSuccess(exit) && exit.value._tag === "Begun" ? Effect.void : notAsked)),
    // Nothing is sent on it.
    Effect.catchTags({ MaybeWritten: ({ value }) => giveUp(value.inHand) }),
    Effect.mapError(asStorageError("beginHosted"))
  )
})

/** The payment as it is about to be charged at the first connection of the plan. */
const firstInHand = Effect.fnUntraced(function* (stored: Payment, plan: RoutePlan) {
  const now = yield* Clock.currentTimeMillis
  const connection = firstOf(plan)
  const attempt: Attempt = yield* newAttempt(connection, { ...stored, asks: "checkout" }, 1, now)
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
  const place: Step = {
    tenant,
    // Two moves, one write: the version counts writes.
    payment: { expected: version - 1, after: { ...withRouting(moved.payment, [attempt]), version } },
    attempts: [attempt],
    events: moved.events
  }
  const stored = yield* decideAndCommit({
    first: undefined as Payment | undefined,
    decide: (stored) =>
      Effect.succeed(
        stored === undefined || stored.state === "AwaitingCustomer" ? write(place, undefined) : done(stored)
      ),
    read: () =>
      Effect.flatMap(
        ledger.payment(tenant, id),
        Effect.fromOption(() => unknown("the payment is not stored"))
      ),
    // What is stored is decided on, whichever of the two commits it was.
    afterUnknown: () => false,
    storageErrors: "retry"
  }).pipe(
    Effect.mapError((failure) => (failure._tag === "pointsman/PaymentResultUnknown" ? failure : unknown(failure)))
  )
  if (stored === undefined) return stands(place.payment.after, true)
  const attempts = yield* Effect.mapError(ledger.attempts(tenant, id), unknown)
  if (!attempts.some(({ claimedBy }) => claimedBy === attempt.claimedBy)) return stands(stored, false)
  return stands(yield* abandonForGood({ ...inHand, payment: stored }), true)
})
