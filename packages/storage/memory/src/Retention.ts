/** What leaves the store when its time is over. */
import type { HeldQuery, MessageOutcome, OldPayment, Retention, StoredMessage } from "@pointsman/core/ports"
import { emptyBodies } from "./Ledger.ts"
import { by, drop, has, type Methods, page, put } from "./Records.ts"
import { isOpen as isOpenEntry, isOver } from "./Settlements.ts"
import { keyOf, of, type PaymentRecord, recordsOf, type StoredDelivery, type TenantState } from "./State.ts"

export const retention: Methods<Omit<Retention, "paymentsAtOnce">> = {
  lease: ({ leases }, { holder, now, until, what = "sweep" }) => {
    const lease = leases.get(what)
    const isFree = lease === undefined || lease.holder === holder || isOver(lease, now)
    if (isFree) put(leases, what, { holder, until })
    return isFree
  },
  oldPayments: (state, { after: id = "", createdBefore, limit, state: wanted, tenant }) =>
    page(
      recordsOf(state, tenant).map((record) => ({ ...record.book.payment, record })),
      by("id"),
      { after: { id }, limit, where: (one) => one.createdAt < createdBefore && has({ state: wanted })(one) }
    ).map(({ record }) => oldPayment(of(state, tenant), record)),
  remove: (state, payments) =>
    payments.flatMap(({ paymentId, tenant, version }) => {
      const stored = of(state, tenant)
      const record = stored.payments.get(paymentId)
      if (record?.book.payment.version !== version) return []
      const { openDeliveries, openMessages } = oldPayment(stored, record)
      if (openDeliveries + openMessages > 0) return []
      stored.events = stored.events.filter((event) => event.paymentId !== paymentId)
      drop(stored.deliveries, ({ event }) => event.paymentId === paymentId)
      for (const records of [stored.messages, stored.claims, stored.recoveredKeys])
        drop<{ readonly paymentId: string | null }>(records, has({ paymentId }))
      drop(stored.settlements, (entry) => entry.paymentId === paymentId && !isOpenEntry(entry))
      stored.payments.delete(paymentId)
      return [paymentId]
    }),
  removedPaymentOf: (state, tenant, { connectionId, providerRef }) => {
    const { payments, references } = of(state, tenant)
    const id = references.get(keyOf(connectionId, providerRef))
    return id === undefined || payments.has(id) ? null : id
  },
  held: (state, query) => held(of(state, query.tenant), query),
  pruneDeliveries: (state, { before, limit, tenant }) => {
    const { deliveries } = of(state, tenant)
    const ended = new Set(
      page(
        [...deliveries.values()].filter(isEnded(before)).map(({ delivery }) => delivery),
        by("id"),
        { limit }
      )
    )
    return drop(deliveries, ({ delivery }) => ended.has(delivery))
  },
  pruneBodies: (state, { before, limit, tenant }) => {
    const stored = of(state, tenant)
    return emptyBodies(stored, isDecided(stored, before), limit)
  },
  upkeep: () => ({ bodies: 0, deliveries: 0 })
}

const isOpen = ({ delivery: { state } }: StoredDelivery): boolean => state === "Due" || state === "Sending"
const openOutcomes: ReadonlySet<MessageOutcome> = new Set(["received", "waits", "unreadable"])
const decidedOutcomes: ReadonlySet<MessageOutcome> = new Set(["applied", "confirmed", "older", "contradicts"])

const oldPayment = ({ deliveries, events, messages }: TenantState, { book }: PaymentRecord): OldPayment => {
  const isOf = has({ paymentId: book.payment.id })
  return {
    book,
    events: events.filter(isOf),
    openDeliveries: [...deliveries.values()].filter((one) => isOf(one.event) && isOpen(one)).length,
    openMessages: [...messages.values()].filter((one) => isOf(one) && openOutcomes.has(one.outcome)).length
  }
}

const isEnded = (before: number | null) => (one: StoredDelivery) =>
  !isOpen(one) && before !== null && one.delivery.createdAt < before

/** Messages that keep a body without a need. */
const isDecided =
  ({ payments }: TenantState, before: number | null) =>
  ({ body, outcome, paymentId, receivedAt }: StoredMessage): boolean => {
    const isReviewed = payments.get(paymentId ?? "")?.book.payment.review != null
    const isOld = before !== null && receivedAt < before && body !== ""
    return isOld && decidedOutcomes.has(outcome) && !(outcome === "contradicts" && isReviewed)
  }

const held = (stored: TenantState, { bodiesBefore, deliveriesBefore, limit }: HeldQuery) => {
  const oldest = (times: ReadonlyArray<number>) => (times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)))
  const deliveries = [...stored.deliveries.values()]
  const messages = [...stored.messages.values()]
  return {
    deliveries: deliveries.filter(isEnded(deliveriesBefore)).slice(0, limit).length,
    bodies: messages.filter(isDecided(stored, bodiesBefore)).slice(0, limit).length,
    oldestPaymentAt: oldest([...stored.payments.values()].map(({ book }) => book.payment.createdAt)),
    oldestDeliveryAt: oldest(deliveries.map(({ delivery }) => delivery.createdAt)),
    oldestBodyAt: oldest(messages.filter(({ body }) => body !== "").map(({ receivedAt }) => receivedAt))
  }
}
