/** Payments, and what is stored with them; `Commit.ts` writes a change. */
import type { Payment, Tenant } from "@pointsman/core"
import { isPlainText, isSameReference, wasNeverSent } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import { Option, Result } from "effect"
import { decide, messageOf, ofPage } from "./Commit.ts"
import { all, by, descending, find, has, isWithin, type Methods, newest, page, put, update } from "./Records.ts"
import { keyOf, of, type State, type TenantState, tenantKey, tenantsOf } from "./State.ts"

export const ledger: Methods<Omit<Ports.Ledger["Service"], "commit">> = {
  payment: (state, tenant, id) => Option.map(find(of(state, tenant).books, id), paymentOf),
  book: (state, tenant, id) => find(of(state, tenant).books, id),
  bookOf: (state, tenant, subject) => {
    const named = Ports.namedBySubject(subject)
    const books = booksOf(state, tenant)
    const [book, ...others] =
      typeof named === "string"
        ? Ports.ofName(Ports.withName(books, [named]), named)
        : Ports.ofCharge(
            books.filter(({ attempts, payment }) => [payment, ...attempts].some((one) => isSameReference(one, named))),
            named
          )
    return book ? Option.some({ book, others: others.map((one) => paymentOf(one).id) }) : Option.none()
  },
  paymentOfPage: (state, tokenHash) => Option.fromUndefinedOr(ofPage(state, tokenHash)),
  payments: (state, tenant, query) => newest(all(state, "books", tenant).filter(isFound(query)).map(paymentOf), query),
  search: (state, tenant, query) => {
    const { before, limit, walkAtMost } = query
    const walked = newest(all(state, "books", tenant).map(paymentOf), { before, limit: walkAtMost })
    const books = walked.flatMap(({ id }) => of(state, tenant).books.get(id) ?? [])
    const payments = books.filter(isFound(query)).map(paymentOf).slice(0, limit)
    const isCut = walked.length === walkAtMost && payments.length < limit
    return { payments, walkedTo: isCut ? (walked.at(-1)?.id ?? null) : null }
  },
  attempts: (state, tenant, id) => of(state, tenant).books.get(id)?.attempts ?? [],
  reviews: (state, { after, byAmount, limit, paymentId, tenant }) => {
    const reviewed = all(state, "books", tenant)
      .map(paymentOf)
      .filter(has({ id: paymentId }))
      .flatMap((payment) =>
        payment.review ? [{ ...placeOf(payment, payment.id), since: payment.review.since, payment }] : []
      )
    const last = byAmount?.after && placeOf(byAmount.after, byAmount.after.paymentId)
    const found =
      byAmount === undefined
        ? page(reviewed, by("since", "paymentId"), { after, limit })
        : page(reviewed, by("currency", "missing", "paymentId"), { after: last, limit })
    return found.map(({ payment }) => payment)
  },
  usage: (state, { from, until, workspaceId }) =>
    all(state, "books", { workspaceId, environment: "production" })
      .filter(({ payment }) => isWithin(payment.createdAt, from, until))
      .filter(({ attempts }) => attempts.some((one) => one.outcome !== null && !wasNeverSent(one))).length,
  timeline: (state, tenant, paymentId, { after = "", limit }) =>
    all(state, "events", tenant, { paymentId })
      .filter(({ id }) => id > after)
      .slice(0, limit),
  events: (state, tenant, { after, before, limit, type }) => {
    const found = all(state, "events", tenant, { type }).filter(
      ({ id }) => (after === undefined || id > after) && (before === undefined || id < before)
    )
    return (after !== undefined && before === undefined ? found : found.reverse()).slice(0, limit)
  },

  claim: (state, tenant, key) => find(of(state, tenant).claims, key),
  oldClaims: (state, { after, claimedBefore, limit }) => {
    const old = tenantsOf(state).flatMap(({ books, claims, tenant }) =>
      [...claims.values()].flatMap((claim) => {
        const payment = books.get(claim.paymentId)?.payment
        const isOld = claim.claimedAt < claimedBefore
        return payment && isOld ? [{ ...claim, owner: tenantKey(tenant), found: { tenant, claim, payment } }] : []
      })
    )
    const last = after && { ...after, owner: tenantKey(after.tenant) }
    return page(old, by("claimedAt", "owner", "key"), { after: last, limit }).map(({ found }) => found)
  },
  forgetClaims: (state, claims) =>
    claims.filter(({ key, tenant, version }) => {
      const stored = of(state, tenant).claims
      return stored.get(key)?.version === version && stored.delete(key)
    }).length,
  message: (state, tenant, connectionId, eventId) => find(of(state, tenant).messages, keyOf(connectionId, eventId)),
  messages: (state, { before, connectionId, limit, namesAttemptFrom, outcome, paymentId, tenant }) => {
    const found = tenantsOf(state, tenant).flatMap(({ books, messages, tenant }) => {
      const namesAttempt = ({ connectionId, subjectId: providerRef }: Ports.StoredMessage) =>
        [...books.values()].some(({ attempts }) =>
          attempts.some((one) => isSameReference(one, { connectionId, providerRef }))
        )
      return [...messages.values()]
        .filter(has({ connectionId, outcome, paymentId }))
        .filter((one) => namesAttemptFrom === undefined || (one.receivedAt >= namesAttemptFrom && namesAttempt(one)))
        .map((message) => ({ ...noteOf(message), tenant }))
    })
    return page(found, descending(by("receivedAt", "connectionId", "eventId")), { after: before, limit })
  },
  storeMessage: (state, tenant, message) => {
    const { messages } = of(state, tenant)
    const key = keyOf(message.connectionId, message.eventId)
    const earlier = Option.map(find(messages, key), noteOf)
    if (Option.isNone(earlier)) put(messages, key, message)
    return earlier
  },
  keepMessage: (state, tenant, message, seen) => {
    const owned = of(state, tenant)
    const isMoved = seen !== null && owned.books.get(seen.paymentId)?.payment.version !== seen.version
    const refused =
      Ports.messageRefusal(message, messageOf(owned, message.after)?.outcome) ??
      (isMoved ? new Ports.Stale() : undefined)
    return refused === undefined ? Result.succeed(decide(owned, message)) : Result.fail(refused)
  },
  eraseTexts: (state, tenant, { events, paymentId }) => {
    const owned = of(state, tenant)
    for (const { data, id } of events) update(owned.events, id, { data }, has({ paymentId }))
    for (const [id, { event }] of owned.deliveries)
      update(owned.deliveries, id, { event: owned.events.get(event.id) ?? event })
    return emptyBodies(owned, (message) => message.paymentId === paymentId && message.body !== "")
  },

  takeDue: (state, { leaseMillis, limit, limitPerConnection, now, underWay }) => {
    const counts = new Map(underWay)
    const due = dueAt(state, now).flatMap((check) => {
      const place = counts.get(check.connectionId) ?? 0
      counts.set(check.connectionId, place + 1)
      return place < limitPerConnection ? [{ ...check, place }] : []
    })
    return page(due, by("place", "at"), { limit }).map(({ connectionId, paymentId, tenant }) => {
      put(of(state, tenant).checks, paymentId, { tenant, paymentId, connectionId, at: now + leaseMillis })
      return { tenant, paymentId, connectionId }
    })
  },
  postpone: (state, { id, tenant, version }, at) => {
    const { books, checks } = of(state, tenant)
    if (books.get(id)?.payment.version !== version) return
    if (at === null) checks.delete(id)
    else put(checks, id, { tenant, paymentId: id, connectionId: checks.get(id)?.connectionId ?? null, at })
  },
  watched: (state, limit) => {
    const counted = dueAt(state, Number.POSITIVE_INFINITY).slice(0, limit)
    const pending = counted.map(({ paymentId, tenant }) => of(state, tenant).books.get(paymentId)?.payment)
    return {
      payments: counted.length,
      withRefunds: pending.filter((payment) => payment !== undefined && payment.refundPendingMinor > 0).length,
      firstAt: counted[0]?.at ?? null
    }
  },
  dueByConnection: (state, { limit, now }) =>
    [...Map.groupBy(dueAt(state, now), ({ connectionId }) => connectionId)].map(([connectionId, due]) => ({
      connectionId,
      payments: Math.min(limit, due.length)
    })),

  dispute: (state, tenant, id) => find(of(state, tenant).disputes, id),
  disputes: (state, tenant, { before, limit, paymentId, status }) =>
    newest(all(state, "disputes", tenant, { paymentId, status }), { before, limit }),
  dueDisputes: (state, { after, limit, now }) => {
    const due = tenantsOf(state).flatMap(({ disputes, tenant }) =>
      [...disputes.values()].flatMap(({ checkAt, id: disputeId, paymentId }) =>
        checkAt !== null && checkAt <= now ? [{ tenant, paymentId, disputeId, checkAt }] : []
      )
    )
    return page(due, by("checkAt", "disputeId"), { after, limit })
  },
  evidence: (state, tenant, paymentId, id) => {
    const kept = of(state, tenant).evidence.get(id)
    return kept?.paymentId === paymentId && kept.sealed !== "" ? Option.some(kept.sealed) : Option.none()
  }
}

const paymentOf = ({ payment }: Ports.PaymentBook): Payment => payment

const noteOf = ({ body: _, isSealed: __, ...note }: Ports.StoredMessage): Ports.MessageNote => note

/** Empties bodies of messages; gives how many. An empty one is not sealed: there is nothing to decrypt. */
export const emptyBodies = (
  { messages }: TenantState,
  fits: (message: Ports.StoredMessage) => boolean,
  limit?: number
): number => {
  const emptied = [...messages].filter(([, message]) => fits(message)).slice(0, limit)
  for (const [key] of emptied) update(messages, key, { body: "", isSealed: false })
  return emptied.length
}

/** Those that wait longest first. */
const dueAt = (state: State, now: number) =>
  all(state, "checks")
    .filter(({ at }) => at <= now)
    .toSorted(by("at"))

const isFound =
  (filter: Ports.PaymentFilter) =>
  ({ attempts, payment }: Ports.PaymentBook): boolean => {
    const { connectionId, createdBefore, createdFrom, providerRef, reference, referencePrefix, states } = filter
    const metadata = payment.metadata ?? {}
    return (
      has({ connectionId, reference })(payment) &&
      (referencePrefix === undefined || beginsWith(payment.reference ?? "", referencePrefix)) &&
      has({ currency: filter.currency, minorUnits: filter.amountMinor })(payment.money) &&
      (states?.includes(payment.state) ?? true) &&
      [payment, ...attempts].some(has({ providerRef })) &&
      has(filter.metadata ?? {})(metadata) &&
      (filter.metadataValue === undefined || Object.values(metadata).includes(filter.metadataValue)) &&
      isWithin(payment.createdAt, createdFrom, createdBefore)
    )
  }

const beginsWith = (text: string, prefix: string): boolean =>
  text.startsWith(prefix) && isPlainText(text) && isPlainText(prefix)

/** Those of a tenant, oldest first. */
export const booksOf = (state: State, tenant: Tenant): ReadonlyArray<Ports.PaymentBook> => {
  const byId = by("id")
  return all(state, "books", tenant).sort((a, b) => byId(a.payment, b.payment))
}

/** The largest of a currency first. */
const placeOf = ({ money: { currency, minorUnits } }: Pick<Payment, "money">, paymentId: string) => ({
  paymentId,
  currency,
  missing: -minorUnits
})
