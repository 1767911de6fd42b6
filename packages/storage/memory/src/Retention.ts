/** What leaves the store when its time is over. */
import type { MessageOutcome, OldPayment, Retention, StoredMessage } from "@pointsman/core/ports"
import { referenceKey } from "./Commit.ts"
import { emptyBodies } from "./Ledger.ts"
import { all, by, drop, has, least, type Methods, page, put } from "./Records.ts"
import { isOpen as isOpenEntry, isOver } from "./Settlements.ts"
import { of, type StoredDelivery, type TenantState } from "./State.ts"

export const retention: Methods<Omit<Retention, "paymentsAtOnce">> = {
  lease: ({ leases }, { holder, now, until, what = "sweep" }) => {
    const lease = leases.get(what)
    const isFree = lease === undefined || lease.holder === holder || isOver(lease, now)
    if (isFree) put(leases, what, { holder, until })
    return isFree
  },
  oldPayments: (state, { after: id = "", createdBefore, limit, state: wanted, tenant }) => {
    const payments = all(state, "books", tenant).map(({ payment }) => payment)
    const old = payments.filter(has({ state: wanted })).filter(({ createdAt }) => createdAt < createdBefore)
    return page(old, by("id"), { after: { id }, limit }).flatMap(({ id }) => oldPayment(of(state, tenant), id) ?? [])
  },
  remove: (state, payments) =>
    payments.flatMap(({ paymentId, tenant, version }) => {
      const owned = of(state, tenant)
      const old = oldPayment(owned, paymentId)
      if (old?.book.payment.version !== version || old.openDeliveries + old.openMessages > 0) return []
      const isOf = has({ paymentId })
      const { checks, claims, disputes, events, evidence, messages, recoveredKeys } = owned
      for (const records of [checks, claims, disputes, events, evidence, messages, recoveredKeys])
        drop<string, { readonly paymentId: string | null }>(records, isOf)
      drop(owned.deliveries, ({ event }) => isOf(event))
      drop(owned.settlements, (entry) => isOf(entry) && !isOpenEntry(entry))
      owned.books.delete(paymentId)
      return [paymentId]
    }),
  removedPaymentOf: (state, tenant, reference) => {
    const { books, references } = of(state, tenant)
    const id = references.get(referenceKey(reference))
    return id === undefined || books.has(id) ? null : id
  },
  held: (state, { bodiesBefore, deliveriesBefore, limit, tenant }) => {
    const owned = of(state, tenant)
    const deliveries = [...owned.deliveries.values()]
    const messages = [...owned.messages.values()]
    return {
      deliveries: deliveries.filter(isEnded(deliveriesBefore)).slice(0, limit).length,
      bodies: messages.filter(isDecided(owned, bodiesBefore)).slice(0, limit).length,
      oldestPaymentAt: least([...owned.books.values()].map(({ payment }) => payment.createdAt)),
      oldestDeliveryAt: least(deliveries.map(({ delivery }) => delivery.createdAt)),
      oldestBodyAt: least(messages.filter(({ body }) => body !== "").map(({ receivedAt }) => receivedAt))
    }
  },
  pruneDeliveries: (state, { before, limit, tenant }) => drop(of(state, tenant).deliveries, isEnded(before), limit),
  pruneBodies: (state, { before, limit, tenant }) =>
    emptyBodies(of(state, tenant), isDecided(of(state, tenant), before), limit),
  upkeep: () => ({ bodies: 0, deliveries: 0 })
}

const isOpen = ({ delivery: { state } }: StoredDelivery): boolean => state === "Due" || state === "Sending"
const openOutcomes: ReadonlySet<MessageOutcome> = new Set(["received", "waits", "unreadable"])
const decidedOutcomes: ReadonlySet<MessageOutcome> = new Set(["applied", "confirmed", "older", "contradicts"])

const oldPayment = (
  { books, deliveries, events, messages }: TenantState,
  paymentId: string
): OldPayment | undefined => {
  const book = books.get(paymentId)
  const isOf = has({ paymentId })
  return (
    book && {
      book,
      events: [...events.values()].filter(isOf),
      openDeliveries: [...deliveries.values()].filter((one) => isOf(one.event) && isOpen(one)).length,
      openMessages: [...messages.values()].filter((one) => isOf(one) && openOutcomes.has(one.outcome)).length
    }
  )
}

const isEnded = (before: number | null) => (one: StoredDelivery) =>
  !isOpen(one) && before !== null && one.delivery.createdAt < before

/** Messages that keep a body without a need. */
const isDecided =
  ({ books }: TenantState, before: number | null) =>
  ({ body, outcome, paymentId, receivedAt }: StoredMessage): boolean => {
    const isReviewed = books.get(paymentId ?? "")?.payment.review != null
    const isOld = before !== null && receivedAt < before && body !== ""
    return isOld && decidedOutcomes.has(outcome) && !(outcome === "contradicts" && isReviewed)
  }
