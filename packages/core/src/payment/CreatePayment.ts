/**
 * Creates a payment: routes it, claims it, charges it, records what came of it.
 *
 * The claim, the payment and the attempt are written before the provider is asked, so a process that dies in
 * between leaves a payment in `Charging`, which a look-up settles later. Never the other way round.
 *
 * A create that goes well is two commits and no read: claim + payment + attempt, then outcome + events + stored
 * answer. Every further attempt adds one.
 */
import { Clock, Effect, Option, Result, Schedule } from "effect"
import { paymentEvent } from "../events/PaymentEvents.ts"
import { type Claim, moveClaim, newClaim } from "../idempotency/Claim.ts"
import type { ClaimEvent } from "../idempotency/ClaimMachine.ts"
import { createFingerprintText } from "../idempotency/Fingerprint.ts"
import { Start, step } from "../machine/Machine.ts"
import { type ChargeState, Connectors } from "../ports/Connector.ts"
import { Directory } from "../ports/Directory.ts"
import { Ids } from "../ports/Ids.ts"
import { ApiKeyRevoked, type Change, type CommitFailure, Ledger } from "../ports/Ledger.ts"
import { Secrets } from "../ports/Secrets.ts"
import { Circuits } from "../routing/Circuits.ts"
import type { Connection } from "../routing/Connection.ts"
import { OpenConnections } from "../routing/OpenConnections.ts"
import { mayFollow, type NothingExecuted, planRoute, type RoutePlan } from "../routing/RoutePlan.ts"
import type { RoutingDecision } from "../routing/RoutingDecision.ts"
import { defaultRoutingSettings } from "../routing/RoutingSettings.ts"
import type { Attempt, AttemptOutcome } from "./Attempt.ts"
import { applyChargeFact, type ChargeFact, chargeFactOf } from "./ChargeFact.ts"
import {
  type Caller,
  type Created,
  type CreateRequest,
  NothingSent,
  PaymentResultUnknown,
  RoutingFailed
} from "./CreateRequest.ts"
import type { Payment } from "./Payment.ts"
import { PaymentMachine } from "./PaymentMachine.ts"
import { PaymentSettings } from "./PaymentSettings.ts"
import { answerFromClaim, answerFromKey } from "./ReplayCreate.ts"
import { type ChargeEnd, sendCharge } from "./SendCharge.ts"

/** Once claimed, a request runs to its end, also when its caller goes away (decisions, section 5). */
export const create = (caller: Caller, request: CreateRequest) => Effect.uninterruptible(createOnce(caller, request))

const createOnce = Effect.fnUntraced(function* (caller: Caller, request: CreateRequest) {
  const ids = yield* Ids
  const secrets = yield* Secrets
  const fingerprint =
    request.idempotencyKey === null ? null : yield* secrets.fingerprint(createFingerprintText(request))
  const paymentId = yield* ids.payment
  const plan = yield* route(caller, request, paymentId)
  if (Result.isFailure(plan)) {
    // The key may stand for a payment that was routed when there still was a route.
    const earlier = yield* answerFromKey(caller.tenant, request.idempotencyKey, fingerprint)
    return Option.isSome(earlier) ? earlier.value : yield* new RoutingFailed({ excluded: plan.failure.excluded })
  }
  const begun = yield* begin(caller, request, fingerprint, paymentId, plan.success)
  if (begun._tag === "Replayed") return begun.created
  return { payment: yield* attemptInTurn(request, plan.success, begun), isReplay: false } satisfies Created
})

const route = Effect.fnUntraced(function* (caller: Caller, request: CreateRequest, paymentId: string) {
  const directory = yield* Directory
  const connectors = yield* Connectors
  const circuits = yield* Circuits
  const connections = yield* Effect.mapError(directory.connections(caller.tenant), nothingSent)
  const settings = yield* Effect.mapError(directory.routing(caller.tenant), nothingSent)
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

/** Where a create stands: what is stored, and the attempt that is about to be sent or was sent. */
interface InHand {
  readonly payment: Payment
  /** `null` for a request without a key. */
  readonly claim: Claim | null
  readonly connection: Connection
  readonly attempt: Attempt
  /** The attempts before it; all of them executed nothing. */
  readonly earlier: ReadonlyArray<Attempt>
}

/** Other writers can come between a read and a write only so often before something is wrong. */
const decisionsAtMost = 5

// ---------------------------------------------------------------------------------------------------------------
// The first commit: claim, payment, attempt.

const begin = Effect.fnUntraced(function* (
  caller: Caller,
  request: CreateRequest,
  fingerprint: string | null,
  paymentId: string,
  plan: RoutePlan
) {
  const ledger = yield* Ledger
  const circuits = yield* Circuits
  const connection = plan.order[0] as Connection
  let standing = null as Claim | null
  circuits.began(connection, yield* Clock.currentTimeMillis)
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const begun: InHand = yield* firstStep(caller, request, fingerprint, paymentId, plan, connection, standing)
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
        return yield* nothingSent(failure)
      case "pointsman/CommitUnknown":
        return yield* giveBack(begun, failure)
      case "pointsman/KeyTaken":
      case "pointsman/Stale": {
        const claim: Option.Option<Claim> =
          failure._tag === "pointsman/KeyTaken"
            ? Option.some(failure.claim)
            : yield* Effect.mapError(ledger.claim(caller.tenant, request.idempotencyKey ?? ""), nothingSent)
        if (Option.isNone(claim)) {
          standing = null
          break
        }
        const answer = yield* answerFromClaim(caller.tenant, fingerprint ?? "", claim.value)
        if (Option.isSome(answer)) return { _tag: "Replayed" as const, created: answer.value }
        standing = claim.value // Released, or past its retention: the same key is a new request.
      }
    }
  }
  return yield* nothingSent("the key kept changing hands")
})

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
  const attempt = yield* newAttempt(connection, request, paymentId, 1, now)
  const row = Result.getOrThrow(step(PaymentMachine, Start, "ChargeSent"))
  const payment: Payment = {
    ...request.details,
    id: paymentId,
    tenant: caller.tenant,
    version: 1,
    state: row.to,
    declineCategory: null,
    declineReason: null,
    authorizedMinor: 0,
    capturedMinor: 0,
    refundedMinor: 0,
    refundPendingMinor: 0,
    connectionId: null,
    providerRef: null,
    idempotencyKey: request.idempotencyKey,
    routing: withAttempts(plan.decision, [attempt]),
    createdAt: now,
    updatedAt: now,
    settledAt: null
  }
  return { payment, claim: claimFor(request, fingerprint, paymentId, standing, now), connection, attempt, earlier: [] }
})

const claimFor = (
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
  const free = standing.state === "Answered" ? moveClaim(standing, "RetentionEnded", {}) : standing
  // Two moves, one write: the version counts writes.
  const claimed = moveClaim(free, "KeyClaimed", { ...fresh, answeredAt: null, answer: null })
  return { ...claimed, version: standing.version + 1 }
}

const eventsOfStart = (payment: Payment) =>
  Result.getOrThrow(step(PaymentMachine, Start, "ChargeSent")).emits.map((type) => paymentEvent(type, payment))

/** It is not known whether the first commit was written. That much is certain: nothing may be sent on it. */
const giveBack = Effect.fnUntraced(function* (begun: InHand, cause: unknown) {
  const ledger = yield* Ledger
  const stored = yield* Effect.option(ledger.payment(begun.payment.tenant, begun.payment.id))
  // Unread, or not there: where it was written after all, the claim lapses and a look-up finds nothing.
  if (Option.isNone(stored) || Option.isNone(stored.value)) return yield* nothingSent(cause)
  return yield* abandon(begun)
})

// ---------------------------------------------------------------------------------------------------------------
// Attempts, one after the other.

const attemptInTurn = Effect.fnUntraced(function* (request: CreateRequest, plan: RoutePlan, begun: InHand) {
  const { sendWithinMillis } = yield* PaymentSettings
  const circuits = yield* Circuits
  let inHand = begun
  // Bounded by the plan: every turn but the last one uses up a connection.
  for (;;) {
    const { connection, attempt } = inHand
    const beginBy = attempt.sentAt + sendWithinMillis
    if ((yield* Clock.currentTimeMillis) > beginBy) {
      if (inHand.earlier.length === 0) return yield* abandon(inHand)
      return yield* settleUnexecuted(inHand, ended(attempt, "Abandoned", null))
    }
    const end = yield* sendCharge(connection, chargeRequest(request, inHand), beginBy)
    const now = yield* Clock.currentTimeMillis
    circuits.ended(connection, isHealthy(end), now)

    switch (end._tag) {
      case "pointsman/Unanswered":
        return yield* settle(inHand, endedBy(attempt, end, now), {
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
    // From here on the attempt certainly executed nothing: the type of `end` says so to `followUp`.
    const nothing: NothingExecuted = end._tag === "Declined" ? { _tag: "Declined", soft: true } : end
    const after = endedBy(attempt, end, now)
    const next = nextConnection(plan, inHand, nothing, (connection) => circuits.isOpen(connection, now))
    if (next === undefined) return yield* settleUnexecuted(inHand, after)
    const followed = yield* follow(request, inHand, after, next)
    if (Option.isNone(followed)) return yield* settleUnexecuted(inHand, after)
    inHand = followed.value
  }
})

const nextConnection = (
  plan: RoutePlan,
  inHand: InHand,
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

/** Writes the next attempt before it is sent. `None`: it could not be written, so it is not sent. */
const follow = Effect.fnUntraced(function* (
  request: CreateRequest,
  inHand: InHand,
  after: Attempt,
  connection: Connection
) {
  const ledger = yield* Ledger
  const circuits = yield* Circuits
  const now = yield* Clock.currentTimeMillis
  const attempt = yield* newAttempt(connection, request, inHand.payment.id, after.number + 1, now)
  const earlier = [...inHand.earlier, after]
  const moved = applyChargeFact(inHand.payment, { on: "AttemptFollowed" }, now)
  if (Result.isFailure(moved)) return Option.none<InHand>()
  const payment = withRouting(moved.success.payment, [...earlier, attempt])
  const claim = inHand.claim === null ? null : moveClaim(inHand.claim, "AttemptFollowed", { claimedAt: now })
  circuits.began(connection, now)
  const written = yield* Effect.result(
    ledger.commit({
      tenant: payment.tenant,
      payment: { expected: inHand.payment.version, after: payment },
      attempts: [after, attempt],
      events: moved.success.events,
      claim: claimChange(inHand.claim, claim)
    })
  )
  if (Result.isSuccess(written)) return Option.some<InHand>({ payment, claim, connection, attempt, earlier })
  return Option.none<InHand>()
})

// ---------------------------------------------------------------------------------------------------------------
// The last commit: outcome, events, stored answer.

const settleState = (inHand: InHand, state: ChargeState, now: number) => {
  const fact = chargeFactOf(inHand.payment, inHand.connection.id, state)
  const attempt = endedBy(inHand.attempt, state, now)
  return settle(inHand, fact.on === "ChargeMismatched" ? { ...attempt, outcome: "Mismatched" } : attempt, fact)
}

/** No attempt executed anything. A decline among them is the outcome; without one the payment failed. */
const settleUnexecuted = (inHand: InHand, after: Attempt) => {
  const decline = [...inHand.earlier, after].findLast((attempt) => attempt.outcome === "Declined")
  return settle(
    inHand,
    after,
    decline === undefined
      ? { on: "ChargeFailed" }
      : { on: "ChargeDeclined", category: decline.declineCategory ?? "other", reason: decline.code ?? "" }
  )
}

/** The claim grew too old to send on. Nothing was sent: the key is free again. */
const abandon = Effect.fnUntraced(function* (inHand: InHand) {
  const now = yield* Clock.currentTimeMillis
  yield* settle(
    inHand,
    { ...ended(inHand.attempt, "Abandoned", null), answeredAt: now },
    { on: "ChargeAbandoned" },
    "RequestAbandoned"
  )
  return yield* nothingSent("the claim grew too old to send on")
})

/** Records a fact, however often other writers come first, and gives the payment as it is answered. */
const settle = Effect.fnUntraced(function* (
  inHand: InHand,
  attempt: Attempt,
  fact: ChargeFact,
  claimEvent: ClaimEvent = "RequestAnswered"
) {
  const ledger = yield* Ledger
  let { payment: stored, claim } = inHand
  const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: stored.id, cause })
  const attempts = [...inHand.earlier, attempt]
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    const moved = applyChargeFact(stored, fact, now)
    // Another courier settled it first, and that stands; the attempt and the answer are still written.
    const { payment: after, events } = Result.getOrElse(moved, () => ({
      payment: { ...stored, version: stored.version + 1, updatedAt: now },
      events: []
    }))
    const payment = withRouting(after, attempts)
    const answered = answerClaim(claim, claimEvent, payment, now)
    const written = yield* Effect.result(
      commitInsistently({
        tenant: payment.tenant,
        payment: { expected: stored.version, after: payment },
        attempts: [attempt],
        events,
        claim: claimChange(claim, answered)
      })
    )
    if (Result.isSuccess(written)) return payment
    const failure = written.failure
    if (failure._tag === "pointsman/StorageError") return yield* unknown(failure)
    const read = yield* Effect.mapError(ledger.payment(stored.tenant, stored.id), unknown)
    if (Option.isNone(read)) return yield* unknown(failure)
    if (failure._tag === "pointsman/CommitUnknown" && isSameWrite(read.value, payment)) return payment
    stored = read.value
    if (claim !== null)
      claim = Option.getOrNull(yield* Effect.mapError(ledger.claim(stored.tenant, claim.key), unknown))
  }
  return yield* unknown("other writers kept winning")
})

/** "Surely not written" may be tried again: six times over some three seconds, as long as a client waits. */
const commitInsistently = Effect.fnUntraced(function* (change: Change) {
  const ledger = yield* Ledger
  return yield* Effect.retry(ledger.commit(change), {
    while: (failure) => failure._tag === "pointsman/StorageError",
    schedule: Schedule.exponential("50 millis"),
    times: 6
  })
})

/** Whether a read shows the very write whose commit went unanswered. */
const isSameWrite = (read: Payment, written: Payment): boolean =>
  read.version === written.version && read.state === written.state && read.updatedAt === written.updatedAt

const answerClaim = (claim: Claim | null, on: ClaimEvent, payment: Payment, now: number): Claim | null => {
  // A retry after the claim window may have answered the key already: what it said stands.
  if (claim === null || claim.state !== "Claimed") return claim
  return moveClaim(claim, on, on === "RequestAbandoned" ? {} : { answeredAt: now, answer: payment })
}

const claimChange = (before: Claim | null, after: Claim | null): Change["claim"] =>
  before === null || after === null || before === after ? undefined : { expected: before.version, after }

// ---------------------------------------------------------------------------------------------------------------
// Attempts, as records.

const newAttempt = Effect.fnUntraced(function* (
  connection: Connection,
  request: CreateRequest,
  paymentId: string,
  number: number,
  now: number
) {
  const ids = yield* Ids
  const connections = yield* OpenConnections
  const attempt: Attempt = {
    id: yield* ids.attempt,
    paymentId,
    number,
    connectionId: connection.id,
    money: request.details.money,
    timeoutMillis: connections.timeoutMillis(connection),
    sentAt: now,
    answeredAt: null,
    outcome: null,
    providerRef: null,
    declineCategory: null,
    code: null
  }
  return attempt
})

const chargeRequest = (request: CreateRequest, { payment, attempt }: InHand) => ({
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

const ended = (attempt: Attempt, outcome: AttemptOutcome, code: string | null): Attempt => ({
  ...attempt,
  outcome,
  code
})

const endedBy = (attempt: Attempt, end: ChargeEnd, now: number): Attempt => {
  const outcome =
    end._tag === "pointsman/NotSent" ? "NotSent" : end._tag === "pointsman/Unanswered" ? "Unanswered" : end._tag
  return {
    ...ended(attempt, outcome, "code" in end ? end.code : null),
    answeredAt: outcome === "Unanswered" ? null : now,
    providerRef: "providerRef" in end ? end.providerRef : null,
    declineCategory: end._tag === "Declined" ? end.category : null
  }
}

/** Declines and refusals of the payment are health; a provider that rejects our requests or is silent is not well. */
const isHealthy = (end: ChargeEnd): boolean =>
  end._tag !== "Rejected" && end._tag !== "pointsman/NotSent" && end._tag !== "pointsman/Unanswered"

const withRouting = (payment: Payment, attempts: ReadonlyArray<Attempt>): Payment =>
  payment.routing === null ? payment : { ...payment, routing: withAttempts(payment.routing, attempts) }

const withAttempts = (decision: RoutingDecision, attempts: ReadonlyArray<Attempt>): RoutingDecision => ({
  ...decision,
  attempts: attempts.map(({ id, connectionId, outcome, code }) => ({ attemptId: id, connectionId, outcome, code }))
})

const nothingSent = (cause: unknown) => new NothingSent({ cause })
