/**
 * What a retry under an idempotency key is answered (specification, Idempotency rules of creation; decisions,
 * section 5): from what was recorded, and never by asking a provider again.
 */
import { Clock, Effect, Option, Result } from "effect"
import { type Claim, keyRetentionMillis, moveClaim } from "../idempotency/Claim.ts"
import { Ledger } from "../ports/Ledger.ts"
import type { Tenant } from "../workspace/Tenant.ts"
import type { Attempt } from "./Attempt.ts"
import { applyChargeFact, type Moved } from "./ChargeFact.ts"
import { type Created, KeyReused, PaymentResultUnknown, RequestInProgress } from "./CreateRequest.ts"
import type { Payment } from "./Payment.ts"
import { statusOf } from "./PaymentMachine.ts"
import { PaymentSettings } from "./PaymentSettings.ts"

/** Other writers can come between a read and a write only so often before something is wrong. */
const decisionsAtMost = 5

/** The answer of a stored key; `None` when the key is free. */
export const answerFromKey = Effect.fnUntraced(function* (
  tenant: Tenant,
  key: string | null,
  fingerprint: string | null
) {
  if (key === null || fingerprint === null) return Option.none<Created>()
  const ledger = yield* Ledger
  const claim = yield* Effect.mapError(
    ledger.claim(tenant, key),
    (cause) => new PaymentResultUnknown({ paymentId: "", cause })
  )
  return Option.isNone(claim) ? Option.none<Created>() : yield* answerFromClaim(tenant, fingerprint, claim.value)
})

/** The answer that a claim holds or comes to; `None` when its key is free for a new request. */
export const answerFromClaim = Effect.fnUntraced(function* (tenant: Tenant, fingerprint: string, stored: Claim) {
  const ledger = yield* Ledger
  const { claimWindowMillis } = yield* PaymentSettings
  let claim = stored
  const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: claim.paymentId, cause })
  const readPayment = Effect.flatMap(Effect.mapError(ledger.payment(tenant, stored.paymentId), unknown), (found) =>
    Option.isNone(found) ? Effect.fail(unknown("the payment of the key is not stored")) : Effect.succeed(found.value)
  )
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    if (claim.state === "Released" || claim.state === "Expired") return Option.none<Created>()
    if (claim.state === "Answered" && now >= (claim.answeredAt ?? now) + keyRetentionMillis) {
      if (isRetentionOver(claim, yield* readPayment, now)) return Option.none<Created>()
    }
    if (claim.fingerprint !== fingerprint) return yield* new KeyReused()
    if (claim.answer !== null) return Option.some<Created>({ payment: claim.answer, isReplay: true })
    if (now - claim.claimedAt < claimWindowMillis) return yield* new RequestInProgress()

    // The request died, or its process is as good as dead. What it left behind is the answer.
    const payment = yield* readPayment
    const attempts = yield* Effect.mapError(ledger.attempts(tenant, payment.id), unknown)
    const { payment: after, events } = unanswered(payment, attempts, now)
    const written = yield* Effect.result(
      ledger.commit({
        tenant,
        payment: { expected: payment.version, after },
        attempts: attempts.filter(isInFlight).map((attempt) => ({ ...attempt, outcome: "Unanswered" })),
        events,
        claim: {
          expected: claim.version,
          after: moveClaim(claim, "RequestAnswered", { answeredAt: now, answer: after })
        }
      })
    )
    if (Result.isSuccess(written)) return Option.some<Created>({ payment: after, isReplay: true })
    if (written.failure._tag === "pointsman/StorageError") return yield* unknown(written.failure)
    // Another retry, or the request itself, came first: what it wrote is the answer.
    const read = yield* Effect.mapError(ledger.claim(tenant, claim.key), unknown)
    if (Option.isNone(read)) return Option.none<Created>()
    claim = read.value
  }
  return yield* unknown("other writers kept winning")
})

/** A payment whose process died mid-call looks exactly like one whose provider did not answer. */
const unanswered = (payment: Payment, attempts: ReadonlyArray<Attempt>, now: number): Moved => {
  const connectionId = attempts.findLast(isInFlight)?.connectionId ?? attempts.at(-1)?.connectionId ?? ""
  return Result.getOrElse(applyChargeFact(payment, { on: "ChargeUnanswered", connectionId }, now), () => ({
    // A message or a look-up settled it meanwhile: its state is the answer.
    payment: { ...payment, version: payment.version + 1, updatedAt: now },
    events: []
  }))
}

const isInFlight = (attempt: Attempt): boolean => attempt.outcome === null

/**
 * A key is kept for 24 hours after its answer, for an attempt without one after its settlement, and for as long as
 * its payment is UNKNOWN (rule 5).
 */
const isRetentionOver = (claim: Claim, payment: Payment, now: number): boolean => {
  if (payment.state === "Charging" || statusOf[payment.state] === "UNKNOWN") return false
  const wasUnanswered = claim.answer?.state === "ChargeUnknown"
  const from = wasUnanswered ? payment.settledAt : claim.answeredAt
  return from !== null && now >= from + keyRetentionMillis
}
