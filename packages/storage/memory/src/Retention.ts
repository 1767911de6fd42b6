/** What leaves the maps when its time is over. `Commit.ts` and the removal take turns, so that each is one write. */
import type { Delivery, Payment, Tenant } from "@pointsman/core"
import {
  type HeldQuery,
  longestLeaseMillis,
  type MessageOutcome,
  type OldPayment,
  type PruneQuery,
  type ReadPayment,
  type Retention
} from "@pointsman/core/ports"
import { Effect, type Semaphore } from "effect"
import { bookOf } from "./Payments.ts"
import { isOpen as isOpenEntry } from "./Settlements.ts"
import { byText, copy, forTenant, ofTenant, type State, type StoredDelivery, tenantKey } from "./State.ts"

export const make = (state: State, turn: Semaphore.Semaphore): Retention => {
  const inTurn = <A>(body: () => A) => turn.withPermit(Effect.sync(body))
  const leases = new Map<string, { readonly holder: string; readonly until: number }>()
  return {
    lease: ({ holder, now, until, what = "sweep" }) =>
      Effect.sync(() => {
        const lease = leases.get(what)
        if (
          lease !== undefined &&
          lease.holder !== holder &&
          lease.until > now &&
          lease.until <= now + longestLeaseMillis
        ) {
          return false
        }
        leases.set(what, { holder, until })
        return true
      }),
    oldPayments: ({ after = "", createdBefore, limit, state: wanted, tenant }) =>
      Effect.sync(() =>
        [...ofTenant(state, tenant).payments.values()]
          .filter((payment) => payment.id > after && payment.createdAt < createdBefore)
          .filter((payment) => wanted === undefined || payment.state === wanted)
          .sort((a, b) => byText(a.id, b.id))
          .slice(0, limit)
          .map((payment) => oldPayment(state, payment))
      ),
    remove: (payments) => inTurn(() => payments.filter((one) => remove(state, one)).map(({ paymentId }) => paymentId)),
    removedPaymentOf: (tenant, { connectionId, providerRef }) =>
      Effect.sync(() => {
        const { payments, references } = ofTenant(state, tenant)
        const id = references.get(JSON.stringify([connectionId, providerRef]))
        return id === undefined || payments.has(id) ? null : id
      }),
    held: (query) => Effect.sync(() => held(state, query)),
    pruneDeliveries: (query) =>
      inTurn(() => {
        const ended = endedDeliveries(state, query.tenant, query.before).slice(0, query.limit)
        for (const { delivery } of ended) state.deliveries.delete(delivery.id)
        return ended.length
      }),
    pruneBodies: (query) => inTurn(() => pruneBodies(state, query)),
    upkeep: () => Effect.succeed({ bodies: 0, deliveries: 0 })
  }
}

const isOpen = ({ state }: Delivery): boolean => state === "Due" || state === "Sending"
const openOutcomes: ReadonlySet<MessageOutcome> = new Set(["received", "waits", "unreadable"])
const decidedOutcomes: ReadonlySet<MessageOutcome> = new Set(["applied", "confirmed", "older", "contradicts"])

const deliveriesOf = (state: State, tenant: Tenant): ReadonlyArray<StoredDelivery> =>
  [...state.deliveries.values()].filter(({ delivery }) => tenantKey(delivery.tenant) === tenantKey(tenant))

const oldPayment = (state: State, { id, tenant }: Payment): OldPayment => {
  const stored = ofTenant(state, tenant)
  const messages = [...stored.messages.values()].filter(({ paymentId }) => paymentId === id)
  const deliveries = deliveriesOf(state, tenant).filter(({ event }) => event.paymentId === id)
  return {
    book: bookOf(stored, id),
    events: copy(stored.events.filter(({ paymentId }) => paymentId === id)),
    openDeliveries: deliveries.filter(({ delivery }) => isOpen(delivery)).length,
    openMessages: messages.filter(({ outcome }) => openOutcomes.has(outcome)).length
  }
}

const remove = (state: State, { paymentId, tenant, version }: ReadPayment): boolean => {
  const stored = forTenant(state, tenant)
  const payment = stored.payments.get(paymentId)
  if (payment === undefined || payment.version !== version) return false
  const { openDeliveries, openMessages } = oldPayment(state, payment)
  if (openDeliveries > 0 || openMessages > 0) return false
  for (const { delivery, event } of deliveriesOf(state, tenant)) {
    if (event.paymentId === paymentId) state.deliveries.delete(delivery.id)
  }
  const kept = stored.events.filter((event) => event.paymentId !== paymentId)
  stored.events.splice(0, Number.POSITIVE_INFINITY, ...kept)
  for (const [name, message] of stored.messages) if (message.paymentId === paymentId) stored.messages.delete(name)
  for (const [key, claim] of stored.claims) if (claim.paymentId === paymentId) stored.claims.delete(key)
  const keys = stored.recoveredKeys.filter((key) => key.paymentId !== paymentId)
  stored.recoveredKeys.splice(0, Number.POSITIVE_INFINITY, ...keys)
  for (const { id } of stored.disputes.get(paymentId) ?? []) stored.evidence.delete(id)
  stored.disputes.delete(paymentId)
  for (const [key, entry] of stored.settlements) {
    if (entry.paymentId === paymentId && !isOpenEntry(entry)) stored.settlements.delete(key)
  }
  for (const map of [stored.attempts, stored.operations, stored.refunds, stored.checks]) map.delete(paymentId)
  if (payment.hosted !== null) state.pages.delete(payment.hosted.tokenHash)
  return stored.payments.delete(paymentId)
}

const endedDeliveries = (state: State, tenant: Tenant, before: number | null): ReadonlyArray<StoredDelivery> =>
  before === null
    ? []
    : deliveriesOf(state, tenant)
        .filter(({ delivery }) => !isOpen(delivery) && delivery.createdAt < before)
        .sort((a, b) => byText(a.delivery.id, b.delivery.id))

/** By the names of their messages, those that came first before the others. */
const decidedBodies = (state: State, tenant: Tenant, before: number | null) => {
  const { messages, payments } = ofTenant(state, tenant)
  const isReviewed = (paymentId: string | null) =>
    paymentId !== null && (payments.get(paymentId)?.review ?? null) !== null
  return [...messages].filter(
    ([, { body, outcome, paymentId, receivedAt }]) =>
      before !== null &&
      receivedAt < before &&
      body !== "" &&
      decidedOutcomes.has(outcome) &&
      (outcome !== "contradicts" || !isReviewed(paymentId))
  )
}

const pruneBodies = (state: State, { before, limit, tenant }: PruneQuery): number => {
  const { messages } = forTenant(state, tenant)
  const decided = decidedBodies(state, tenant, before).slice(0, limit)
  // An empty body is not sealed: there is nothing to decrypt.
  for (const [name, message] of decided) messages.set(name, { ...message, body: "", isSealed: false })
  return decided.length
}

const held = (state: State, { bodiesBefore, deliveriesBefore, limit, tenant }: HeldQuery) => {
  const { messages, payments } = ofTenant(state, tenant)
  const oldest = (times: ReadonlyArray<number>) =>
    times.reduce<number | null>((first, time) => (first === null || time < first ? time : first), null)
  return {
    deliveries: Math.min(limit, endedDeliveries(state, tenant, deliveriesBefore).length),
    bodies: Math.min(limit, decidedBodies(state, tenant, bodiesBefore).length),
    oldestPaymentAt: oldest([...payments.values()].map(({ createdAt }) => createdAt)),
    oldestDeliveryAt: oldest(deliveriesOf(state, tenant).map(({ delivery }) => delivery.createdAt)),
    oldestBodyAt: oldest([...messages.values()].filter(({ body }) => body !== "").map(({ receivedAt }) => receivedAt))
  }
}
