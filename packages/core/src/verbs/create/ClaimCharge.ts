/**
 * What is written before a provider is asked: the payment, the attempt and the claim of its key, in one commit. A
 * commit of which it is not known whether it was written is not sent on.
 */
import { Clock, Context, Effect, Option, Result } from "effect"
import { type AttemptedPayment, attemptId, keyTagOf } from "../../call/CallIds.ts"
import { OpenConnections } from "../../call/CallProvider.ts"
import { claimGuard, type Step } from "../../commit/CommitChange.ts"
import { commitOnce, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { applyChargeFact, withAttempts, withRouting } from "../../decide/ChargeFact.ts"
import {
  type Caller,
  type Created,
  type CreateRequest,
  NothingSent,
  PaymentResultUnknown
} from "../../decide/CreateRequest.ts"
import { Start, step } from "../../machine/Machine.ts"
import { type Attempt, abandonAttempt, openAttempt } from "../../model/Attempt.ts"
import { type Claim, moveClaim, newClaim } from "../../model/Claim.ts"
import type { Connection } from "../../model/Connection.ts"
import { type Payment, paymentEvent, unansweredPayment } from "../../model/Payment.ts"
import { bookAfter } from "../../model/PaymentBook.ts"
import { PaymentMachine } from "../../model/PaymentMachine.ts"
import { Ids } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { StorageHistory, versionBefore } from "../../ports/StorageHistory.ts"
import type { RoutePlan } from "../../routing/RoutePlan.ts"
import { firstOf } from "../../routing/run/RoutePayment.ts"
import { abandon, type ChargeInHand, claimChange } from "./RecordCharge.ts"
import { whenNotClaimed } from "./RecoveredKey.ts"
import { endUnsent, readClaim, resolveClaim } from "./ReplayCreate.ts"

/** The first attempt, with the payment and its key; or what the key already resolves to. */
export const claimFirst = Effect.fnUntraced(function* (
  caller: Caller,
  request: CreateRequest,
  fingerprint: string | null,
  paymentId: string,
  plan: RoutePlan
) {
  const { tenant } = caller
  const { details, idempotencyKey: key } = request
  const context = yield* Effect.context<never>()
  const settings = Context.get(context, PaymentSettings)
  const version = Context.get(context, StorageHistory).firstVersion()
  const createdAt = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
  const connection = firstOf(plan)
  const place = { id: paymentId, money: details.money, tenant, idempotencyKey: key, createdAt }
  const drawn = yield* newAttempt(connection, { ...place, asks: "charge" }, 1, createdAt)

  const begin = (standing: Claim | null, sentAt: number, isKeyGuarded: boolean) => {
    const attempt = { ...drawn, sentAt }
    const payment = newPayment(caller, request, {
      id: paymentId,
      version,
      state: started.to,
      hosted: null,
      routing: withAttempts(plan.decision, [attempt]),
      createdAt
    })
    const claim = claimFor(request, fingerprint, payment, standing)
    const step = {
      tenant,
      guard: chargeGuard(settings, attempt, isKeyGuarded),
      apiKeyHash: caller.apiKeyHash,
      payment: { expected: 0, after: payment },
      attempts: [attempt],
      events: eventsOfStart(payment),
      claim: claim === null ? undefined : { expected: standing?.version ?? 0, after: claim }
    }
    const book = bookAfter(undefined, { payment, attempts: [attempt] })
    return write(step, { _tag: "Begun" as const, payment, claim, connection, attempt, book, earlier: [] })
  }

  const claim = (isKeyGuarded: boolean) =>
    decideAndCommit({
      first: null as Claim | null,
      decide: (stored, now) =>
        stored === null
          ? begin(null, createdAt, isKeyGuarded)
          : Effect.map(resolveClaim(tenant, fingerprint ?? "", stored), (key) =>
              key._tag === "Answered"
                ? done(replayed(key.created))
                : // Released, or past its retention: the same key is a new request.
                  begin(key.claim, now, isKeyGuarded)
            ),
      read: (conflict) => readClaim(tenant, key, conflict),
      afterUnknown: "stop",
      storageErrors: "fail"
    })
  return yield* Effect.catch(claim(true), (failure) => {
    const claimed =
      failure._tag === "NotWritten"
        ? Effect.map(whenNotClaimed(caller, request, fingerprint, failure, claim(false)), (claimed) =>
            "_tag" in claimed ? claimed : replayed(claimed)
          )
        : Effect.fail(failure)
    return Effect.catchTags(claimed, {
      // Nothing is sent on it.
      MaybeWritten: ({ cause, value }) => Effect.map(releaseClaim(value, request, fingerprint, cause), replayed),
      Contended: () => Effect.fail(new PaymentResultUnknown({ paymentId, cause: "the key kept changing hands" }))
    })
  })
})

const replayed = (created: Created) => ({ _tag: "Replayed" as const, created })

const started = Result.getOrThrow(step(PaymentMachine, Start, "ChargeSent"))

/** The key's claim as its request begins, replacing whatever it belonged to before. */
export const claimFor = (
  request: CreateRequest,
  fingerprint: string | null,
  { createdAt, id, version }: Payment,
  standing: Claim | null
): Claim | null => {
  const { idempotencyKey: key } = request
  if (key === null || fingerprint === null) return null
  const fresh = { key, fingerprint, paymentId: id, claimedAt: createdAt }
  if (standing === null) return newClaim(fresh, version)
  const isKept = standing.state === "Answered" || standing.state === "Claimed"
  const free = isKept ? moveClaim(standing, "RetentionEnded", {}) : standing
  // Two moves, one write: the version counts writes.
  const claimed = moveClaim(free, "KeyClaimed", { ...fresh, answeredAt: null, answer: null })
  return { ...claimed, version: standing.version + 1 }
}

const eventsOfStart = (payment: Payment) => started.emits.map((type) => paymentEvent(type, payment))

/**
 * It is not known whether the first commit was written, or may still be. That much is certain: nothing may be sent on
 * it. So its place is taken: the same payment is written as abandoned, with its key released. Where that works, the
 * commit that is out can no longer be written; where it does not, it was.
 */
const releaseClaim = Effect.fnUntraced(function* (
  begun: ChargeInHand,
  request: CreateRequest,
  fingerprint: string | null,
  cause: unknown
) {
  const ledger = yield* Ledger
  const { claim, payment } = begun
  const { id, tenant } = payment
  const moved = Result.getOrThrow(applyChargeFact(payment, { on: "ChargeAbandoned" }, payment.createdAt))
  const attempt = abandonAttempt(begun.attempt)
  const place: Step = {
    tenant,
    // Its attempt may have the id of one whose record was lost.
    guard: claimGuard(yield* PaymentSettings, null),
    // Two moves, one write: the version counts writes.
    payment: { expected: 0, after: { ...withRouting(moved.payment, [attempt]), version: payment.version } },
    attempts: [attempt],
    events: [...eventsOfStart(payment), ...moved.events],
    claim:
      claim === null
        ? undefined
        : {
            expected: versionBefore(claim.version),
            after: { ...moveClaim(claim, "RequestAbandoned", {}), version: claim.version }
          }
  }
  const taken = yield* Effect.result(
    decideAndCommit({
      first: undefined as Payment | "another's key" | undefined,
      decide: (stored) => (stored === undefined ? write(place, undefined) : done(stored)),
      read: (conflict) =>
        Effect.map(ledger.payment(tenant, id), (stored) => {
          const isOthers = conflict._tag === "KeyClaimed" && conflict.claim.paymentId !== id
          return Option.getOrUndefined(stored) ?? (isOthers ? "another's key" : undefined)
        }),
      // What is stored is decided on, whichever of the two commits it was.
      afterUnknown: () => false,
      storageErrors: "retry"
    })
  )
  if (Result.isSuccess(taken)) {
    const stored = taken.success
    if (stored === undefined) return yield* new NothingSent({ cause })
    if (stored !== "another's key") {
      return { payment: yield* abandon({ ...begun, payment: stored, book: undefined }), isReplay: false }
    }
  }
  return yield* endUnsent(tenant, request.idempotencyKey, fingerprint, cause)
})

/** A further attempt. A failure gives the attempt that is not to be sent, where it may be stored all the same. */
export const claimNext = Effect.fnUntraced(function* (inHand: ChargeInHand, after: Attempt, connection: Connection) {
  const now = yield* Clock.currentTimeMillis
  const asks = inHand.payment.hosted === null ? "charge" : "checkout"
  const attempt = yield* newAttempt(connection, { ...inHand.payment, asks }, after.number + 1, now)
  const earlier = [...inHand.earlier, after]
  const moved = applyChargeFact(inHand.payment, { on: "AttemptFollowed" }, now)
  if (Result.isFailure(moved)) return Result.fail<ReadonlyArray<Attempt>>([])
  const payment = withRouting(moved.success.payment, [...earlier, attempt])
  const claim = inHand.claim === null ? null : moveClaim(inHand.claim, "AttemptFollowed", { claimedAt: now })
  const written = yield* Effect.result(
    commitOnce({
      tenant: payment.tenant,
      guard: chargeGuard(yield* PaymentSettings, attempt),
      payment: { expected: inHand.payment.version, before: inHand.book, after: payment },
      attempts: [after, attempt],
      events: moved.success.events,
      claim: claimChange(inHand.claim, claim)
    })
  )
  if (Result.isSuccess(written)) {
    const book = inHand.book && bookAfter(inHand.book, { payment, attempts: [after, attempt] })
    return Result.succeed<ChargeInHand>({ payment, claim, connection, attempt, book, earlier })
  }
  return Result.fail(written.failure._tag === "MaybeWritten" ? [abandonAttempt(attempt)] : [])
})

// A payment and an attempt as they are written first: nothing is held or taken yet.

export const newPayment = (
  caller: Caller,
  request: CreateRequest,
  begun: Pick<Payment, "id" | "version" | "state" | "hosted" | "routing" | "createdAt">
): Payment => ({
  ...request.details,
  ...unansweredPayment,
  ...begun,
  tenant: caller.tenant,
  metadata: request.details.metadata ?? null,
  purchase: request.details.purchase ?? null,
  idempotencyKey: request.idempotencyKey,
  updatedAt: begun.createdAt
})

export const newAttempt = (
  connection: Connection,
  payment: AttemptedPayment & Pick<Payment, "id" | "money">,
  number: number,
  now: number
) =>
  Effect.contextWith((context: Context.Context<Ids | Secrets | OpenConnections>) => {
    const ids = Context.get(context, Ids)
    const id = attemptId({ ids, secrets: Context.get(context, Secrets) }, payment, connection.id)
    // A charge's request is known by its payment, which it drew: only the customers of one page claim the same payment.
    const claimedBy = payment.asks === "checkout" ? ids.claim : Effect.succeed(null)
    return Effect.zipWith(
      id,
      claimedBy,
      (id, claimedBy): Attempt => ({
        ...openAttempt,
        id,
        claimedBy,
        paymentId: payment.id,
        number,
        connectionId: connection.id,
        account: connection.account?.current ?? null,
        money: payment.money,
        timeoutMillis: Context.get(context, OpenConnections).timeoutMillis(connection),
        sentAt: now
      })
    )
  })

/** Of the claim of an attempt. `isKeyGuarded`: not where what was recovered under its key is over. */
export const chargeGuard = (settings: PaymentSettings, { id }: Attempt, isKeyGuarded = true) => {
  const tag = isKeyGuarded ? keyTagOf(id) : undefined
  return claimGuard(settings, tag === undefined ? null : { tag, kind: "charge" })
}
