/**
 * What a retry under an idempotency key is answered (specification, Idempotency rules of creation; decisions,
 * section 5): from what was recorded, and never by asking a provider again.
 */
import { Clock, Effect, Option, Result } from "effect"
import { type Claim, moveClaim } from "../idempotency/Claim.ts"
import { Ledger } from "../ports/Ledger.ts"
import type { Tenant } from "../workspace/Tenant.ts"
import { type Attempt, isInFlight, unansweredAttempt } from "./Attempt.ts"
import { applyChargeFact, type Moved } from "./ChargeFact.ts"
import { decisionsAtMost, withRouting } from "./ChargeInHand.ts"
import { type Created, KeyReused, NothingSent, PaymentResultUnknown, RequestInProgress } from "./CreateRequest.ts"
import { isRetentionOver, mayBeOver } from "./KeyRetention.ts"
import type { Payment } from "./Payment.ts"
import { PaymentSettings } from "./PaymentSettings.ts"

/** What a key comes to: the answer that it stands for, or that it is free, with the record that it left behind. */
export type KeyStanding =
  | { readonly _tag: "Answered"; readonly created: Created }
  | { readonly _tag: "Free"; readonly claim: Claim | null }

const answered = (payment: Payment): KeyStanding => ({ _tag: "Answered", created: { payment, isReplay: true } })
const free = (claim: Claim | null): KeyStanding => ({ _tag: "Free", claim })

/** The standing of a request's key as it is stored. Without a key there is nothing to stand for. */
export const keyStanding = Effect.fnUntraced(function* (
  tenant: Tenant,
  key: string | null,
  fingerprint: string | null
) {
  if (key === null || fingerprint === null) return free(null)
  const ledger = yield* Ledger
  const claim = yield* Effect.mapError(
    ledger.claim(tenant, key),
    (cause) => new PaymentResultUnknown({ paymentId: "", cause })
  )
  if (Option.isNone(claim)) return free(null)
  return yield* claimStanding(tenant, fingerprint, claim.value)
})

/**
 * The end of a request that sent nothing. That is true of the request; of its key it may be said only where the store
 * says so too, because the key may stand for an earlier request that did send.
 */
export const endUnsent = Effect.fnUntraced(function* (
  tenant: Tenant,
  key: string | null,
  fingerprint: string | null,
  cause: unknown
) {
  const standing = yield* keyStanding(tenant, key, fingerprint)
  return standing._tag === "Answered" ? standing.created : yield* new NothingSent({ cause })
})

/** The standing of a stored claim; it is answered here where its request has died. */
export const claimStanding = Effect.fnUntraced(function* (tenant: Tenant, fingerprint: string, stored: Claim) {
  const ledger = yield* Ledger
  const { claimWindowMillis } = yield* PaymentSettings
  let claim = stored
  const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: claim.paymentId, cause })
  // The key may change hands between two turns: each turn reads the payment of the claim that it looks at.
  const readPayment = Effect.suspend(() => Effect.mapError(ledger.payment(tenant, claim.paymentId), unknown)).pipe(
    Effect.flatMap(Effect.fromOption),
    Effect.catchTag("NoSuchElementError", () => Effect.fail(unknown("the payment of the key is not stored")))
  )
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    if (claim.state === "Released" || claim.state === "Expired") return free(claim)
    if (mayBeOver(claim, claimWindowMillis, now) && isRetentionOver(claim, yield* readPayment, now)) return free(claim)
    if (claim.fingerprint !== fingerprint) return yield* new KeyReused()
    if (claim.answer !== null) return answered(claim.answer)
    if (now - claim.claimedAt < claimWindowMillis) return yield* new RequestInProgress()

    // The request died, or its process is as good as dead. What it left behind is the answer.
    const payment = yield* readPayment
    const attempts = yield* Effect.mapError(ledger.attempts(tenant, payment.id), unknown)
    const ended = attempts.map((attempt) => (isInFlight(attempt) ? unansweredAttempt(attempt) : attempt))
    const moved = unanswered(payment, attempts, now)
    const after = withRouting(moved.payment, ended)
    const written = yield* Effect.result(
      ledger.commit({
        tenant,
        payment: { expected: payment.version, after },
        attempts: attempts.filter(isInFlight).map(unansweredAttempt),
        events: moved.events,
        claim: {
          expected: claim.version,
          after: moveClaim(claim, "RequestAnswered", { answeredAt: now, answer: after })
        }
      })
    )
    if (Result.isSuccess(written)) return answered(after)
    if (written.failure._tag === "pointsman/StorageError") return yield* unknown(written.failure)
    // Another retry, or the request itself, came first: what it wrote is the answer.
    const read = yield* Effect.mapError(ledger.claim(tenant, claim.key), unknown)
    if (Option.isNone(read)) return free(null)
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
