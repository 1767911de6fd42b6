/**
 * How a capture, a void, a refund and an answer to a dispute are claimed, and how their results are recorded. Nothing is
 * sent on a claim of which it is not known whether it was written. Once the provider may have been asked, a store that
 * fails is no reason to say that nothing happened.
 */
import { Clock, Context, Data, Effect, Option, Result } from "effect"
import { Accounts } from "../call/Accounts.ts"
import { OpenConnections } from "../call/CallProvider.ts"
import { NothingSent } from "../decide/CreateRequest.ts"
import { type OtherAccount, ofOtherAccount, otherAccount } from "../decide/interpret/OtherAccount.ts"
import { ProviderRefused, TakenByAnother } from "../decide/OperationOrder.ts"
import type { Attempt } from "../model/Attempt.ts"
import type { Connection } from "../model/Connection.ts"
import { movedPayment, type PaymentBook } from "../model/PaymentBook.ts"
import { Directory } from "../ports/Directory.ts"
import { KeyRecovered, RecordsMissing, recoveryRetryMillis } from "../ports/RecordLoss.ts"
import { NotAdmitted } from "../ports/StorageCondition.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Background, keepTrying } from "./Background.ts"
import {
  type AnyLoop,
  Contended,
  commitOnce,
  commitOnKept,
  type Loop,
  MaybeWritten,
  NotWritten
} from "./DecideAndCommit.ts"
import { PaymentLocks } from "./PaymentLocks.ts"

type Wait<W> = new (fields: { readonly retryAfterMillis: number }) => W

/**
 * Writes a claim, once. `wait`: what a request is refused with that may have been sent before records were lost.
 * `releaseClaim` takes the place of a claim whose write has an unknown result, or withdraws it. `kept`: what
 * this process wrote last, to decide on first.
 */
export const claimCall = <S, W, E, E2, R, R2, D, Waits, R3>(
  loop: Pick<Loop<S, W, E, E2, R, R2, D>, "decide" | "read">,
  wait: Wait<Waits>,
  releaseClaim: (claimed: W) => Effect.Effect<unknown, unknown, R3>,
  kept?: S | undefined
) =>
  Effect.catch(
    commitOnKept(kept, { ...loop, afterUnknown: "stop", storageErrors: "fail" }),
    Effect.fnUntraced(function* (failure) {
      if (failure instanceof NotWritten) return yield* Effect.fail(whyUnclaimed(failure.cause, wait))
      if (failure instanceof MaybeWritten) {
        const back = releaseClaim(failure.value)
        yield* Effect.catch(back, () => Effect.flatMap(Background, ({ run }) => run(keepTrying(back))))
        return yield* new NothingSent({ cause: failure.cause })
      }
      if (failure instanceof OtherAccountOpened) return yield* refuseOtherAccount(failure)
      if (failure instanceof Contended) return yield* new TakenByAnother()
      return yield* Effect.fail(failure as Exclude<typeof failure, OtherAccountOpened>)
    })
  )

const whyUnclaimed = <W>(error: StorageError, wait: Wait<W>): W | NotAdmitted | NothingSent => {
  const { cause } = error
  if (cause instanceof NotAdmitted) return cause
  return cause instanceof RecordsMissing || cause instanceof KeyRecovered
    ? new wait({ retryAfterMillis: recoveryRetryMillis })
    : new NothingSent({ cause: error })
}

/** What would be asked at the connection is not about this payment's charge: it opens another account by now. */
class OtherAccountOpened extends Data.TaggedError("OtherAccountOpened")<{
  readonly book: PaymentBook
  readonly connectionId: string
  readonly attemptId: string
  readonly other: OtherAccount
}> {}

/** Nothing is sent, and operations review the payment. Where the review cannot be written, a later one is. */
const refuseOtherAccount = Effect.fnUntraced(function* ({ attemptId, book, connectionId, other }: OtherAccountOpened) {
  const { tenant } = book.payment
  const about = { _tag: "OtherAccount", subject: { attempt_id: attemptId }, ...other } as const
  const meaning = ofOtherAccount(book, connectionId, about, yield* Clock.currentTimeMillis)
  const applied = "applied" in meaning ? meaning.applied : undefined
  if (applied !== undefined) {
    const { payment: after, ...beside } = applied
    yield* Effect.catch(commitOnce({ tenant, payment: movedPayment(book, after), ...beside }), (cause) =>
      Effect.logWarning(`the review of payment ${book.payment.id} could not be recorded`, cause)
    )
  }
  return yield* new ProviderRefused({
    message: "Nothing was sent to the provider: the connection's credentials open another account than the payment's."
  })
})

/** The connection at which the attempt's charge is. `gone`: what the request is refused with where there is none. */
export const connectionInAccount = <Gone>(
  book: PaymentBook,
  connectionId: string,
  attempt: Attempt | undefined,
  gone: () => Gone
) =>
  Effect.contextWith((context: Context.Context<Accounts | Directory>) =>
    Effect.matchEffect(Context.get(context, Directory).connections(book.payment.tenant), {
      onFailure: (cause) => Effect.fail(new NothingSent({ cause })),
      onSuccess: (all): Effect.Effect<Connection, Gone | OtherAccountOpened> => {
        const connection = all.find(({ id }) => id === connectionId)
        if (connection === undefined) return Effect.fail(gone())
        const other = attempt && otherAccount(attempt, connection, Context.get(context, Accounts).current(connection))
        return other === undefined
          ? Effect.succeed(connection)
          : Effect.fail(new OtherAccountOpened({ book, connectionId, attemptId: attempt?.id ?? "", other }))
      }
    })
  )

export const connectorOf = (connection: Connection) =>
  Effect.flatMap(OpenConnections, ({ connector }) =>
    Effect.mapError(
      connector(connection),
      () => new ProviderRefused({ message: "Nothing was sent to the provider: the connection is not usable." })
    )
  )

/** Records what a provider answered to the call `id`. `None`: that failed, and `again` is tried until it works. */
export const recordAnswer = Effect.fnUntraced(function* <A, R>(
  { id, paymentId }: { readonly id: string; readonly paymentId: string },
  record: (how: Pick<AnyLoop, "storageErrors" | "withLock">) => Effect.Effect<A, unknown, R>,
  again = record
) {
  const withLock = (yield* PaymentLocks).take(paymentId)
  const recorded = yield* Effect.result(Effect.catchDefect(record({ storageErrors: "retry", withLock }), Effect.fail))
  if (Result.isSuccess(recorded)) return Option.some(recorded.success)
  yield* Effect.logError(`the result of ${id} could not be recorded; retrying`, recorded.failure)
  const retried = Effect.catchDefect(again({ storageErrors: "fail", withLock }), Effect.fail)
  yield* (yield* Background).run(keepTrying(retried))
  return Option.none<A>()
})
