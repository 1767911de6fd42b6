/**
 * Creates a payment that the customer pays on a hosted page: one commit, no route, no provider.
 *
 * The key is answered in that commit. Nothing is sent, so a commit of which nobody heard is simply written again: it is
 * the same payment, and only one of the two can be stored.
 */
import { Clock, Effect, Option, Result } from "effect"
import { paymentEvent } from "../events/PaymentEvents.ts"
import { type Claim, moveClaim } from "../idempotency/Claim.ts"
import { Start, step } from "../machine/Machine.ts"
import { decisionsAtMost } from "../payment/ChargeInHand.ts"
import { claimFor } from "../payment/ClaimCharge.ts"
import { type Caller, type Created, type CreateRequest, PaymentResultUnknown } from "../payment/CreateRequest.ts"
import { commitInsistently, readInsistently } from "../payment/Insistently.ts"
import { newPayment } from "../payment/NewPayment.ts"
import { PaymentMachine } from "../payment/PaymentMachine.ts"
import { claimStanding, endUnsent, type KeyStanding, keyStanding } from "../payment/ReplayCreate.ts"
import { ApiKeyRevoked, type Change, Ledger } from "../ports/Ledger.ts"
import { Secrets } from "../ports/Secrets.ts"
import { hostedPageMillis } from "./HostedPage.ts"

export interface HostedRequest extends CreateRequest {
  readonly returnUrl: string
}

export const createHosted = Effect.fnUntraced(function* (
  caller: Caller,
  request: HostedRequest,
  fingerprint: string | null,
  paymentId: string
) {
  const ledger = yield* Ledger
  const secrets = yield* Secrets
  const { idempotencyKey: key } = request
  const tokenHash = yield* secrets.hash(yield* secrets.pageToken(paymentId))
  let standing = null as Claim | null
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    const change = firstChange(caller, request, fingerprint, { paymentId, tokenHash, standing, now })
    const created: Created = { payment: change.payment.after, isReplay: false }
    const written = yield* Effect.result(ledger.commit(change))
    if (Result.isSuccess(written)) return created
    const failure = written.failure
    switch (failure._tag) {
      case "pointsman/ApiKeyRevoked":
        return yield* new ApiKeyRevoked()
      case "pointsman/StorageError":
        return yield* endUnsent(caller.tenant, key, fingerprint, failure)
      case "pointsman/CommitUnknown":
        return yield* writeAgain(change, key, fingerprint, created, failure)
      case "pointsman/KeyTaken":
      case "pointsman/Stale": {
        const found: KeyStanding =
          failure._tag === "pointsman/KeyTaken"
            ? yield* claimStanding(caller.tenant, fingerprint ?? "", failure.claim)
            : yield* keyStanding(caller.tenant, key, fingerprint)
        if (found._tag === "Answered") return found.created
        standing = found.claim // Released, or past its retention: the same key is a new request.
      }
    }
  }
  return yield* new PaymentResultUnknown({ paymentId, cause: "the key kept changing hands" })
})

interface First {
  readonly paymentId: string
  readonly tokenHash: string
  readonly standing: Claim | null
  readonly now: number
}

const firstChange = (
  caller: Caller,
  request: HostedRequest,
  fingerprint: string | null,
  { now, paymentId, standing, tokenHash }: First
): Change => {
  const row = Result.getOrThrow(step(PaymentMachine, Start, "CustomerAwaited"))
  const payment = newPayment(caller, request, {
    id: paymentId,
    state: row.to,
    hosted: {
      tokenHash,
      returnUrl: request.returnUrl,
      cancelUrl: request.cancelUrl ?? null,
      expiresAt: now + hostedPageMillis
    },
    routing: null,
    createdAt: now
  })
  const claim = claimFor(request, fingerprint, paymentId, standing, now)
  const expected = standing?.version ?? 0
  return {
    tenant: caller.tenant,
    apiKeyHash: caller.apiKeyHash,
    payment: { expected: 0, after: payment },
    attempts: [],
    events: row.emits.map((type) => paymentEvent(type, payment)),
    claim:
      claim === null
        ? undefined
        : {
            expected,
            // Several moves, one write: the version counts writes.
            after: {
              ...moveClaim(claim, "RequestAnswered", { answeredAt: now, answer: payment }),
              version: expected + 1
            }
          }
  }
}

/**
 * It is not known whether the commit was written, or may still be. The same change again settles that: where it is
 * written now, the one that is out cannot be any more; where it is refused, its payment tells whose it was.
 */
const writeAgain = Effect.fnUntraced(function* (
  change: Change,
  key: string | null,
  fingerprint: string | null,
  created: Created,
  cause: unknown
) {
  const ledger = yield* Ledger
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const written = yield* Effect.result(commitInsistently(change))
    if (Result.isSuccess(written)) return created
    const stored = yield* Effect.option(readInsistently(ledger.payment(change.tenant, created.payment.id)))
    if (Option.isNone(stored)) break
    // Nobody else knows its token, so nothing can have happened on its page.
    if (Option.isSome(stored.value)) return created
    if (written.failure._tag === "pointsman/ApiKeyRevoked") return yield* new ApiKeyRevoked()
    if (written.failure._tag !== "pointsman/CommitUnknown") break
  }
  return yield* endUnsent(change.tenant, key, fingerprint, cause)
})
