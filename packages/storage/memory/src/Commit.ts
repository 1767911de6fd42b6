/**
 * Writes a change to the maps.
 *
 * The rule that a reader would otherwise break: one change at a time, from its checks to its last write. The ids of
 * its events are drawn inside that turn too, or a follower could see a larger id before a smaller one is written.
 */
import type { Event, Operation } from "@pointsman/core"
import { brokenBalance, versionIn } from "@pointsman/core/internal"
import {
  ApiKeyRevoked,
  brokenChange,
  type Change,
  type CommitFailure,
  Ids,
  KeyTaken,
  Stale,
  StorageError
} from "@pointsman/core/ports"
import { Effect, Result, type Semaphore } from "effect"
import { setCheck } from "./Checks.ts"
import { endpointsFor } from "./Deliveries.ts"
import { takeDisputes } from "./Disputes.ts"
import { checkMessage, decide } from "./Messages.ts"
import { guarded } from "./RecordLoss.ts"
import { takenReference, takeReferences } from "./References.ts"
import { byText, copy, forTenant, ofTenant, type State, type StoredDelivery, tenantKey } from "./State.ts"

export interface CommitOptions {
  /** For race tests: lets other fibers run between the checks of a change and its writes. `false` unless set. */
  readonly yieldBetween?: boolean
  /** Changes take turns. Only the control of a race test sets it to `false`, to show what the turns prevent. */
  readonly turns?: boolean
}

export const makeCommit = Effect.fnUntraced(function* (
  state: State,
  turn: Semaphore.Semaphore,
  options: CommitOptions
) {
  const ids = yield* Ids

  const write = Effect.fnUntraced(function* (change: Change) {
    yield* Effect.fromResult(check(state, change))
    const broken = brokenBy(state, change)
    if (broken !== undefined) return yield* Effect.die(new Error(`Ledger.commit: ${broken}`))
    if (options.yieldBetween === true) yield* Effect.yieldNow
    const events = yield* Effect.forEach(change.events, (draft) => Effect.map(ids.event, (id) => ({ ...draft, id })))
    // Asked inside the turn: the endpoints are those of the moment at which the change is written.
    const deliveries = yield* Effect.forEach(events, (event) =>
      Effect.forEach(endpointsFor(state, change, event), (endpoint) =>
        Effect.map(ids.delivery, (id) => newDelivery(change, event, endpoint.id, id))
      )
    )
    apply(state, change, events, deliveries.flat())
  }, Effect.uninterruptible)

  return Effect.fnUntraced(function* (input: Change) {
    const broken = brokenChange(input)
    if (broken !== undefined) return yield* Effect.die(new Error(`Ledger.commit: ${broken}`))
    const change = copy(input)
    yield* options.turns === false ? write(change) : turn.withPermit(write(change))
  })
})

/** In the port's order: the API key, the key, the message, the version, the guard, the references of charges. */
const check = (state: State, change: Change): Result.Result<void, CommitFailure> => {
  const { apiKeyHash, claim, message, payment, tenant } = change
  const { claims, messages, payments, references } = ofTenant(state, tenant)
  if (apiKeyHash !== undefined && state.apiKeys.get(apiKeyHash)?.revokedAt !== null) {
    return Result.fail(new ApiKeyRevoked())
  }
  if (claim !== undefined) {
    const stored = claims.get(claim.after.key)
    if (claim.expected === 0 && stored !== undefined) return Result.fail(new KeyTaken({ claim: copy(stored) }))
    if (claim.expected !== (stored?.version ?? 0)) return Result.fail(new Stale())
  }
  const undecided = message === undefined ? Result.void : checkMessage(messages, message)
  if (Result.isFailure(undecided)) return undecided
  if (payment.expected !== (payments.get(payment.after.id)?.version ?? 0)) return Result.fail(new Stale())
  const cause = guarded(state, change)
  if (cause !== undefined) return Result.fail(new StorageError({ operation: "commit", cause }))
  const taken = takenReference(references, change)
  return taken === undefined ? Result.void : Result.fail(taken)
}

/** What makes a change unwritable beside what is stored; `undefined` for a sound one. */
const brokenBy = (state: State, change: Change): string | undefined => {
  const { id, hosted } = change.payment.after
  const { operations, refunds } = ofTenant(state, change.tenant)
  const refundsAfter = replaced(refunds.get(id), change.refunds)
  const page = hosted === null ? undefined : state.pages.get(hosted.tokenHash)
  if (page !== undefined && (page.paymentId !== id || tenantKey(page.tenant) !== tenantKey(change.tenant))) {
    return "another payment has the same hosted page"
  }
  if (isAnyTwice(refundsAfter.map(({ idempotencyKey }) => idempotencyKey))) return "two refunds have the same key"
  if (isAnyTwice(replaced(operations.get(id), change.operations).map(keyOfLive))) {
    return "two operations have the same key"
  }
  return brokenBalance(change.payment.after, refundsAfter)
}

/** Its key among those of its kind, for as long as it has one. */
const keyOfLive = ({ idempotencyKey, kind, outcome, reply }: Operation): string | null =>
  idempotencyKey === null || (outcome !== null && reply === null) ? null : `${kind} ${idempotencyKey}`

const isAnyTwice = (keys: ReadonlyArray<string | null>): boolean => {
  const used = keys.filter((key) => key !== null)
  return new Set(used).size < used.length
}

/** Replaced by id where they were, added where they are new. */
const replaced = <A extends { readonly id: string }>(
  stored: ReadonlyArray<A> = [],
  written: ReadonlyArray<A> = []
): Array<A> => {
  const byId = new Map(stored.map((one) => [one.id, one]))
  for (const one of written) byId.set(one.id, one)
  return [...byId.values()]
}

interface Sent {
  readonly id: string
  readonly sentAt: number
}

const bySending = (a: Sent, b: Sent): number => a.sentAt - b.sentAt || byText(a.id, b.id)

/** Runs to its end without a pause: nobody sees a part of it. */
const apply = (
  state: State,
  change: Change,
  written: ReadonlyArray<Event>,
  deliveries: ReadonlyArray<StoredDelivery>
): void => {
  const stored = forTenant(state, change.tenant)
  const { attempts, checks, claims, events, messages, operations, payments, references, refunds } = stored
  const { id } = change.payment.after
  takeReferences(references, change)
  const before = payments.get(id)?.hosted
  if (before) state.pages.delete(before.tokenHash)
  payments.set(id, inHistory(state, change.payment.after))
  const { hosted } = change.payment.after
  if (hosted !== null) state.pages.set(hosted.tokenHash, { tenant: change.tenant, paymentId: id })
  attempts.set(
    id,
    replaced(attempts.get(id), change.attempts).sort((a, b) => a.number - b.number)
  )
  operations.set(id, replaced(operations.get(id), change.operations).sort(bySending))
  refunds.set(id, replaced(refunds.get(id), change.refunds).sort(bySending))
  takeDisputes(stored, change)
  events.push(...written)
  for (const one of deliveries) state.deliveries.set(one.delivery.id, one)
  if (change.message !== undefined) decide(messages, change.message)
  if (change.claim !== undefined) claims.set(change.claim.after.key, inHistory(state, change.claim.after))
  setCheck(checks, id, change)
}

const inHistory = <A extends { readonly version: number }>({ history }: State, after: A): A => ({
  ...after,
  version: versionIn(history, after.version)
})

const newDelivery = (change: Change, event: Event, endpointId: string, id: string): StoredDelivery => ({
  delivery: {
    id,
    tenant: change.tenant,
    endpointId,
    eventId: event.id,
    state: "Due",
    failures: 0,
    attempts: 0,
    dueAt: change.deliverAt ?? event.createdAt,
    createdAt: event.createdAt
  },
  event,
  attempts: []
})
