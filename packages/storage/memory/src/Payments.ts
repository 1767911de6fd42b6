/** Payments with their attempts, operations and refunds. Every read asserts what was asserted at the write. */
import type { Attempt, Payment, Tenant } from "@pointsman/core"
import { brokenBalance, brokenInvariant, type ChargeReference, isSameReference } from "@pointsman/core/internal"
import type { Ledger, MessageSubject, PaymentBook, PaymentFilter, ReviewQuery } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { byPlace, byText, copy, ofTenant, type State, type TenantState, tenantKey } from "./State.ts"

export const paymentMethods = (
  state: State
): Pick<
  Ledger["Service"],
  "payment" | "book" | "bookOf" | "paymentOfPage" | "reviews" | "usage" | "payments" | "attempts"
> => ({
  payment: (tenant, id) =>
    Effect.sync(() => Option.map(Option.fromUndefinedOr(ofTenant(state, tenant).payments.get(id)), sound)),
  book: (tenant, id) => Effect.sync(() => bookIn(ofTenant(state, tenant), id)),
  bookOf: (tenant, subject) =>
    Effect.sync(() => {
      const stored = ofTenant(state, tenant)
      const [id, ...others] = subjectsIn(stored, subject)
      return Option.map(bookIn(stored, id), (book) => ({ book, others }))
    }),
  paymentOfPage: (tokenHash) =>
    Effect.sync(() => {
      const page = state.pages.get(tokenHash)
      const payment = page && ofTenant(state, page.tenant).payments.get(page.paymentId)
      return Option.map(Option.fromUndefinedOr(payment), sound)
    }),
  reviews: ({ after, byAmount, limit, paymentId, tenant }) =>
    Effect.sync(() => {
      const { compare, isAfter } = byAmount === undefined ? inOrderOfAge(after) : inOrderOfAmount(byAmount.after)
      return [...state.tenants.values()]
        .flatMap(({ payments }) => [...payments.values()])
        .filter((payment) => isReviewed(payment, tenant, paymentId) && isAfter(payment))
        .sort(compare)
        .slice(0, limit)
        .map(sound)
    }),
  usage: ({ from, until, workspaceId }) =>
    Effect.sync(() => {
      const { attempts, payments } = ofTenant(state, { workspaceId, environment: "production" })
      return [...payments.values()].filter(
        ({ createdAt, id }) => createdAt >= from && createdAt < until && (attempts.get(id) ?? []).some(reachedProvider)
      ).length
    }),
  payments: (tenant, { before, limit, ...filter }) =>
    Effect.sync(() => {
      const stored = ofTenant(state, tenant)
      return [...stored.payments.values()]
        .filter((payment) => before === undefined || payment.id < before)
        .filter((payment) => isFound(payment, stored.attempts.get(payment.id) ?? [], filter))
        .sort((a, b) => byText(b.id, a.id))
        .slice(0, limit)
        .map(sound)
    }),
  attempts: (tenant, paymentId) => Effect.sync(() => copy(ofTenant(state, tenant).attempts.get(paymentId) ?? []))
})

const isFound = (payment: Payment, attempts: ReadonlyArray<Attempt>, filter: PaymentFilter): boolean => {
  const is = <A>(expected: A | undefined, stored: A) => expected === undefined || stored === expected
  const { createdBefore, createdFrom, metadataValue, providerRef, states } = filter
  return (
    (states === undefined || states.includes(payment.state)) &&
    is(filter.reference, payment.reference) &&
    is(filter.amountMinor, payment.money.minorUnits) &&
    is(filter.currency, payment.money.currency) &&
    is(filter.connectionId, payment.connectionId) &&
    (providerRef === undefined || [payment, ...attempts].some((one) => one.providerRef === providerRef)) &&
    Object.entries(filter.metadata ?? {}).every(([name, text]) => payment.metadata?.[name] === text) &&
    (metadataValue === undefined || Object.values(payment.metadata ?? {}).includes(metadataValue)) &&
    (createdFrom === undefined || payment.createdAt >= createdFrom) &&
    (createdBefore === undefined || payment.createdAt < createdBefore)
  )
}

/** Of a payment that is stored. */
export const bookOf = (stored: TenantState, id: string): PaymentBook => Option.getOrThrow(bookIn(stored, id))

const bookIn = (stored: TenantState, id: string | undefined): Option.Option<PaymentBook> => {
  const payment = id === undefined ? undefined : stored.payments.get(id)
  return Option.map(Option.fromUndefinedOr(payment), (found) => {
    const book = {
      payment: sound(found),
      attempts: copy(stored.attempts.get(found.id) ?? []),
      operations: copy(stored.operations.get(found.id) ?? []),
      refunds: copy(stored.refunds.get(found.id) ?? [])
    }
    const broken = brokenBalance(book.payment, book.refunds)
    if (broken !== undefined) throw new Error(`Ledger: payment ${found.id}: ${broken}`)
    return book
  })
}

/** The payments that a message is about: more than one of a charge alone (see `MessageBook`). */
const subjectsIn = (stored: TenantState, subject: MessageSubject): ReadonlyArray<string> => {
  if ("connectionId" in subject) return ofCharge(stored, subject)
  const { attempts, operations, payments, refunds } = stored
  const [asked, named] =
    "attemptId" in subject
      ? [attempts, subject.attemptId]
      : "operationId" in subject
        ? [operations, subject.operationId]
        : [refunds, subject.refundId]
  // The newest: requests under one key derive one attempt id, and of the earlier ones nothing was sent.
  const found = [...payments.keys()].findLast((id) => (asked.get(id) ?? []).some((one) => one.id === named))
  return found === undefined ? [] : [found]
}

const ofCharge = ({ attempts, payments }: TenantState, charge: ChargeReference): ReadonlyArray<string> => {
  const own = [...payments.values()].filter((payment) => isSameReference(payment, charge)).map(({ id }) => id)
  const named = (id: string) => (attempts.get(id) ?? []).some((one) => isSameReference(one, charge))
  return (own.length > 0 ? own : [...payments.keys()].filter(named)).sort(byText)
}

interface ReviewOrder {
  readonly compare: (a: Payment, b: Payment) => number
  readonly isAfter: (payment: Payment) => boolean
}

const inOrderOfAge = (after: ReviewQuery["after"]): ReviewOrder => {
  const placeOf = ({ id, review }: Payment) => ({ at: review?.since ?? 0, name: id })
  return {
    compare: (a, b) => byPlace(placeOf(a), placeOf(b)),
    isAfter: (payment) =>
      after === undefined || byPlace(placeOf(payment), { at: after.since, name: after.paymentId }) > 0
  }
}

const inOrderOfAmount = (after: NonNullable<ReviewQuery["byAmount"]>["after"]): ReviewOrder => {
  const compare = (a: Pick<Payment, "id" | "money">, b: Pick<Payment, "id" | "money">) =>
    byText(a.money.currency, b.money.currency) || b.money.minorUnits - a.money.minorUnits || byText(a.id, b.id)
  return {
    compare,
    isAfter: (payment) => after === undefined || compare(payment, { id: after.paymentId, money: after.money }) > 0
  }
}

const isReviewed = (payment: Payment, tenant: Tenant | undefined, paymentId: string | undefined): boolean =>
  payment.review !== null &&
  (paymentId === undefined || payment.id === paymentId) &&
  (tenant === undefined || tenantKey(payment.tenant) === tenantKey(tenant))

/** A known outcome, and not one of those that never left this machine. */
const reachedProvider = ({ outcome }: Attempt): boolean =>
  outcome !== null && outcome !== "NotSent" && outcome !== "Abandoned"

/** Asserts at read what was asserted at write. */
export const sound = (payment: Payment): Payment => {
  const broken = brokenInvariant(payment)
  if (broken !== undefined) throw new Error(`Ledger: payment ${payment.id}: ${broken}`)
  return copy(payment)
}
