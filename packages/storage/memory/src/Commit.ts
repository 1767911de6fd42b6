/**
 * Writes a change: the record of its payment after it, and what leaves with it.
 *
 * The rule that a reader would otherwise break: one change at a time, from its checks to its last write. The ids of
 * its events are drawn inside that turn too, or a follower could see a larger id before a smaller one is written.
 */
import type { Event } from "@pointsman/core"
import { brokenBook, referencesOf, versionIn } from "@pointsman/core/internal"
import {
  ApiKeyRevoked,
  brokenChange,
  type Change,
  type CommitFailure,
  Ids,
  KeyTaken,
  type Ledger,
  type MessageDecision,
  MessageTaken,
  ReferenceTaken,
  Stale,
  StorageError
} from "@pointsman/core/ports"
import { Effect, type Semaphore } from "effect"
import { isRevoked } from "./Directory.ts"
import { guarded } from "./RecordLoss.ts"
import { by, has, put, replaced, update } from "./Records.ts"
import {
  copy,
  keyOf,
  of,
  type PaymentRecord,
  recordsOf,
  type State,
  type StoredDelivery,
  type TenantState
} from "./State.ts"

export interface CommitOptions {
  /** For race tests: lets other fibers run between the checks of a change and its writes. `false` unless set. */
  readonly yieldBetween?: boolean
  /** Changes take turns. Only the control of a race test sets it to `false`, to show what the turns prevent. */
  readonly turns?: boolean
}

export const makeCommit = Effect.fnUntraced(function* (
  state: State,
  turn: Semaphore.Semaphore,
  { turns = true, yieldBetween = false }: CommitOptions
) {
  const ids = yield* Ids

  const write = Effect.fnUntraced(function* (change: Change) {
    const refused = refusalOf(state, change)
    if (refused !== undefined) return yield* refused
    const broken = brokenBy(state, change)
    if (broken !== undefined) return yield* Effect.die(new Error(`Ledger.commit: ${broken}`))
    if (yieldBetween) yield* Effect.yieldNow
    const events: Array<Event> = []
    const deliveries: Array<StoredDelivery> = []
    for (const draft of change.events) {
      const event = copy({ ...draft, id: yield* ids.event })
      events.push(event)
      // Asked inside the turn: the endpoints are those of the moment at which the change is written.
      for (const { id } of endpointsFor(state, change, event)) {
        deliveries.push(newDelivery(change, event, id, yield* ids.delivery))
      }
    }
    apply(state, change, events, deliveries)
  }, Effect.uninterruptible)

  const commit: Ledger["Service"]["commit"] = (input) => {
    const broken = brokenChange(input)
    if (broken !== undefined) return Effect.die(new Error(`Ledger.commit: ${broken}`))
    const written = write(copy(input))
    return turns ? turn.withPermit(written) : written
  }
  return (change: Change) => Effect.suspend(() => commit(change))
})

/** In the port's order: the API key, the key, the message, the version, the guard, the references of charges. */
const refusalOf = (state: State, change: Change): CommitFailure | undefined => {
  const { apiKeyHash, claim, message, payment, tenant } = change
  const { claims, messages, payments, references } = of(state, tenant)
  if (isRevoked(state, apiKeyHash)) return new ApiKeyRevoked()
  const held = claim && claims.get(claim.after.key)
  if (claim?.expected === 0 && held !== undefined) return new KeyTaken({ claim: held })
  if (claim !== undefined && claim.expected !== (held?.version ?? 0)) return new Stale()
  const undecided = message && refusedMessage(messages, message)
  if (undecided !== undefined) return undecided
  if (payment.expected !== (payments.get(payment.after.id)?.book.payment.version ?? 0)) return new Stale()
  const cause = guarded(state, change)
  if (cause !== undefined) return new StorageError({ operation: "commit", cause })
  return takenReference(references, change)
}

/** Where the message is not as the decision expects it. */
export const refusedMessage = (
  messages: TenantState["messages"],
  { after, expected }: MessageDecision
): Stale | MessageTaken | undefined => {
  const stored = messages.get(keyOf(after.connectionId, after.eventId))
  if (stored === undefined) return new Stale()
  return stored.outcome === expected ? undefined : new MessageTaken()
}

export const decide = (messages: TenantState["messages"], { after }: MessageDecision): void =>
  void update(messages, keyOf(after.connectionId, after.eventId), (stored) => ({
    ...stored,
    ...after,
    receivedAt: stored.receivedAt
  }))

/** A reference of the provider belongs to one payment of its connection. */
const takenReference = (references: TenantState["references"], change: Change): ReferenceTaken | undefined => {
  for (const { connectionId, providerRef } of referencesOf(change)) {
    const paymentId = references.get(keyOf(connectionId, providerRef))
    if (paymentId !== undefined && paymentId !== change.payment.after.id) {
      return new ReferenceTaken({ connectionId, providerRef, paymentId })
    }
  }
  return undefined
}

/** What makes a change unwritable beside what is stored; `undefined` for a sound one. */
const brokenBy = (state: State, change: Change): string | undefined => {
  const before = of(state, change.tenant).payments.get(change.payment.after.id)
  const after = recordAfter(state, before, change).book
  const { hosted } = after.payment
  const isNewPage = hosted !== null && hosted.tokenHash !== before?.book.payment.hosted?.tokenHash
  if (isNewPage && ofPage(state, hosted.tokenHash) !== undefined) return "another payment has the same hosted page"
  return brokenBook(after, before?.book)
}

export const ofPage = (state: State, tokenHash: string) =>
  recordsOf(state).find(({ book }) => book.payment.hosted?.tokenHash === tokenHash)?.book.payment

/** The record once the change is written. */
const recordAfter = (state: State, before: PaymentRecord | undefined, change: Change): PaymentRecord =>
  copy({
    book: {
      payment: inHistory(state, change.payment.after),
      attempts: replaced(before?.book.attempts, change.attempts, by("number")),
      operations: replaced(before?.book.operations, change.operations, by("sentAt", "id")),
      refunds: replaced(before?.book.refunds, change.refunds, by("sentAt", "id"))
    },
    disputes: replaced(before?.disputes, change.disputes),
    evidence: replaced(before?.evidence, change.evidence),
    check: change.checkAt == null ? null : { at: change.checkAt, connectionId: change.checkedConnection ?? null }
  })

const inHistory = <A extends { readonly version: number }>({ history }: State, after: A): A => ({
  ...after,
  version: versionIn(history, after.version)
})

/** The endpoints that an event of the change goes to. */
const endpointsFor = ({ webhookEndpoints }: State, { tenant }: Change, { type }: Event) =>
  [...webhookEndpoints.values()]
    .filter(has({ active: true, workspaceId: tenant.workspaceId, environment: tenant.environment }))
    .filter(({ events }) => events.includes("*") || events.includes(type))

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

/** Runs to its end without a pause: nobody sees a part of it. */
const apply = (
  state: State,
  change: Change,
  events: ReadonlyArray<Event>,
  deliveries: ReadonlyArray<StoredDelivery>
): void => {
  const { claim, message, payment, tenant } = change
  const { id } = payment.after
  const stored = of(state, tenant)
  for (const { connectionId, isTaken, providerRef } of referencesOf(change)) {
    if (isTaken) stored.references.set(keyOf(connectionId, providerRef), id)
  }
  put(stored.payments, id, recordAfter(state, stored.payments.get(id), change))
  stored.events.push(...events)
  for (const one of deliveries) put(stored.deliveries, one.delivery.id, one)
  if (message !== undefined) decide(stored.messages, message)
  if (claim !== undefined) put(stored.claims, claim.after.key, inHistory(state, claim.after))
}
