/**
 * How a decision is written: decide, commit, and decide again on what is stored where another writer came first. A
 * commit whose answer was lost may be written, or may still be. Before something is sent, that ends the loop.
 * Afterwards what is stored is read and compared with it. No other file of core handles what a commit fails with: verbs
 * are given whether their change is surely not written, perhaps written, or always preceded by another one.
 *
 * Where another payment has a reference that a decision takes, both are reviewed, the other one first: a process that
 * dies in between finds the same again, and what is written of it is written once.
 */
import { Clock, Context, Data, Effect, Option, Result } from "effect"
import { reviewHolder } from "../decide/ReusedReference.ts"
import type { Claim } from "../model/Claim.ts"
import type { Payment } from "../model/Payment.ts"
import type { ReusedReference } from "../model/PaymentBook.ts"
import type { MessageDecision } from "../model/StoredMessage.ts"
import type { Tenant } from "../model/Tenant.ts"
import { ApiKeyRevoked, type CommitFailure, Ledger } from "../ports/Ledger.ts"
import { CommitUnknown, StorageError } from "../ports/StorageError.ts"
import { isSameCount } from "../ports/StorageHistory.ts"
import {
  another,
  type Budget,
  commitIn,
  dropKept,
  inBudget,
  newBudget,
  type Step,
  withRetries
} from "./CommitChange.ts"
import type { Lock } from "./PaymentLocks.ts"
import type { DeliveryWake } from "./WakeDelivery.ts"

/** Surely nothing is written. */
export class NotWritten extends Data.TaggedError("NotWritten")<{ readonly cause: StorageError }> {}

/** It may be written, or may be written yet. `value`: what the loop would have given. */
export class MaybeWritten<out A> extends Data.TaggedError("MaybeWritten")<{ readonly cause: CommitUnknown }> {
  readonly value: A
  constructor({ cause, value }: { readonly cause: CommitUnknown; readonly value: A }) {
    super({ cause })
    this.value = value
  }
}

/** Another writer came first every time. Surely nothing is written. */
export class Contended extends Data.TaggedError("Contended") {}

/** What a loop writes on is not stored: it never was, or another process forgot it. */
export class NotStored extends Data.TaggedError("NotStored") {}

export type Unwritten<A> = NotWritten | MaybeWritten<A> | Contended

/** `value` is what the loop gives once the step is written. */
export interface Write<W> {
  readonly _tag: "Write"
  readonly step: Step
  readonly value: W
}

/** A message that changes nothing; see `Ledger.keepMessage`. */
export interface Keep<W> {
  readonly _tag: "Keep"
  readonly tenant: Tenant
  readonly message: MessageDecision
  /** What that was decided on; `null` where it is about no payment of ours. */
  readonly seen: Payment | null
  readonly value: W
}

/** Nothing has to be written. */
export interface Done<D> {
  readonly _tag: "Done"
  readonly value: D
}

export const write = <W>(step: Step, value: W): Write<W> => ({ _tag: "Write", step, value })
export const done = <D>(value: D): Done<D> => ({ _tag: "Done", value })

/** Why what is stored is read. */
export type Conflict =
  /** Nothing was read yet; or the payment, or the key, has another version than the decision was made on. */
  | { readonly _tag: "Moved" }
  | { readonly _tag: "KeyClaimed"; readonly claim: Claim }
  | { readonly _tag: "MessageRecorded" }
  /** A commit of this loop may be written. */
  | { readonly _tag: "Unanswered" }

/** What a decision gives. One that waits for nothing is given as it is. */
type Decision<W, E, R, D> = Decided<W, D> | Effect.Effect<Decided<W, D>, E, R>
type Decided<W, D> = Write<W> | Keep<W> | Done<D>

export interface Loop<S, W, E, E2, R, R2, D> {
  /** What the first decision is made on; read where it is absent. */
  readonly first?: S
  /**
   * `lastTry` is the value of the decision that was not written, from the second one on. `reused` is the reference that
   * it took and that another payment has: the next one must not take it. Where it is written, the other payment is
   * reviewed before.
   */
  readonly decide: (
    stored: S,
    now: number,
    reused: ReusedReference | undefined,
    lastTry: W | undefined
  ) => Decision<W, E, R, D>
  readonly read: (conflict: Conflict) => Effect.Effect<S, E2 | StorageError, R2>
  /**
   * After a commit whose answer was lost. `stop`: it fails at once, because something would be sent on it. A function:
   * whether what is stored now is that very step; where it is not, the next decision is made on what is stored.
   */
  readonly afterUnknown: "stop" | ((stored: S, step: Step) => boolean)
  /**
   * Where the store fails and surely wrote nothing. Before something is sent, `fail`: nothing is lost. Afterwards
   * `retry`. Once a commit may be written, every loop tries again.
   */
  readonly storageErrors: "fail" | "retry"
  /** The lock that each try holds. It is released during a pause. */
  readonly withLock?: Lock
  /** A first try that was made on `first`, and how it failed: the loop continues from there. */
  readonly begun?: Begun<W>
}

interface Begun<W> {
  readonly sent: Write<W> | Keep<W>
  readonly failure: CommitFailure
}

export type AnyLoop = Loop<never, never, never, never, never, never, never>

/** How one try ended. */
type Tried<A> =
  | { readonly _tag: "Ended"; readonly value: A }
  | { readonly _tag: "Again"; readonly pauses: boolean }
  | { readonly _tag: "Stopped" }

/** It may be written. */
interface Unanswered<W> {
  readonly sent: Write<W> | Keep<W>
  readonly cause: CommitUnknown
}

const ended = <A>(value: A): Tried<A> => ({ _tag: "Ended", value })

/** What a first decision came to. */
type FirstTried<W, D> = { readonly _tag: "Written"; readonly value: W } | Done<D> | NotSentFirst<W>

interface NotSentFirst<W> {
  readonly _tag: "Failed"
  readonly begun: Begun<W>
}

/**
 * Runs until the decision is written, or nothing has to be, within one budget of tries and of time. Most are written at
 * once: only what follows a failure is a loop.
 */
export const decideAndCommit = <S, W, E = never, E2 = never, R = never, R2 = never, D = never>(
  loop: Loop<S, W, E, E2, R, R2, D>
) =>
  Effect.contextWith((context: Writing) => {
    const budget = newBudget(context)
    if (!("first" in loop) || loop.begun !== undefined) return tryWithin(budget, loop)
    const first = () => decideOnce(context, loop, loop.first as S, budget)
    return Effect.flatMap(loop.withLock === undefined ? first() : loop.withLock(Effect.suspend(first)), (tried) =>
      tried._tag === "Failed" ? tryWithin(budget, { ...loop, begun: tried.begun }) : Effect.succeed(tried.value)
    )
  })

/**
 * As `decideAndCommit`, first on what this process wrote last (`takeKept`). Only a decision that is written counts,
 * because the store compares its version. After any other, and where another writer came first, all begins with a read.
 */
export const commitOnKept = <S, W, E = never, E2 = never, R = never, R2 = never, D = never>(
  kept: S | undefined,
  loop: Loop<S, W, E, E2, R, R2, D>
) =>
  Effect.contextWith((context: Writing) => {
    const budget = newBudget(context)
    if (kept === undefined) return tryWithin(budget, loop)
    return Effect.matchEffect(decideOnce(context, loop, kept, budget), {
      onFailure: () => tryWithin(budget, loop),
      onSuccess: (tried) => {
        if (tried._tag === "Written") return Effect.succeed(tried.value)
        const isMoved = tried._tag === "Done" || tried.begun.failure._tag === "pointsman/Stale"
        return tryWithin(budget, isMoved ? loop : { ...loop, begun: tried.begun })
      }
    })
  })

/**
 * As `decideAndCommit`, for payments that were read together and that no caller waits for. The first try takes no lock,
 * which correctness does not need, and has no budget: only what follows a failure is limited.
 */
export const commitFirst = <S, W, E = never, E2 = never, R = never, R2 = never, D = never>(
  loop: Loop<S, W, E, E2, R, R2, D> & { readonly first: S }
) =>
  Effect.contextWith((context: Writing) =>
    Effect.flatMap(decideOnce(context, loop, loop.first), (tried) =>
      tried._tag === "Failed" ? decideAndCommit({ ...loop, begun: tried.begun }) : Effect.succeed(tried.value)
    )
  )

type Writing = Context.Context<Ledger | DeliveryWake>

/** A decision that waits for nothing is made, and its change is sent, before this returns. */
const decideOnce = <S, W, E, R, D>(
  context: Writing,
  { decide }: Pick<Loop<S, W, E, never, R, never, D>, "decide">,
  stored: S,
  budget?: Budget
): Effect.Effect<FirstTried<W, D>, E, R> => {
  const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
  const decision = decide(stored, now, undefined, undefined)
  if (!Effect.isEffect(decision)) return sendFirst(context, decision)
  const sent = Effect.flatMap(decision, (decided) => sendFirst(context, decided))
  return budget === undefined ? sent : inBudget(budget, sent)
}

const sendFirst = <W, D>(context: Writing, decided: Decided<W, D>): Effect.Effect<FirstTried<W, D>> =>
  decided._tag === "Done"
    ? Effect.succeed(decided)
    : Effect.match(sendIn(context, decided), {
        onSuccess: () => ({ _tag: "Written", value: decided.value }),
        onFailure: (failure) => {
          whereUnknown(context, failure)
          return { _tag: "Failed", begun: { sent: decided, failure } }
        }
      })

const tryWithin = <S, W, E, E2, R, R2, D>(budget: Budget, loop: Loop<S, W, E, E2, R, R2, D>) =>
  inBudget(budget, tryAgain(budget, loop))

const tryAgain = Effect.fnUntraced(function* <S, W, E, E2, R, R2, D>(
  budget: Budget,
  loop: Loop<S, W, E, E2, R, R2, D>
) {
  const { afterUnknown, begun, decide, withLock = (work) => work, read, storageErrors } = loop
  // Read below where there is no first.
  let stored = loop.first as S
  let conflict: Conflict | undefined = "first" in loop ? undefined : { _tag: "Moved" }
  let lastTry: W | undefined = begun?.sent.value
  let reused: ReusedReference | undefined
  let revoked: ApiKeyRevoked | undefined
  let storageError: StorageError | undefined
  const unanswered: Array<Unanswered<W>> = []

  const storeFailed = (cause: StorageError): Tried<never> => {
    storageError = cause
    const mayBeWritten = unanswered.length > 0
    if (mayBeWritten) conflict = { _tag: "Unanswered" }
    return storageErrors === "retry" || mayBeWritten ? { _tag: "Again", pauses: true } : { _tag: "Stopped" }
  }
  const anotherCame = (found: Conflict): Tried<never> => {
    storageError = undefined
    conflict = found._tag === "Moved" && unanswered.length > 0 ? { _tag: "Unanswered" } : found
    return { _tag: "Again", pauses: false }
  }
  const notWritten = (sent: Write<W> | Keep<W>, cause: CommitFailure): Effect.Effect<Tried<never>, ApiKeyRevoked> => {
    switch (cause._tag) {
      case "pointsman/StorageError":
        return Effect.succeed(storeFailed(cause))
      case "pointsman/Stale":
        return Effect.succeed(anotherCame({ _tag: "Moved" }))
      case "pointsman/KeyTaken":
        return Effect.succeed(anotherCame({ _tag: "KeyClaimed", claim: cause.claim }))
      case "pointsman/MessageTaken":
        return Effect.succeed(anotherCame({ _tag: "MessageRecorded" }))
      case "pointsman/ReferenceTaken":
        reused = cause
        return Effect.succeed(anotherCame({ _tag: "Moved" }))
      case "pointsman/CommitUnknown":
        unanswered.push({ sent, cause })
        conflict = { _tag: "Unanswered" }
        // A lost connection is soon replaced: the first read follows at once.
        return Effect.succeed(
          afterUnknown === "stop" ? { _tag: "Stopped" } : { _tag: "Again", pauses: unanswered.length > 1 }
        )
      case "pointsman/ApiKeyRevoked":
        if (unanswered.length === 0) return Effect.fail(cause)
        // An earlier try may have been written before the key was revoked.
        revoked = cause
        return Effect.succeed(anotherCame({ _tag: "Unanswered" }))
    }
  }

  const tryOnce: Effect.Effect<
    Tried<W | D>,
    E | Exclude<E2, StorageError> | ApiKeyRevoked,
    R | R2 | Ledger | DeliveryWake
  > = Effect.gen(function* () {
    if (conflict !== undefined) {
      const found: Result.Result<S, E2 | StorageError> = yield* Effect.result(read(conflict))
      if (Result.isFailure(found)) {
        const { failure } = found
        if (failure instanceof StorageError) return storeFailed(failure)
        return yield* Effect.fail(failure as Exclude<E2, StorageError>)
      }
      stored = found.success
      conflict = undefined
      const ours = unanswered.find(
        ({ sent }) => afterUnknown !== "stop" && sent._tag === "Write" && afterUnknown(stored, sent.step)
      )
      if (ours !== undefined) return ended(ours.sent.value)
      if (revoked !== undefined) return yield* revoked
    }
    const made = decide(stored, yield* Clock.currentTimeMillis, reused, lastTry)
    const decision = Effect.isEffect(made) ? yield* made : made
    if (decision._tag === "Done") return ended(decision.value)
    lastTry = decision.value
    if (reused !== undefined) {
      const told = yield* Effect.result(reviewOther(decision, reused))
      if (Result.isFailure(told)) return storeFailed(told.failure)
    }
    const written: Result.Result<void, CommitFailure> = yield* Effect.result(send(decision))
    return Result.isSuccess(written) ? ended(decision.value) : yield* notWritten(decision, written.failure)
  })

  let before: Tried<W | D> | undefined = begun && (yield* notWritten(begun.sent, begun.failure))
  for (;;) {
    const tried = before ?? (yield* withLock(tryOnce))
    before = undefined
    if (tried._tag === "Ended") return tried.value
    if (tried._tag === "Again" && (yield* another(budget, tried.pauses))) continue
    return yield* unwritten(unanswered.at(-1), storageError)
  }
})

/** What a loop that ends without a result fails with. `lost`: its last commit whose answer was lost. */
const unwritten = <W>(lost: Unanswered<W> | undefined, storageError: StorageError | undefined): Unwritten<W> => {
  if (lost !== undefined) return new MaybeWritten({ value: lost.sent.value, cause: lost.cause })
  return storageError === undefined ? new Contended() : new NotWritten({ cause: storageError })
}

/** Without its lock: its own writer may be waiting for the lock that this loop holds. */
const reviewOther = (
  decision: Write<unknown> | Keep<unknown>,
  reused: ReusedReference
): Effect.Effect<void, StorageError, Ledger | DeliveryWake> =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const [tenant, id] =
      decision._tag === "Write"
        ? [decision.step.tenant, decision.step.payment.after.id]
        : [decision.tenant, decision.seen?.id]
    if (id === undefined) return
    yield* decideAndCommit({
      read: () => Effect.map(ledger.payment(tenant, reused.paymentId), Option.getOrUndefined),
      decide: (holder: Payment | undefined, now) => {
        const reviewed = holder && reviewHolder(holder, { ...reused, paymentId: id }, now)
        if (holder === undefined || reviewed === undefined) return done(undefined)
        const { events, payment } = reviewed
        return write({ tenant, payment: { expected: holder.version, after: payment }, events }, undefined)
      },
      // Where it was written, it is not decided again.
      afterUnknown: () => false,
      storageErrors: "fail"
    })
  }).pipe(Effect.mapError(asStorageError("reviewing a reused reference")))

const send = (decision: Write<unknown> | Keep<unknown>) =>
  Effect.contextWith((context: Writing) =>
    Effect.tapError(sendIn(context, decision), (failure) => Effect.sync(() => whereUnknown(context, failure)))
  )

const sendIn = (context: Writing, decision: Write<unknown> | Keep<unknown>): Effect.Effect<void, CommitFailure> => {
  if (decision._tag === "Write") return commitIn(context, decision.step)
  const { message, seen, tenant } = decision
  return Context.get(context, Ledger).keepMessage(
    tenant,
    message,
    seen === null ? null : { paymentId: seen.id, version: seen.version }
  )
}

/** Where the answer of a commit is lost, a connection broke: what the store has by now is read. */
const whereUnknown = (context: Writing, { _tag }: CommitFailure): void => {
  if (_tag === "pointsman/CommitUnknown") dropKept(context)
}

/** What a loop failed with, for who knows no failure of it but the storage's. What its own decisions refuse stays. */
export const asStorageError =
  (operation: string) =>
  <E>(failure: E): StorageError | Exclude<E, Unwritten<unknown> | ApiKeyRevoked> => {
    if (failure instanceof NotWritten) return failure.cause
    const isUnwritten = failure instanceof MaybeWritten || failure instanceof Contended
    return isUnwritten || failure instanceof ApiKeyRevoked
      ? new StorageError({ operation, cause: failure })
      : (failure as Exclude<E, Unwritten<unknown> | ApiKeyRevoked>)
  }

/** Of a payment that was read before: where it is not stored any more, the storage lost it. */
export const orLost = (operation: string) =>
  Effect.fromOption(() => new StorageError({ operation, cause: "the payment is not stored" }))

/** Whether a read shows the very write whose answer was lost. */
export const isSameWrite = (read: Payment, { payment: { after } }: Step): boolean =>
  isSameCount(read.version, after.version) && read.state === after.state && read.updatedAt === after.updatedAt

/** Written once: where another writer came first, nothing is decided again. */
export const commitOnce = (step: Step) =>
  Effect.mapError(send(write(step, undefined)), (failure) => {
    switch (failure._tag) {
      case "pointsman/ApiKeyRevoked":
        return failure
      case "pointsman/StorageError":
        return new NotWritten({ cause: failure })
      case "pointsman/CommitUnknown":
        return new MaybeWritten({ value: undefined, cause: failure })
      default:
        return new Contended()
    }
  })

/**
 * For a write that may be sent twice: sent again until the store reports the result. If it never does, the answer is
 * that of the first try, also where the last one surely wrote nothing.
 */
export const writeUntilKnown = <A, E extends { readonly _tag: string }, R>(
  sendOnce: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.catchIf(
    sendOnce,
    (failure) => failure instanceof CommitUnknown,
    (unknown) =>
      Effect.mapError(withRetries(sendOnce, isUndecided), (failure) => (isUndecided(failure) ? unknown : failure))
  )

const isUndecided = (failure: { readonly _tag: string }): boolean =>
  failure instanceof CommitUnknown || failure instanceof StorageError
