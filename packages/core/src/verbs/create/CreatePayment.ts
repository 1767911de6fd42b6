/**
 * Creates a payment: routes it, claims it, charges it, records what came of it. The claim, the payment and the attempt are
 * written before the provider is asked, so that a process that dies in between leaves a payment in `Charging`, which a
 * lookup settles later. One that goes well is two commits and no read; every further attempt adds one. With `returnUrl`
 * nothing is routed until the customer acts on the hosted page.
 */
import { Cause, Clock, Context, Effect, Exit, Redacted, Result } from "effect"
import { askProvider } from "../../call/CallProvider.ts"
import { adoptAnswer } from "../../commit/AdoptAnswer.ts"
import { lastFact, withSkipped } from "../../decide/ChargeFact.ts"
import {
  type Caller,
  type Created,
  type CreateRequest,
  type Instrument,
  PaymentResultUnknown,
  RoutingFailed
} from "../../decide/CreateRequest.ts"
import { asUsable } from "../../decide/UsableAnswer.ts"
import { attemptsEnded, routesTaken } from "../../metrics/Metrics.ts"
import type { ProviderCall } from "../../metrics/ProviderCall.ts"
import { type Attempt, type AttemptEnd, abandonAttempt, endAttempt, outcomeOf } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Metadata, Payment, PaymentDetails, Purchase, Simulation } from "../../model/Payment.ts"
import type { ChargeEnd } from "../../model/ProviderStatement.ts"
import { Ids } from "../../ports/Ids.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { nextConnections, type RoutePlan } from "../../routing/RoutePlan.ts"
import { Circuits } from "../../routing/run/Circuits.ts"
import { LearnedRates } from "../../routing/run/LearnedRates.ts"
import { giveBackProbe, routePayment } from "../../routing/run/RoutePayment.ts"
import { claimFirst, claimNext } from "./ClaimCharge.ts"
import { createHosted } from "./CreateHosted.ts"
import { nextAttempt } from "./NextAttempt.ts"
import { abandon, type ChargeInHand, recordEnd, recordUnexecuted } from "./RecordCharge.ts"
import { endUnsent, resolveKey } from "./ReplayCreate.ts"

/** Once claimed, a request runs to its end, also when its caller goes away. */
export const create = (caller: Caller, request: CreateRequest) => Effect.uninterruptible(createOnce(caller, request))

const createOnce = Effect.fnUntraced(function* (caller: Caller, request: CreateRequest) {
  const context = yield* Effect.context<Ids | Secrets>()
  const ids = Context.get(context, Ids)
  const secrets = Context.get(context, Secrets)
  const fingerprint =
    request.idempotencyKey === null ? null : yield* secrets.fingerprint(createFingerprintText(request))
  const paymentId = yield* ids.payment
  const { details, idempotencyKey, instruments, returnUrl } = request
  if (typeof returnUrl === "string") {
    return yield* createHosted(caller, { ...request, returnUrl }, fingerprint, paymentId)
  }
  const routed = yield* Effect.result(routePayment({ ...caller, paymentId, idempotencyKey, details, instruments }))
  if (Result.isFailure(routed)) {
    return yield* endUnsent(caller.tenant, request.idempotencyKey, fingerprint, routed.failure)
  }
  const plan = routed.success
  if (Result.isFailure(plan)) {
    // The key may belong to a payment that was routed when there still was a route.
    const earlier = yield* resolveKey(caller.tenant, request.idempotencyKey, fingerprint)
    if (earlier._tag === "Answered") return earlier.created
    return yield* new RoutingFailed({ excluded: plan.failure.excluded })
  }
  const { success: route } = plan
  const begun = yield* claimFirst(caller, request, fingerprint, paymentId, route).pipe(
    Effect.onExit((exit) =>
      Exit.isSuccess(exit) && exit.value._tag === "Begun" ? Effect.void : giveBackProbe(route, paymentId)
    )
  )
  if (begun._tag === "Replayed") return begun.created
  // From here on a provider may be asked: a bug must not read as "nothing was sent".
  const payment = yield* Effect.catchDefect(
    attemptInTurn(route, begun, {
      send: (inHand, beginBy) => sendCharge(inHand, { instruments, simulation: details.simulation }, beginBy),
      tooLate: abandon
    }),
    (cause) => new PaymentResultUnknown({ paymentId, cause })
  ).pipe(Effect.annotateLogs("payment_id", paymentId))
  return { payment, isReplay: false } satisfies Created
})

// The attempts: one connection is asked after the other. Every attempt is stored before it is sent, while that is recent.

export interface AttemptSteps<E, R, R2> {
  /** Sends the attempt in hand, if it can begin in time (epoch milliseconds), and says how that ended. */
  readonly send: (inHand: ChargeInHand, beginBy: number) => Effect.Effect<AttemptEnd, never, R>
  /** The outcome of a first attempt that became too old to be sent. */
  readonly tooLate: (inHand: ChargeInHand) => Effect.Effect<Payment, E, R2>
}

/** Attempts, one after the other, until one is an outcome or none may follow. */
export const attemptInTurn = Effect.fnUntraced(function* <E, R, R2>(
  plan: RoutePlan,
  begun: ChargeInHand,
  { send, tooLate }: AttemptSteps<E, R, R2>
) {
  const context = yield* Effect.context<Circuits | LearnedRates>()
  const { sendWithinMillis } = Context.get(context, PaymentSettings)
  const circuits = Context.get(context, Circuits)
  const clock = Context.get(context, Clock.Clock)
  routesTaken(plan.decision.path, plan.mode).updateUnsafe(1, context)
  let inHand = begun
  // Bounded by the plan: every turn but the last one uses up a connection.
  for (;;) {
    const { connection, attempt } = inHand
    const beginBy = attempt.sentAt + sendWithinMillis
    const begunAt = clock.currentTimeMillisUnsafe()
    if (begunAt > beginBy) {
      circuits.giveBackProbe(connection, inHand.payment.id)
      if (inHand.earlier.length === 0) return yield* tooLate(inHand)
      return yield* recordUnexecuted(inHand, abandonAttempt(attempt))
    }
    circuits.began(connection, begunAt)
    const end = yield* send(inHand, beginBy)
    const now = clock.currentTimeMillisUnsafe()
    const after = endAttempt(attempt, end, now)
    const trouble = noteEnd(context, inHand, end, after, now)
    if (trouble !== undefined) yield* trouble

    const others = nextConnections(plan, [...inHand.earlier, attempt], end)
    let next: Connection | undefined
    if (others.length > 0) {
      const found = yield* nextAttempt(plan, inHand.payment.tenant, others, now)
      next = found.connection
      inHand = { ...inHand, payment: withSkipped(inHand.payment, found.skipped) }
    }
    if (next === undefined) {
      const payment = yield* recordEnd(inHand, end, now)
      if (end._tag === "pointsman/Unanswered" && end.ofAnother !== undefined) {
        yield* adoptAnswer(payment.tenant, connection.id, end.ofAnother)
      }
      return payment
    }
    // From here on the attempt certainly executed nothing: after any other end there is no next connection.
    circuits.keepProbe(next, inHand.payment.id, now)
    const claimed = yield* claimNext(inHand, after, next)
    if (Result.isFailure(claimed)) {
      circuits.giveBackProbe(next, inHand.payment.id)
      return yield* recordUnexecuted(inHand, after, claimed.failure)
    }
    inHand = claimed.success
  }
})

/** Estimates, not money: whatever goes wrong with them, what the provider said is recorded. Gives what is logged of it. */
const noteEnd = (
  context: Context.Context<Circuits | LearnedRates>,
  inHand: ChargeInHand,
  end: AttemptEnd,
  after: Attempt,
  now: number
): Effect.Effect<void> | undefined => {
  try {
    Context.get(context, Circuits).ended(inHand.connection, isHealthy(end), now)
    attemptsEnded(inHand.connection.id, outcomeOf(end)).updateUnsafe(1, context)
    if (isMismatched(inHand, end, after)) return undefined
    Context.get(context, LearnedRates).learn(inHand.payment, null, after, now)
    return undefined
  } catch (cause) {
    return Effect.logError("the outcome of an attempt could not be recorded for routing", Cause.die(cause))
  }
}

/** Neither good nor bad: an operator has to review it. */
const isMismatched = ({ earlier, payment }: ChargeInHand, end: AttemptEnd, after: Attempt): boolean =>
  end._tag !== "CheckoutOpened" && lastFact(payment, earlier, after, end).on === "MismatchStated"

/** Declines and refusals of the payment are health; a provider that rejects our requests or is silent is not well. */
const isHealthy = (end: AttemptEnd): boolean =>
  end._tag !== "Rejected" && end._tag !== "pointsman/NotSent" && end._tag !== "pointsman/Unanswered"

// One attempt, which always comes back with what is known afterwards.

/** What a charge is sent with, besides what is stored. */
export interface ChargeWith {
  readonly instruments: ReadonlyArray<Instrument> | null
  readonly simulation: Simulation | null
}

export const sendCharge = (
  inHand: ChargeInHand,
  { instruments, simulation }: ChargeWith,
  /** Epoch milliseconds; see `BeginBy`. */
  beginBy: number
) => {
  const instrument = instruments?.find(({ connectionId }) => connectionId === inHand.connection.id)?.token ?? null
  const request = { ...chargeDetails(inHand), instrument, simulation }
  return askProvider<ChargeEnd>(
    inHand.connection,
    chargeCall("charge", inHand),
    (connector) => Effect.map(connector.charge(request), asUsable),
    beginBy
  )
}

export const chargeCall = (
  operation: "charge" | "checkout" | "complete_checkout",
  { attempt, payment }: ChargeInHand
): Omit<ProviderCall, "connectionId"> => ({ operation, paymentId: payment.id, subject: { attempt: attempt.id } })

/** What a charge and the opening of a checkout say alike. */
export const chargeDetails = ({ attempt, payment }: ChargeInHand) => ({
  attemptId: attempt.id,
  attemptNumber: attempt.number,
  paymentId: payment.id,
  money: payment.money,
  country: payment.country,
  method: payment.method,
  cardBrand: payment.cardBrand,
  initiator: payment.initiator,
  capture: payment.captureMethod === "automatic",
  reference: payment.reference
})

/**
 * The text whose keyed HMAC says whether two create requests are the same: the decoded request with its defaults
 * applied. Fields are named one by one, so that their order never depends on how a request was written; a field of the
 * request or of its details that is missing here does not compile.
 */
const createFingerprintText = (request: CreateRequest): string => {
  const { cancelUrl, details, instruments, debug, returnUrl } = request
  const { charge, capture, void: release, refund, lookup } = details.simulation ?? {}
  const described: { readonly [Field in keyof Required<PaymentDetails>]: unknown } = {
    money: [details.money.minorUnits, details.money.currency],
    country: details.country,
    method: details.method,
    // Left out where there is none, as below.
    paymentMethod: details.paymentMethod,
    cardBrand: details.cardBrand,
    initiator: details.initiator,
    captureMethod: details.captureMethod,
    reference: details.reference,
    // Left out of the text where there is none, so that keys from before there was any are still known again.
    metadata: byName(details.metadata),
    purchase: purchased(details.purchase),
    simulation: details.simulation === null ? null : [charge, capture, release, refund, lookup]
  }
  const parts: { readonly [Field in keyof Required<Omit<CreateRequest, "idempotencyKey">>]: unknown } = {
    details: described,
    instruments: instruments?.map(({ connectionId, token }) => [connectionId, Redacted.value(token)]) ?? null,
    returnUrl: returnUrl ?? null,
    cancelUrl: cancelUrl ?? null,
    debug
  }
  const direct = ["create", parts.details, parts.instruments, parts.cancelUrl, parts.debug]
  // Keys that were stored before there were hosted pages are still known again.
  return JSON.stringify(parts.returnUrl === null ? direct : [...direct, parts.returnUrl])
}

/** Whatever the order in which they were written. */
const byName = (metadata: Metadata | null | undefined) =>
  metadata == null ? undefined : Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))

const purchased = (purchase: Purchase | null | undefined) =>
  purchase == null
    ? undefined
    : [
        purchase.description,
        purchase.locale,
        purchase.lines?.map(({ amountMinor, name, quantity }) => [name, quantity, amountMinor]) ?? null
      ]
