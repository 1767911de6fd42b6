/**
 * What is written before a provider is asked: the payment, the attempt and the claim of its key, in one commit. A
 * commit of which it is not known whether it was written is not sent on.
 */
import { Clock, Effect, Option, Result } from "effect"
import { paymentEvent } from "../events/PaymentEvents.ts"
import { type Claim, moveClaim, newClaim } from "../idempotency/Claim.ts"
import { Start, step } from "../machine/Machine.ts"
import { ApiKeyRevoked, type Change, type CommitFailure, Ledger } from "../ports/Ledger.ts"
import type { Connection } from "../routing/Connection.ts"
import type { RoutePlan } from "../routing/RoutePlan.ts"
import { type Attempt, abandonAttempt } from "./Attempt.ts"
import { applyChargeFact } from "./ChargeFact.ts"
import { type ChargeInHand, claimChange, decisionsAtMost, withAttempts, withRouting } from "./ChargeInHand.ts"
import { type Caller, type Created, type CreateRequest, NothingSent, PaymentResultUnknown } from "./CreateRequest.ts"
import { commitInsistently, readInsistently } from "./Insistently.ts"
import { newAttempt, newPayment } from "./NewPayment.ts"
import type { Payment } from "./Payment.ts"
import { PaymentMachine } from "./PaymentMachine.ts"
import { claimStanding, endUnsent, type KeyStanding, keyStanding } from "./ReplayCreate.ts"
import { firstOf } from "./RoutePayment.ts"
import { abandon } from "./SettleCharge.ts"

/** The first attempt, with the payment and its key; or what the key stands for already. */
export const claimFirst = Effect.fnUntraced(function* (
  caller: Caller,
  request: CreateRequest,
  fingerprint: string | null,
  paymentId: string,
  plan: RoutePlan
) {
  const ledger = yield* Ledger
  const connection = firstOf(plan)
  let standing = null as Claim | null
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const begun: ChargeInHand = yield* firstStep(caller, request, fingerprint, paymentId, plan, connection, standing)
    const written: Result.Result<void, CommitFailure> = yield* Effect.result(
      ledger.commit({
        tenant: caller.tenant,
        apiKeyHash: caller.apiKeyHash,
        payment: { expected: 0, after: begun.payment },
        attempts: [begun.attempt],
        events: eventsOfStart(begun.payment),
        claim: begun.claim === null ? undefined : { expected: standing?.version ?? 0, after: begun.claim }
      })
    )
    if (Result.isSuccess(written)) return { _tag: "Begun" as const, ...begun }
    const failure: CommitFailure = written.failure
    switch (failure._tag) {
      case "pointsman/ApiKeyRevoked":
        return yield* new ApiKeyRevoked()
      case "pointsman/StorageError":
        return replayed(yield* endUnsent(caller.tenant, request.idempotencyKey, fingerprint, failure))
      case "pointsman/CommitUnknown":
        return replayed(yield* giveBack(begun, request, fingerprint, standing, failure))
      case "pointsman/KeyTaken":
      case "pointsman/Stale": {
        const found: KeyStanding =
          failure._tag === "pointsman/KeyTaken"
            ? yield* claimStanding(caller.tenant, fingerprint ?? "", failure.claim)
            : yield* keyStanding(caller.tenant, request.idempotencyKey, fingerprint)
        if (found._tag === "Answered") return replayed(found.created)
        standing = found.claim // Released, or past its retention: the same key is a new request.
      }
    }
  }
  return yield* new PaymentResultUnknown({ paymentId, cause: "the key kept changing hands" })
})

const replayed = (created: Created) => ({ _tag: "Replayed" as const, created })

const firstStep = Effect.fnUntraced(function* (
  caller: Caller,
  request: CreateRequest,
  fingerprint: string | null,
  paymentId: string,
  plan: RoutePlan,
  connection: Connection,
  standing: Claim | null
) {
  const now = yield* Clock.currentTimeMillis
  const attempt = yield* newAttempt(connection, { id: paymentId, money: request.details.money }, 1, now)
  const payment = newPayment(caller, request, {
    id: paymentId,
    state: Result.getOrThrow(step(PaymentMachine, Start, "ChargeSent")).to,
    hosted: null,
    routing: withAttempts(plan.decision, [attempt]),
    createdAt: now
  })
  return { payment, claim: claimFor(request, fingerprint, paymentId, standing, now), connection, attempt, earlier: [] }
})

/** The key's claim as its request begins, on whatever it stood for before. */
export const claimFor = (
  request: CreateRequest,
  fingerprint: string | null,
  paymentId: string,
  standing: Claim | null,
  now: number
): Claim | null => {
  const { idempotencyKey: key } = request
  if (key === null || fingerprint === null) return null
  const fresh = { key, fingerprint, paymentId, claimedAt: now }
  if (standing === null) return newClaim(fresh)
  const isKept = standing.state === "Answered" || standing.state === "Claimed"
  const free = isKept ? moveClaim(standing, "RetentionEnded", {}) : standing
  // Two moves, one write: the version counts writes.
  const claimed = moveClaim(free, "KeyClaimed", { ...fresh, answeredAt: null, answer: null })
  return { ...claimed, version: standing.version + 1 }
}

const eventsOfStart = (payment: Payment) =>
  Result.getOrThrow(step(PaymentMachine, Start, "ChargeSent")).emits.map((type) => paymentEvent(type, payment))

/**
 * It is not known whether the first commit was written, or may still be. That much is certain: nothing may be sent on
 * it. So its place is taken: the same payment is written as abandoned, with its key released. Where that works, the
 * commit that is out can no longer be written; where it does not, it was.
 */
const giveBack = Effect.fnUntraced(function* (
  begun: ChargeInHand,
  request: CreateRequest,
  fingerprint: string | null,
  standing: Claim | null,
  cause: unknown
) {
  const ledger = yield* Ledger
  const { tenant } = begun.payment
  const moved = Result.getOrThrow(applyChargeFact(begun.payment, { on: "ChargeAbandoned" }, begun.payment.createdAt))
  const attempt = abandonAttempt(begun.attempt)
  const released = begun.claim === null ? null : moveClaim(begun.claim, "RequestAbandoned", {})
  const place: Change = {
    tenant,
    // Two moves, one write: the version counts writes.
    payment: { expected: 0, after: { ...withRouting(moved.payment, [attempt]), version: 1 } },
    attempts: [attempt],
    events: [...eventsOfStart(begun.payment), ...moved.events],
    claim:
      released === null
        ? undefined
        : { expected: standing?.version ?? 0, after: { ...released, version: (standing?.version ?? 0) + 1 } }
  }
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const taken = yield* Effect.result(commitInsistently(place))
    if (Result.isSuccess(taken)) return yield* new NothingSent({ cause })
    const stored = yield* Effect.option(readInsistently(ledger.payment(tenant, begun.payment.id)))
    if (Option.isNone(stored)) break
    // The commit that was out, or this one: either way it is decided on what is stored.
    if (Option.isSome(stored.value)) {
      return { payment: yield* abandon({ ...begun, payment: stored.value.value }), isReplay: false }
    }
    const isOthers = taken.failure._tag === "pointsman/KeyTaken" && taken.failure.claim.paymentId !== begun.payment.id
    if (isOthers) break
  }
  return yield* endUnsent(tenant, request.idempotencyKey, fingerprint, cause)
})

/** A further attempt. A failure gives the attempt that is not to be sent, where it may be stored all the same. */
export const claimNext = Effect.fnUntraced(function* (inHand: ChargeInHand, after: Attempt, connection: Connection) {
  const ledger = yield* Ledger
  const now = yield* Clock.currentTimeMillis
  const attempt = yield* newAttempt(connection, inHand.payment, after.number + 1, now)
  const earlier = [...inHand.earlier, after]
  const moved = applyChargeFact(inHand.payment, { on: "AttemptFollowed" }, now)
  if (Result.isFailure(moved)) return Result.fail<ReadonlyArray<Attempt>>([])
  const payment = withRouting(moved.success.payment, [...earlier, attempt])
  const claim = inHand.claim === null ? null : moveClaim(inHand.claim, "AttemptFollowed", { claimedAt: now })
  const written = yield* Effect.result(
    ledger.commit({
      tenant: payment.tenant,
      payment: { expected: inHand.payment.version, after: payment },
      attempts: [after, attempt],
      events: moved.success.events,
      claim: claimChange(inHand.claim, claim)
    })
  )
  if (Result.isSuccess(written)) {
    const inHand: ChargeInHand = { payment, claim, connection, attempt, earlier }
    return Result.succeed(inHand)
  }
  return Result.fail(written.failure._tag === "pointsman/CommitUnknown" ? [abandonAttempt(attempt)] : [])
})
