/** What a retry under an idempotency key is answered: from what was recorded, and never by asking a provider again. */
import { Effect, Option, Result } from "effect"
import { type Conflict, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { applyChargeFact, type Moved, withRouting } from "../../decide/ChargeFact.ts"
import {
  type Created,
  KeyReused,
  NothingSent,
  PaymentResultUnknown,
  RequestInProgress
} from "../../decide/CreateRequest.ts"
import { isRetentionOver, mayBeOver } from "../../decide/KeyRetention.ts"
import { type Attempt, isInFlight, unansweredAttempt } from "../../model/Attempt.ts"
import { type Claim, moveClaim } from "../../model/Claim.ts"
import type { Payment } from "../../model/Payment.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"

/** What a key resolves to: its stored response, or that it is free, with the record that it left behind. */
export type ResolvedKey =
  | { readonly _tag: "Answered"; readonly created: Created }
  | { readonly _tag: "Free"; readonly claim: Claim | null }

const answered = (payment: Payment): ResolvedKey => ({ _tag: "Answered", created: { payment, isReplay: true } })
export const free = (claim: Claim | null): ResolvedKey => ({ _tag: "Free", claim })

/** What a request's key resolves to in the store. Without a key there is nothing to resolve. */
export const resolveKey = Effect.fnUntraced(function* (tenant: Tenant, key: string | null, fingerprint: string | null) {
  if (key === null || fingerprint === null) return free(null)
  const ledger = yield* Ledger
  const claim = yield* Effect.mapError(
    ledger.claim(tenant, key),
    (cause) => new PaymentResultUnknown({ paymentId: "", cause })
  )
  if (Option.isNone(claim)) return free(null)
  return yield* resolveClaim(tenant, fingerprint, claim.value)
})

/**
 * The end of a request that sent nothing. That is true of the request; of its key it may be said only where the store
 * says so too, because the key may belong to an earlier request that did send.
 */
export const endUnsent = Effect.fnUntraced(function* (
  tenant: Tenant,
  key: string | null,
  fingerprint: string | null,
  cause: unknown
) {
  const resolved = yield* resolveKey(tenant, key, fingerprint)
  return resolved._tag === "Answered" ? resolved.created : yield* new NothingSent({ cause })
})

/** The claim of a key as it is stored, or as another writer's commit brought it. */
export const readClaim = Effect.fnUntraced(function* (tenant: Tenant, key: string | null, conflict: Conflict) {
  if (conflict._tag === "KeyClaimed") return conflict.claim
  if (key === null) return null
  const ledger = yield* Ledger
  return Option.getOrNull(yield* ledger.claim(tenant, key))
})

/** What a stored claim resolves to. Answers the claim of a request that has died. */
export const resolveClaim = Effect.fnUntraced(function* (tenant: Tenant, fingerprint: string, stored: Claim) {
  const ledger = yield* Ledger
  const { claimWindowMillis } = yield* PaymentSettings
  const unknown = (cause: unknown, paymentId = stored.paymentId) => new PaymentResultUnknown({ paymentId, cause })
  const readPayment = (id: string) =>
    ledger.payment(tenant, id).pipe(
      Effect.mapError((cause) => unknown(cause, id)),
      Effect.flatMap(Effect.fromOption(() => unknown("the payment of the key is not stored", id)))
    )
  return yield* decideAndCommit({
    first: stored as Claim | null,
    // The key may change hands between two decisions: each reads the payment of the claim that it is made on.
    decide: Effect.fnUntraced(function* (claim, now) {
      if (claim === null || claim.state === "Released" || claim.state === "Expired") return done(free(claim))
      if (mayBeOver(claim, claimWindowMillis, now)) {
        if (isRetentionOver(claim, yield* readPayment(claim.paymentId), now)) return done(free(claim))
      }
      if (claim.fingerprint !== fingerprint) return yield* new KeyReused()
      if (claim.answer !== null) return done(answered(claim.answer))
      if (now - claim.claimedAt < claimWindowMillis) return yield* new RequestInProgress()

      // The request died, or its process is as good as dead. What it left behind is the answer.
      const payment = yield* readPayment(claim.paymentId)
      const attempts = yield* Effect.mapError(ledger.attempts(tenant, payment.id), (cause) =>
        unknown(cause, payment.id)
      )
      const ended = attempts.map((attempt) => (isInFlight(attempt) ? unansweredAttempt(attempt) : attempt))
      const moved = unanswered(payment, attempts, now)
      const after = withRouting(moved.payment, ended)
      const step = {
        tenant,
        payment: { expected: payment.version, after },
        attempts: attempts.filter(isInFlight).map(unansweredAttempt),
        events: moved.events,
        claim: {
          expected: claim.version,
          after: moveClaim(claim, "RequestAnswered", { answeredAt: now, answer: after })
        }
      }
      return write(step, answered(after))
    }),
    // Another retry, or the request itself, came first: what it wrote is the answer.
    read: (conflict) => readClaim(tenant, stored.key, conflict),
    // Where it was written, the claim has its answer.
    afterUnknown: () => false,
    storageErrors: "fail"
  }).pipe(
    Effect.catchTags({
      "pointsman/ApiKeyRevoked": (cause) => Effect.fail(unknown(cause)),
      NotWritten: ({ cause }) => Effect.fail(unknown(cause)),
      MaybeWritten: ({ cause }) => Effect.fail(unknown(cause)),
      Contended: () => Effect.fail(unknown("other writers kept winning"))
    })
  )
})

/** A payment whose process died mid-call looks exactly like one whose provider did not answer. */
const unanswered = (payment: Payment, attempts: ReadonlyArray<Attempt>, now: number): Moved => {
  const connectionId = attempts.findLast(isInFlight)?.connectionId ?? attempts.at(-1)?.connectionId ?? ""
  return Result.getOrElse(applyChargeFact(payment, { on: "ChargeUnanswered", connectionId }, now), () => ({
    // A message or a lookup settled it meanwhile: its state is the answer.
    payment: { ...payment, version: payment.version + 1, updatedAt: now },
    events: []
  }))
}
