/** A lost key whose charge was recovered: its claim is refused, and the recovered payment answers. */
import { Effect, Option } from "effect"
import { decideAndCommit, done, NotWritten, write } from "../../commit/DecideAndCommit.ts"
import {
  type Caller,
  type Created,
  type CreateRequest,
  KeyReused,
  PaymentResultUnknown,
  RequestInProgress
} from "../../decide/CreateRequest.ts"
import { keyRetentionMillis, moveClaim, newClaim } from "../../model/Claim.ts"
import type { Payment } from "../../model/Payment.ts"
import { statusOf } from "../../model/PaymentMachine.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { KeyRecovered, RecordsMissing, recoveryRetryMillis } from "../../ports/RecordLoss.ts"
import { NotAdmitted } from "../../ports/StorageCondition.ts"
import { endUnsent, free, type ResolvedKey, readClaim, resolveClaim } from "./ReplayCreate.ts"

/**
 * What a claim that was not written is answered, or what its key was answered before. `unguarded` is the same claim without
 * the guard of its key, for where what was recovered under the key is over: then it is a new request.
 */
export const whenNotClaimed = Effect.fnUntraced(function* <A, E, R>(
  caller: Caller,
  request: CreateRequest,
  fingerprint: string | null,
  refused: NotWritten,
  unguarded: Effect.Effect<A, E | NotWritten, R>
) {
  const { idempotencyKey: key } = request
  const isNotWritten = (failure: E | NotWritten): failure is NotWritten => failure instanceof NotWritten
  const answer = Effect.fnUntraced(function* ({ cause: error }: NotWritten) {
    const { cause } = error
    if (cause instanceof NotAdmitted) return yield* cause
    if (key !== null && fingerprint !== null) {
      if (cause instanceof KeyRecovered) return yield* answerFromRecovered(caller, request, key, fingerprint, cause)
      if (cause instanceof RecordsMissing) {
        return yield* new RequestInProgress({ retryAfterMillis: recoveryRetryMillis })
      }
    }
    return yield* endUnsent(caller.tenant, key, fingerprint, cause instanceof RecordsMissing ? cause : error)
  })
  const answered = (yield* answer(refused)) ?? (yield* Effect.catchIf(unguarded, isNotWritten, answer))
  return answered ?? (yield* unknown("the key kept changing hands"))
})

/** It is not known what the key was answered. */
const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: "", cause })

interface Standing {
  readonly standing: ResolvedKey
  /** What is stored of the recovered payments. */
  readonly found: ReadonlyArray<Payment>
}

/** `undefined` where the key is over. */
const answerFromRecovered = Effect.fnUntraced(function* (
  { apiKeyHash, tenant }: Caller,
  request: CreateRequest,
  key: string,
  fingerprint: string,
  { paymentIds }: KeyRecovered
) {
  return yield* decideAndCommit({
    read: Effect.fnUntraced(function* (conflict) {
      const claim = yield* readClaim(tenant, key, conflict)
      const standing = claim === null ? free(null) : yield* resolveClaim(tenant, fingerprint, claim)
      const found = yield* Effect.forEach(paymentIds, (id) => Effect.flatMap(Ledger, (it) => it.payment(tenant, id)))
      return { standing, found: found.flatMap((one) => Option.toArray(one)) }
    }),
    decide: Effect.fnUntraced(function* ({ found, standing }: Standing, now) {
      if (standing._tag === "Answered") return done<Created | undefined>(standing.created)
      const living = found.filter((payment) => !isRetentionOver(payment, now))
      const holding = living.find(holdsMoney)
      // It is at the provider, and could not be recorded.
      if (holding === undefined && found.length < paymentIds.length) {
        return yield* unknown("what a recovery found under the key is not stored")
      }
      const payment = holding ?? living.toSorted((a, b) => b.createdAt - a.createdAt)[0]
      if (payment === undefined) return done<Created | undefined>(undefined)
      const { money } = request.details
      // What the request said besides was lost with its fingerprint.
      if (money.currency !== payment.money.currency || money.minorUnits !== payment.money.minorUnits) {
        return yield* new KeyReused()
      }
      const answer = { ...payment, idempotencyKey: key, version: payment.version + 1 }
      const claimed = newClaim({ key, fingerprint, paymentId: payment.id, claimedAt: payment.createdAt })
      const answered = moveClaim(claimed, "RequestAnswered", { answeredAt: now, answer })
      const before = standing.claim?.version ?? 0
      const step = {
        tenant,
        apiKeyHash,
        payment: { expected: payment.version, after: answer },
        events: [],
        // Two moves, one write: the version counts writes.
        claim: { expected: before, after: { ...answered, version: before + 1 } }
      }
      return write<Created | undefined>(step, { payment: answer, isReplay: true })
    }),
    // Where it was written, the key has its answer.
    afterUnknown: () => false,
    storageErrors: "fail"
  }).pipe(
    Effect.catchTags({
      NotWritten: ({ cause }) => Effect.fail(unknown(cause)),
      MaybeWritten: ({ cause }) => Effect.fail(unknown(cause)),
      Contended: () => Effect.fail(unknown("other writers kept winning"))
    })
  )
})

/** As for a key that was answered before its payment was settled; what may still be charged keeps the key. */
const isRetentionOver = ({ settledAt, state }: Payment, now: number): boolean =>
  statusOf[state] !== "UNKNOWN" && settledAt !== null && now >= settledAt + keyRetentionMillis

const holdsMoney = ({ authorizedMinor }: Payment): boolean => authorizedMinor > 0
