/** Payments, and what is stored with them; `Commit.ts` writes a change. */
import type { Attempt, Dispute, Event, Payment, Tenant } from "@pointsman/core"
import { isSameReference } from "@pointsman/core/internal"
import {
  Ledger,
  type MessageNote,
  type MessageSubject,
  type PaymentFilter,
  Stale,
  type StoredMessage
} from "@pointsman/core/ports"
import { Effect, Option, Result, Semaphore } from "effect"
import { type CommitOptions, decide, makeCommit, ofPage, refusedMessage } from "./Commit.ts"
import {
  by,
  descending,
  find,
  has,
  isWithin,
  type Methods,
  named,
  newestFirst,
  page,
  port,
  put,
  update
} from "./Records.ts"
import {
  copy,
  keyOf,
  of,
  type PaymentRecord,
  recordsOf,
  type State,
  type TenantState,
  tenantKey,
  tenantsOf
} from "./State.ts"

export const make = Effect.fnUntraced(function* (
  state: State,
  options: CommitOptions = {},
  turn = Semaphore.makeUnsafe(1)
) {
  const commit = yield* makeCommit(state, turn, options)
  return Ledger.of({ commit, ...port(state, reads), ...port(state, writes, turn) })
})

type Name = "forgetClaims" | "storeMessage" | "keepMessage" | "eraseTexts"

const reads: Methods<Omit<Ledger["Service"], Name | "commit">> = {
  payment: (state, tenant, id) => Option.map(find(of(state, tenant).payments, id), paymentOf),
  book: (state, tenant, id) => Option.map(find(of(state, tenant).payments, id), ({ book }) => book),
  bookOf: (state, tenant, subject) => {
    const [found, ...others] = namedBy(recordsOf(state, tenant), subject)
    return found ? Option.some({ book: found.book, others: others.map((one) => paymentOf(one).id) }) : Option.none()
  },
  paymentOfPage: (state, tokenHash) => Option.fromUndefinedOr(ofPage(state, tokenHash)),
  payments: (state, tenant, { before: id, limit, ...filter }) => {
    const found = recordsOf(state, tenant).filter((record) => isFound(record, filter))
    return page(found.map(paymentOf), newestFirst, { after: named(id), limit })
  },
  attempts: (state, tenant, id) => of(state, tenant).payments.get(id)?.book.attempts ?? [],
  reviews: (state, { after, byAmount, limit, paymentId: id, tenant }) => {
    const reviewed = recordsOf(state, tenant)
      .map(paymentOf)
      .filter(has({ id }))
      .flatMap((payment) =>
        payment.review === null ? [] : [{ ...placeOf(payment), since: payment.review.since, payment }]
      )
    const found =
      byAmount === undefined
        ? page(reviewed, by("since", "id"), { after: after && { since: after.since, id: after.paymentId }, limit })
        : page(reviewed, by("currency", "missing", "id"), {
            after: byAmount.after && placeOf({ ...byAmount.after, id: byAmount.after.paymentId }),
            limit
          })
    return found.map(({ payment }) => payment)
  },
  usage: (state, { from, until, workspaceId }) =>
    recordsOf(state, { workspaceId, environment: "production" }).filter(
      ({ book }) => isWithin(book.payment.createdAt, from, until) && book.attempts.some(reachedProvider)
    ).length,
  timeline: (state, tenant, paymentId, { after = "", limit }) =>
    of(state, tenant)
      .events.filter((event) => event.paymentId === paymentId && event.id > after)
      .slice(0, limit),
  events: (state, tenant, { after, before, limit, type }) => {
    const found = of(state, tenant).events.filter(
      (event) =>
        has({ type })(event) && (after === undefined || event.id > after) && (before === undefined || event.id < before)
    )
    return (after !== undefined && before === undefined ? found : found.reverse()).slice(0, limit)
  },

  claim: (state, tenant, key) => find(of(state, tenant).claims, key),
  oldClaims: (state, { after, claimedBefore, limit }) => {
    const all = tenantsOf(state).flatMap(({ claims, payments, tenant }) =>
      [...claims.values()].flatMap((claim) => {
        const record = payments.get(claim.paymentId)
        return record && claim.claimedAt < claimedBefore
          ? [{ ...claim, owner: tenantKey(tenant), found: { tenant, claim, payment: paymentOf(record) } }]
          : []
      })
    )
    const last = after && { ...after, owner: tenantKey(after.tenant) }
    return page(all, by("claimedAt", "owner", "key"), { after: last, limit }).map(({ found }) => found)
  },
  message: (state, tenant, connectionId, eventId) => find(of(state, tenant).messages, keyOf(connectionId, eventId)),
  messages: (state, { before, connectionId, limit, namesAttemptFrom, outcome, paymentId, tenant }) => {
    const found = tenantsOf(state, tenant).flatMap(({ messages, payments, tenant }) =>
      [...messages.values()]
        .filter(has({ connectionId, outcome, paymentId }))
        .filter(({ connectionId, receivedAt, subjectId: providerRef }) => {
          if (namesAttemptFrom === undefined) return true
          const isNamed = ({ book }: PaymentRecord) =>
            book.attempts.some((one) => isSameReference(one, { connectionId, providerRef }))
          return receivedAt >= namesAttemptFrom && [...payments.values()].some(isNamed)
        })
        .map((message) => ({ ...noteOf(message), tenant }))
    )
    return page(found, descending(by("receivedAt", "connectionId", "eventId")), { after: before, limit })
  },
  takeDue: (state, { leaseMillis, limit, limitPerConnection, now, underWay }) => {
    const counts = new Map(underWay)
    const due = dueAt(state, now).flatMap((one) => {
      const place = counts.get(one.connectionId) ?? 0
      counts.set(one.connectionId, place + 1)
      return place < limitPerConnection ? [{ ...one, place }] : []
    })
    return page(due, by("place", "at"), { limit }).map(({ connectionId, paymentId, tenant }) => {
      const check = { at: now + leaseMillis, connectionId }
      update(of(state, tenant).payments, paymentId, (record) => ({ ...record, check }))
      return { tenant, paymentId, connectionId }
    })
  },
  postpone: (state, { id, tenant, version }, checkAt) =>
    void update(of(state, tenant).payments, id, (record) => {
      const check = checkAt === null ? null : { at: checkAt, connectionId: record.check?.connectionId ?? null }
      return record.book.payment.version === version ? { ...record, check } : undefined
    }),
  watched: (state, limit) => {
    const counted = dueAt(state, Number.POSITIVE_INFINITY).slice(0, limit)
    return {
      payments: counted.length,
      withRefunds: counted.filter(({ pendingMinor }) => pendingMinor > 0).length,
      firstAt: counted[0]?.at ?? null
    }
  },
  dueByConnection: (state, { limit, now }) =>
    [...Map.groupBy(dueAt(state, now), ({ connectionId }) => connectionId)].map(([connectionId, due]) => ({
      connectionId,
      payments: Math.min(limit, due.length)
    })),

  dispute: (state, tenant, id) => Option.fromUndefinedOr(disputesOf(state, tenant).find(has({ id }))),
  disputes: (state, tenant, { before: id, limit, paymentId, status }) =>
    page(disputesOf(state, tenant), newestFirst, {
      after: named(id),
      limit,
      where: has({ paymentId, status })
    }),
  dueDisputes: (state, { after, limit, now }) => {
    const due = tenantsOf(state).flatMap(({ tenant }) =>
      disputesOf(state, tenant).flatMap(({ checkAt, id, paymentId }) =>
        checkAt !== null && checkAt <= now ? [{ tenant, paymentId, disputeId: id, checkAt }] : []
      )
    )
    return page(due, by("checkAt", "disputeId"), { after, limit })
  },
  evidence: (state, tenant, paymentId, id) => {
    const kept = of(state, tenant).payments.get(paymentId)?.evidence.find(has({ id }))
    return kept?.sealed ? Option.some(kept.sealed) : Option.none()
  }
}

const writes: Methods<Pick<Ledger["Service"], Name>> = {
  forgetClaims: (state, claims) =>
    claims.filter(({ key, tenant, version }) => {
      const stored = of(state, tenant).claims
      return stored.get(key)?.version === version && stored.delete(key)
    }).length,
  storeMessage: (state, tenant, message) => {
    const { messages } = of(state, tenant)
    const key = keyOf(message.connectionId, message.eventId)
    const earlier = Option.map(find(messages, key), noteOf)
    if (Option.isNone(earlier)) put(messages, key, message)
    return earlier
  },
  keepMessage: (state, tenant, message, seen) => {
    const { messages, payments } = of(state, tenant)
    const isMoved = seen !== null && payments.get(seen.paymentId)?.book.payment.version !== seen.version
    const refused = refusedMessage(messages, message) ?? (isMoved ? new Stale() : undefined)
    return refused === undefined ? Result.succeed(decide(messages, message)) : Result.fail(refused)
  },
  eraseTexts: (state, tenant, { events, paymentId }) => {
    const stored = of(state, tenant)
    const data = new Map(events.map((event) => [event.id, event.data]))
    const erased = (event: Event): Event => {
      const after = event.paymentId === paymentId ? data.get(event.id) : undefined
      return after === undefined ? event : copy({ ...event, data: after })
    }
    stored.events = stored.events.map(erased)
    for (const [id, one] of stored.deliveries) put(stored.deliveries, id, { ...one, event: erased(one.event) })
    return emptyBodies(stored, (message) => message.paymentId === paymentId && message.body !== "")
  }
}

const paymentOf = ({ book }: PaymentRecord): Payment => book.payment

const disputesOf = (state: State, tenant: Tenant): ReadonlyArray<Dispute> =>
  recordsOf(state, tenant).flatMap(({ disputes }) => disputes)

const noteOf = ({ body: _, isSealed: __, ...note }: StoredMessage): MessageNote => note

/** Empties bodies of messages; gives how many. An empty one is not sealed: there is nothing to decrypt. */
export const emptyBodies = ({ messages }: TenantState, fits: (message: StoredMessage) => boolean, limit?: number) => {
  const emptied = [...messages].filter(([, message]) => fits(message)).slice(0, limit)
  for (const [key, message] of emptied) put(messages, key, { ...message, body: "", isSealed: false })
  return emptied.length
}

/** Those that wait longest first. */
const dueAt = (state: State, now: number) =>
  recordsOf(state)
    .flatMap(({ book: { payment }, check }) =>
      check === null || check.at > now
        ? []
        : [{ ...check, tenant: payment.tenant, paymentId: payment.id, pendingMinor: payment.refundPendingMinor }]
    )
    .sort(by("at"))

const isFound = ({ book: { attempts, payment } }: PaymentRecord, filter: PaymentFilter): boolean => {
  const { amountMinor, connectionId, createdBefore, createdFrom, currency, metadataValue, providerRef, reference } =
    filter
  const metadata = payment.metadata ?? {}
  return (
    has({ connectionId, reference })(payment) &&
    has({ currency, minorUnits: amountMinor })(payment.money) &&
    (filter.states?.includes(payment.state) ?? true) &&
    [payment, ...attempts].some(has({ providerRef })) &&
    has(filter.metadata ?? {})(metadata) &&
    (metadataValue === undefined || Object.values(metadata).includes(metadataValue)) &&
    isWithin(payment.createdAt, createdFrom, createdBefore)
  )
}

/** The payments that a message is about: more than one of a charge alone (see `MessageBook`). */
const namedBy = (records: ReadonlyArray<PaymentRecord>, subject: MessageSubject): ReadonlyArray<PaymentRecord> => {
  if ("connectionId" in subject) {
    const own = records.filter(({ book }) => isSameReference(book.payment, subject))
    const named = records.filter(({ book }) => book.attempts.some((one) => isSameReference(one, subject)))
    return (own.length > 0 ? own : named).sort((a, b) => by("id")(paymentOf(a), paymentOf(b)))
  }
  // The newest: requests under one key derive one attempt id, and of the earlier ones nothing was sent.
  return records
    .filter(({ book: { attempts, operations, refunds } }) => {
      if ("attemptId" in subject) return attempts.some(has({ id: subject.attemptId }))
      if ("operationId" in subject) return operations.some(has({ id: subject.operationId }))
      return refunds.some(has({ id: subject.refundId }))
    })
    .slice(-1)
}

/** The largest of a currency first. */
const placeOf = ({ id, money }: Pick<Payment, "id" | "money">) => ({
  id,
  currency: money.currency,
  missing: -money.minorUnits
})

/** A known outcome, and not one of those that never left this machine. */
const reachedProvider = ({ outcome }: Attempt): boolean =>
  outcome !== null && outcome !== "NotSent" && outcome !== "Abandoned"
