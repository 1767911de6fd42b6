/** Payments with their attempts, operations and refunds. Every read asserts what was asserted at the write. */
import type { Attempt, Payment, Tenant } from "@pointsman/core"
import { brokenBalance, brokenInvariant } from "@pointsman/core/internal"
import type { Ledger, MessageSubject, PaymentBook } from "@pointsman/core/ports"
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
      // No two payments have one charge here.
      return Option.map(bookIn(stored, subjectIn(stored, subject)), (book) => ({ book, others: [] }))
    }),
  paymentOfPage: (tokenHash) =>
    Effect.sync(() => {
      const page = state.pages.get(tokenHash)
      const payment = page && ofTenant(state, page.tenant).payments.get(page.paymentId)
      return Option.map(Option.fromUndefinedOr(payment), sound)
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
        ({ createdAt, id }) => createdAt >= from && createdAt < until && (attempts.get(id) ?? []).some(reachedProvider)
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
  attempts: (tenant, paymentId) => Effect.sync(() => copy(ofTenant(state, tenant).attempts.get(paymentId) ?? []))
})

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

/** The payment that a message is about. */
const subjectIn = (
  { attempts, operations, payments, refunds }: TenantState,
  subject: MessageSubject
): string | undefined => {
  const isOf = (asked: ReadonlyArray<{ readonly id: string }>, id: string) => asked.some((one) => one.id === id)
  return [...payments.values()].find(({ connectionId, id, providerRef }) => {
    if ("attemptId" in subject) return isOf(attempts.get(id) ?? [], subject.attemptId)
    if ("operationId" in subject) return isOf(operations.get(id) ?? [], subject.operationId)
    if ("refundId" in subject) return isOf(refunds.get(id) ?? [], subject.refundId)
    return connectionId === subject.connectionId && providerRef === subject.providerRef
  })?.id
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
