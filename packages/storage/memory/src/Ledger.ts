/**
 * Payments in maps.
 *
 * The rule that a reader would otherwise break: one change at a time, from its checks to its last write. The ids of
 * its events are drawn inside that turn too, or a follower could see a larger id before a smaller one is written.
 */
import type { Attempt, Event, Operation, Payment, Tenant } from "@pointsman/core"
import { brokenBalance, brokenInvariant } from "@pointsman/core/internal"
import {
  ApiKeyRevoked,
  brokenChange,
  type Change,
  type CommitFailure,
  Ids,
  KeyTaken,
  Ledger,
  type MessageDecision,
  type MessageNote,
  type MessageQuery,
  MessageTaken,
  type PaymentBook,
  Stale,
  type StoredMessage,
  type TenantMessage
} from "@pointsman/core/ports"
import { Effect, Option, Result, Semaphore } from "effect"
import { endpointsFor } from "./Deliveries.ts"
import { takenReference, takeReferences } from "./References.ts"
import {
  byText,
  copy,
  forTenant,
  ofTenant,
  type State,
  type StoredDelivery,
  type TenantState,
  tenantKey
} from "./State.ts"

export interface LedgerOptions {
  /** For race tests: lets other fibers run between the checks of a change and its writes. `false` unless set. */
  readonly yieldBetween?: boolean
  /** Changes take turns. Only the control of a race test sets it to `false`, to show what the turns prevent. */
  readonly turns?: boolean
}

export const make = Effect.fnUntraced(function* (state: State, options: LedgerOptions = {}) {
  const ids = yield* Ids
  const turn = Semaphore.makeUnsafe(1)

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

  const commit = Effect.fnUntraced(function* (input: Change) {
    const broken = brokenChange(input)
    if (broken !== undefined) return yield* Effect.die(new Error(`Ledger.commit: ${broken}`))
    const change = copy(input)
    yield* options.turns === false ? write(change) : turn.withPermit(write(change))
  })

  return Ledger.of({
    commit,
    payment: (tenant, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(ofTenant(state, tenant).payments.get(id)), sound)),
    book: (tenant, id) =>
      Effect.sync(() => {
        const { attempts, operations, payments, refunds } = ofTenant(state, tenant)
        return Option.map(Option.fromUndefinedOr(payments.get(id)), (payment) =>
          soundBook({
            payment: sound(payment),
            attempts: copy(attempts.get(id) ?? []),
            operations: copy(operations.get(id) ?? []),
            refunds: copy(refunds.get(id) ?? [])
          })
        )
      }),
    bookOf: (tenant, subject) =>
      Effect.sync(() => {
        const { attempts, messages, operations, payments, refunds } = ofTenant(state, tenant)
        const isOf = (asked: ReadonlyArray<{ readonly id: string }>, id: string) => asked.some((one) => one.id === id)
        const found = [...payments.values()].find(({ connectionId, id, providerRef }) => {
          if ("attemptId" in subject) return isOf(attempts.get(id) ?? [], subject.attemptId)
          if ("operationId" in subject) return isOf(operations.get(id) ?? [], subject.operationId)
          if ("refundId" in subject) return isOf(refunds.get(id) ?? [], subject.refundId)
          return connectionId === subject.connectionId && providerRef === subject.providerRef
        })
        return Option.map(Option.fromUndefinedOr(found), (payment) => ({
          book: soundBook({
            payment: sound(payment),
            attempts: copy(attempts.get(payment.id) ?? []),
            operations: copy(operations.get(payment.id) ?? []),
            refunds: copy(refunds.get(payment.id) ?? [])
          }),
          told: [...messages.values()]
            .filter(
              ({ about, paymentId }) => paymentId === payment.id && (about === "settlement" || about === "dispute")
            )
            .map(noteOf),
          // No two payments have one charge here.
          others: []
        }))
      }),
    storeMessage: (tenant, message) =>
      turn.withPermit(
        Effect.sync(() => {
          const { messages } = forTenant(state, tenant)
          const earlier = messages.get(messageKey(message))
          if (earlier === undefined) messages.set(messageKey(message), copy(message))
          return Option.map(Option.fromUndefinedOr(earlier), (stored) => copy(noteOf(stored)))
        })
      ),
    keepMessage: (tenant, message, seen) =>
      turn.withPermit(
        Effect.gen(function* () {
          const { messages, payments } = forTenant(state, tenant)
          const undecided = checkMessage(messages, message)
          if (Result.isFailure(undecided) && undecided.failure._tag === "pointsman/MessageTaken") {
            return yield* undecided.failure
          }
          if (seen !== null && payments.get(seen.paymentId)?.version !== seen.version) return yield* new Stale()
          yield* Effect.fromResult(undecided)
          decide(messages, copy(message))
        })
      ),
    message: (tenant, connectionId, eventId) =>
      Effect.sync(() =>
        Option.map(
          Option.fromUndefinedOr(ofTenant(state, tenant).messages.get(messageKey({ connectionId, eventId }))),
          copy
        )
      ),
    messages: (query) =>
      Effect.sync(() =>
        [...state.tenants.values()]
          .flatMap(({ messages, tenant }) => [...messages.values()].map((one) => ({ ...noteOf(one), tenant })))
          .filter((one) => isListed(one, query))
          .sort((a, b) => byArrival(b, a))
          .slice(0, query.limit)
          .map(copy)
      ),
    paymentOfPage: (tokenHash) =>
      Effect.sync(() => {
        const page = state.pages.get(tokenHash)
        const payment = page && ofTenant(state, page.tenant).payments.get(page.paymentId)
        return Option.map(Option.fromUndefinedOr(payment), sound)
      }),
    takeDue: ({ leaseMillis, limit, now }) =>
      Effect.sync(() => {
        const due = [...state.tenants.values()].flatMap(({ checks, payments }) =>
          [...checks].flatMap(([id, at]) => {
            const payment = payments.get(id)
            return at > now || payment === undefined ? [] : [{ at, checks, tenant: payment.tenant, paymentId: id }]
          })
        )
        const taken = due.sort((a, b) => a.at - b.at).slice(0, limit)
        for (const { checks, paymentId } of taken) checks.set(paymentId, now + leaseMillis)
        return taken.map(({ paymentId, tenant }) => ({ tenant, paymentId }))
      }),
    postpone: ({ id, tenant, version }, checkAt) =>
      Effect.sync(() => {
        const { checks, payments } = forTenant(state, tenant)
        if (payments.get(id)?.version === version) setCheck(checks, id, checkAt)
      }),
    watched: (limit) =>
      Effect.sync(() => {
        const all = [...state.tenants.values()].flatMap(({ checks, payments }) =>
          [...checks].map(([id, at]) => ({ at, pendingMinor: payments.get(id)?.refundPendingMinor ?? 0 }))
        )
        const counted = all.sort((a, b) => a.at - b.at).slice(0, limit)
        return {
          payments: counted.length,
          withRefunds: counted.filter(({ pendingMinor }) => pendingMinor > 0).length,
          firstAt: counted[0]?.at ?? null
        }
      }),
    reviews: ({ after, limit, paymentId, tenant }) =>
      Effect.sync(() =>
        [...state.tenants.values()]
          .flatMap(({ payments }) => [...payments.values()])
          .filter((payment) => isReviewed(payment, tenant, paymentId))
          .map((payment) => ({ payment, place: { at: payment.review?.since ?? 0, name: payment.id } }))
          .filter(({ place }) => after === undefined || byPlace(place, { at: after.since, name: after.paymentId }) > 0)
          .sort((a, b) => byPlace(a.place, b.place))
          .slice(0, limit)
          .map(({ payment }) => sound(payment))
      ),
    usage: ({ from, until, workspaceId }) =>
      Effect.sync(() => {
        const { attempts, payments } = ofTenant(state, { workspaceId, environment: "production" })
        return [...payments.values()].filter(
          ({ createdAt, id }) =>
            createdAt >= from && createdAt < until && (attempts.get(id) ?? []).some(reachedProvider)
        ).length
      }),
    payments: (tenant, { before, limit, states }) =>
      Effect.sync(() =>
        [...ofTenant(state, tenant).payments.values()]
          .filter((payment) => before === undefined || payment.id < before)
          .filter((payment) => states === undefined || states.includes(payment.state))
          .sort((a, b) => byText(b.id, a.id))
          .slice(0, limit)
          .map(sound)
      ),
    attempts: (tenant, paymentId) => Effect.sync(() => copy(ofTenant(state, tenant).attempts.get(paymentId) ?? [])),
    claim: (tenant, key) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(ofTenant(state, tenant).claims.get(key)), copy)),
    oldClaims: ({ after, claimedBefore, limit }) =>
      Effect.sync(() =>
        [...state.tenants.values()]
          .flatMap(({ claims, payments }) =>
            [...claims.values()].flatMap((claim) => {
              const payment = payments.get(claim.paymentId)
              return claim.claimedAt >= claimedBefore || payment === undefined ? [] : [{ claim, payment }]
            })
          )
          .map(({ claim, payment }) => ({ claim, payment, place: placeOf(claim.claimedAt, payment.tenant, claim.key) }))
          .filter(
            ({ place }) => after === undefined || byPlace(place, placeOf(after.claimedAt, after.tenant, after.key)) > 0
          )
          .sort((a, b) => byPlace(a.place, b.place))
          .slice(0, limit)
          .map(({ claim, payment }) => ({ tenant: payment.tenant, claim: copy(claim), payment: sound(payment) }))
      ),
    forgetClaims: (claims) =>
      turn.withPermit(
        Effect.sync(
          () =>
            claims.filter(({ key, tenant, version }) => {
              const stored = forTenant(state, tenant).claims
              return stored.get(key)?.version === version && stored.delete(key)
            }).length
        )
      ),
    timeline: (tenant, paymentId, { after, limit }) =>
      Effect.sync(() =>
        copy(
          ofTenant(state, tenant)
            .events.filter((event) => event.paymentId === paymentId && (after === undefined || event.id > after))
            .slice(0, limit)
        )
      ),
    events: (tenant, { after, before, limit, type }) =>
      Effect.sync(() => {
        const found = ofTenant(state, tenant).events.filter(
          (event) =>
            (type === undefined || event.type === type) &&
            (after === undefined || event.id > after) &&
            (before === undefined || event.id < before)
        )
        const oldestFirst = after !== undefined && before === undefined
        return copy((oldestFirst ? found : found.reverse()).slice(0, limit))
      })
  })
})

/** No two messages share one: JSON shows where the one id ends and the other begins. */
const messageKey = ({ connectionId, eventId }: Pick<StoredMessage, "connectionId" | "eventId">): string =>
  JSON.stringify([connectionId, eventId])

const noteOf = ({ body: _, isSealed: __, ...note }: StoredMessage): MessageNote => note

/** Fails where the message is not as the decision expects it. */
const checkMessage = (
  messages: TenantState["messages"],
  { after, expected }: MessageDecision
): Result.Result<void, Stale | MessageTaken> => {
  const stored = messages.get(messageKey(after))
  if (stored === undefined) return Result.fail(new Stale())
  return stored.outcome === expected ? Result.void : Result.fail(new MessageTaken())
}

const decide = (messages: TenantState["messages"], { after }: MessageDecision): void => {
  const stored = messages.get(messageKey(after))
  if (stored !== undefined) messages.set(messageKey(after), { ...stored, ...after, receivedAt: stored.receivedAt })
}

const byArrival = (a: Arrival, b: Arrival): number =>
  a.receivedAt - b.receivedAt || byText(a.connectionId, b.connectionId) || byText(a.eventId, b.eventId)

type Arrival = Pick<MessageNote, "receivedAt" | "connectionId" | "eventId">

const isListed = (one: TenantMessage, { before, connectionId, outcome, paymentId, tenant }: MessageQuery): boolean =>
  (before === undefined || byArrival(one, before) < 0) &&
  (connectionId === undefined || one.connectionId === connectionId) &&
  (outcome === undefined || one.outcome === outcome) &&
  (paymentId === undefined || one.paymentId === paymentId) &&
  (tenant === undefined || tenantKey(one.tenant) === tenantKey(tenant))

const isReviewed = (payment: Payment, tenant: Tenant | undefined, paymentId: string | undefined): boolean =>
  payment.review !== null &&
  (paymentId === undefined || payment.id === paymentId) &&
  (tenant === undefined || tenantKey(payment.tenant) === tenantKey(tenant))

interface Place {
  /** Epoch milliseconds. */
  readonly at: number
  readonly name: string
}

const byPlace = (a: Place, b: Place): number => a.at - b.at || byText(a.name, b.name)

const placeOf = (claimedAt: number, tenant: Tenant, key: string): Place => ({
  at: claimedAt,
  name: `${tenantKey(tenant)} ${key}`
})

/** In the port's order: the API key, the key, the message, the version, the references of charges. */
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

/** Its key among those of its kind, for as long as it holds one. */
const keyOfLive = ({ idempotencyKey, kind, outcome, reply }: Operation): string | null =>
  idempotencyKey === null || (outcome !== null && reply === null) ? null : `${kind} ${idempotencyKey}`

const isAnyTwice = (keys: ReadonlyArray<string | null>): boolean => {
  const held = keys.filter((key) => key !== null)
  return new Set(held).size < held.length
}

/** A known outcome, and not one of those that never left this machine. */
const reachedProvider = ({ outcome }: Attempt): boolean =>
  outcome !== null && outcome !== "NotSent" && outcome !== "Abandoned"

/** Replaced by id where they were, added where they are new. */
const replaced = <A extends { readonly id: string }>(
  stored: ReadonlyArray<A> = [],
  written: ReadonlyArray<A> = []
): Array<A> => {
  const byId = new Map(stored.map((one) => [one.id, one]))
  for (const one of written) byId.set(one.id, one)
  return [...byId.values()]
}

/** Ids are UUIDv7: their order is the order in which they were made. */
const byId = (a: { readonly id: string }, b: { readonly id: string }): number => byText(a.id, b.id)

/** Runs to its end without a pause: nobody sees a part of it. */
const apply = (
  state: State,
  change: Change,
  written: ReadonlyArray<Event>,
  deliveries: ReadonlyArray<StoredDelivery>
): void => {
  const { attempts, checks, claims, events, messages, operations, payments, references, refunds } = forTenant(
    state,
    change.tenant
  )
  const { id } = change.payment.after
  takeReferences(references, change)
  const before = payments.get(id)?.hosted
  if (before) state.pages.delete(before.tokenHash)
  payments.set(id, change.payment.after)
  const { hosted } = change.payment.after
  if (hosted !== null) state.pages.set(hosted.tokenHash, { tenant: change.tenant, paymentId: id })
  attempts.set(
    id,
    replaced(attempts.get(id), change.attempts).sort((a, b) => a.number - b.number)
  )
  operations.set(id, replaced(operations.get(id), change.operations).sort(byId))
  refunds.set(id, replaced(refunds.get(id), change.refunds).sort(byId))
  events.push(...written)
  for (const stored of deliveries) state.deliveries.set(stored.delivery.id, stored)
  if (change.message !== undefined) decide(messages, change.message)
  if (change.claim !== undefined) claims.set(change.claim.after.key, change.claim.after)
  setCheck(checks, id, change.checkAt ?? null)
}

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

const setCheck = (checks: Map<string, number>, paymentId: string, checkAt: number | null): void => {
  if (checkAt === null) checks.delete(paymentId)
  else checks.set(paymentId, checkAt)
}

/** Asserts at read what was asserted at write. */
const sound = (payment: Payment): Payment => {
  const broken = brokenInvariant(payment)
  if (broken !== undefined) throw new Error(`Ledger: payment ${payment.id}: ${broken}`)
  return copy(payment)
}

const soundBook = (book: PaymentBook): PaymentBook => {
  const broken = brokenBalance(book.payment, book.refunds)
  if (broken !== undefined) throw new Error(`Ledger: payment ${book.payment.id}: ${broken}`)
  return book
}
