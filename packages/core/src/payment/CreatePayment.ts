/**
 * Creates a payment: routes it, claims it, charges it, records what came of it.
 *
 * The claim, the payment and the attempt are written before the provider is asked, so a process that dies in
 * between leaves a payment in `Charging`, which a look-up settles later. Never the other way round.
 *
 * A create that goes well is two commits and no read: claim + payment + attempt, then outcome + events + stored
 * answer. Every further attempt adds one.
 */
import { Clock, Effect, Option, Result } from "effect"
import { createFingerprintText } from "../idempotency/Fingerprint.ts"
import { type ChargeEnd, type ChargeRequest, Connectors } from "../ports/Connector.ts"
import { Directory } from "../ports/Directory.ts"
import { Ids } from "../ports/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"
import { Circuits } from "../routing/Circuits.ts"
import type { Connection } from "../routing/Connection.ts"
import { mayFollow, type NothingExecuted, planRoute, type RoutePlan } from "../routing/RoutePlan.ts"
import { defaultRoutingSettings } from "../routing/RoutingSettings.ts"
import { abandonAttempt, endAttempt } from "./Attempt.ts"
import type { ChargeInHand } from "./ChargeInHand.ts"
import { claimFirst, claimNext } from "./ClaimCharge.ts"
import { type Caller, type Created, type CreateRequest, PaymentResultUnknown, RoutingFailed } from "./CreateRequest.ts"
import { PaymentSettings } from "./PaymentSettings.ts"
import { endUnsent, keyStanding } from "./ReplayCreate.ts"
import { sendCharge } from "./SendCharge.ts"
import { abandon, settle, settleState, settleUnexecuted } from "./SettleCharge.ts"

/** Once claimed, a request runs to its end, also when its caller goes away (decisions, section 5). */
export const create = (caller: Caller, request: CreateRequest) => Effect.uninterruptible(createOnce(caller, request))

const createOnce = Effect.fnUntraced(function* (caller: Caller, request: CreateRequest) {
  const ids = yield* Ids
  const secrets = yield* Secrets
  const fingerprint =
    request.idempotencyKey === null ? null : yield* secrets.fingerprint(createFingerprintText(request))
  const paymentId = yield* ids.payment
  const routed = yield* Effect.result(route(caller, request, paymentId))
  if (Result.isFailure(routed)) {
    return yield* endUnsent(caller.tenant, request.idempotencyKey, fingerprint, routed.failure)
  }
  const plan = routed.success
  if (Result.isFailure(plan)) {
    // The key may stand for a payment that was routed when there still was a route.
    const earlier = yield* keyStanding(caller.tenant, request.idempotencyKey, fingerprint)
    if (earlier._tag === "Answered") return earlier.created
    return yield* new RoutingFailed({ excluded: plan.failure.excluded })
  }
  const begun = yield* claimFirst(caller, request, fingerprint, paymentId, plan.success)
  if (begun._tag === "Replayed") return begun.created
  // From here on a provider may be asked: a bug of ours must not read as "nothing was sent".
  const payment = yield* Effect.catchDefect(
    attemptInTurn(request, plan.success, begun),
    (cause) => new PaymentResultUnknown({ paymentId, cause })
  )
  return { payment, isReplay: false } satisfies Created
})

const route = Effect.fnUntraced(function* (caller: Caller, request: CreateRequest, paymentId: string) {
  const directory = yield* Directory
  const connectors = yield* Connectors
  const circuits = yield* Circuits
  const connections = yield* directory.connections(caller.tenant)
  const settings = yield* directory.routing(caller.tenant)
  const now = yield* Clock.currentTimeMillis
  return planRoute({
    paymentId,
    payment: request.details,
    merchantCountry: caller.workspace.country,
    merchantCategory: caller.workspace.category,
    instrumentConnectionIds:
      request.instruments === null ? null : new Set(request.instruments.map((instrument) => instrument.connectionId)),
    settings: Option.getOrElse(settings, () => defaultRoutingSettings),
    connections,
    providerSupports: (connection) =>
      Option.match(connectors.definition(connection.connector), {
        onNone: () => ({}),
        onSome: (definition) => definition.supports
      }),
    isCircuitOpen: (connection) => circuits.isOpen(connection, now)
  })
})

/** Attempts, one after the other, until one is an outcome or none may follow. */
const attemptInTurn = Effect.fnUntraced(function* (request: CreateRequest, plan: RoutePlan, begun: ChargeInHand) {
  const { sendWithinMillis } = yield* PaymentSettings
  const circuits = yield* Circuits
  let inHand = begun
  // Bounded by the plan: every turn but the last one uses up a connection.
  for (;;) {
    const { connection, attempt } = inHand
    const beginBy = attempt.sentAt + sendWithinMillis
    if ((yield* Clock.currentTimeMillis) > beginBy) {
      if (inHand.earlier.length === 0) return yield* abandon(inHand)
      return yield* settleUnexecuted(inHand, abandonAttempt(attempt))
    }
    circuits.began(connection, yield* Clock.currentTimeMillis)
    const end = yield* sendCharge(connection, chargeRequest(request, inHand), beginBy)
    const now = yield* Clock.currentTimeMillis
    circuits.ended(connection, isHealthy(end), now)

    switch (end._tag) {
      case "pointsman/Unanswered":
        return yield* settle(inHand, endAttempt(attempt, end, now), {
          on: "ChargeUnanswered",
          connectionId: connection.id
        })
      case "pointsman/NotSent":
      case "Rejected":
        break
      case "Declined":
        if (end.soft) break
        return yield* settleState(inHand, end, now)
      default:
        return yield* settleState(inHand, end, now)
    }
    // From here on the attempt certainly executed nothing: the type of `end` says so to `mayFollow`.
    const nothing: NothingExecuted = end._tag === "Declined" ? { _tag: "Declined", soft: true } : end
    const after = endAttempt(attempt, end, now)
    const next = nextConnection(plan, inHand, nothing, (connection) => circuits.isOpen(connection, now))
    if (next === undefined) return yield* settleUnexecuted(inHand, after)
    const claimed = yield* claimNext(request, inHand, after, next)
    if (Result.isFailure(claimed)) return yield* settleUnexecuted(inHand, after, claimed.failure)
    inHand = claimed.success
  }
})

const nextConnection = (
  plan: RoutePlan,
  inHand: ChargeInHand,
  end: NothingExecuted,
  isCircuitOpen: (connection: Connection) => boolean
): Connection | undefined => {
  const made = [...inHand.earlier, inHand.attempt]
  if (made.length >= plan.maxAttempts || !mayFollow(plan.mode, end)) return undefined
  return plan.order.find(
    (connection) =>
      !made.some((attempt) => attempt.connectionId === connection.id) &&
      (plan.decision.degraded || !isCircuitOpen(connection))
  )
}

const chargeRequest = (request: CreateRequest, { payment, attempt }: ChargeInHand): ChargeRequest => ({
  attemptId: attempt.id,
  attemptNumber: attempt.number,
  paymentId: payment.id,
  money: payment.money,
  country: payment.country,
  method: payment.method,
  cardBrand: payment.cardBrand,
  initiator: payment.initiator,
  capture: payment.captureMethod === "automatic",
  reference: payment.reference,
  instrument: request.instruments?.find((one) => one.connectionId === attempt.connectionId)?.token ?? null,
  simulation: payment.simulation
})

/** Declines and refusals of the payment are health; a provider that rejects our requests or is silent is not well. */
const isHealthy = (end: ChargeEnd): boolean =>
  end._tag !== "Rejected" && end._tag !== "pointsman/NotSent" && end._tag !== "pointsman/Unanswered"
