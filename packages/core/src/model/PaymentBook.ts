import type { Attempt } from "./Attempt.ts"
import type { Dispute } from "./Dispute.ts"
import type { Event } from "./Event.ts"
import type { Operation } from "./Operation.ts"
import type { Payment } from "./Payment.ts"
import { columnOf, type Refund } from "./Refund.ts"
import type { SettlementEntry } from "./SettlementEntry.ts"

/** One payment, with everything that was asked of providers for it. */
export interface PaymentBook {
  readonly payment: Payment
  /** In the order of their numbers. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Oldest first. */
  readonly operations: ReadonlyArray<Operation>
  /** Oldest first. */
  readonly refunds: ReadonlyArray<Refund>
}

/** What a change writes of a book: the payment, and entries that are inserted, or replaced by id. */
export interface BookWrite {
  readonly payment: Payment
  readonly attempts?: ReadonlyArray<Attempt> | undefined
  readonly operations?: ReadonlyArray<Operation> | undefined
  readonly refunds?: ReadonlyArray<Refund> | undefined
}

/** The book as it is once the change is written. `book`: absent for a payment that is not stored yet. */
export const bookAfter = (
  book: PaymentBook | undefined,
  { attempts, operations, payment, refunds }: BookWrite
): PaymentBook => ({
  payment,
  attempts: written(book?.attempts, attempts, byNumber),
  operations: written(book?.operations, operations, bySending),
  refunds: written(book?.refunds, refunds, bySending)
})

const written = <A extends { readonly id: string }>(
  stored: ReadonlyArray<A> = [],
  some: ReadonlyArray<A> = [],
  order: (a: A, b: A) => number
): ReadonlyArray<A> => {
  if (some.length === 0) return stored
  return [...new Map([...stored, ...some].map((one) => [one.id, one])).values()].sort(order)
}

const byNumber = (a: Attempt, b: Attempt): number => a.number - b.number

type Sent = Pick<Operation, "id" | "sentAt">
const bySending = (a: Sent, b: Sent): number => a.sentAt - b.sentAt || (a.id < b.id ? -1 : 1)

/**
 * What no store writes of a book, and no read gives: see `brokenInvariant` for the payment. `before`: the book as it is
 * stored, for what a payment keeps from its creation.
 */
export const brokenBook = ({ operations, payment, refunds }: PaymentBook, before?: PaymentBook): string | undefined => {
  const { createdAt, money } = before?.payment ?? payment
  if (createdAt !== payment.createdAt) return "the payment was created at another time"
  if (money.minorUnits !== payment.money.minorUnits || money.currency !== payment.money.currency) {
    return "the payment was created for another amount"
  }
  if (isAnyTwice(refunds.map(({ idempotencyKey }) => idempotencyKey))) return "two refunds have the same key"
  if (isAnyTwice(operations.map(keyOfLive))) return "two operations have the same key"
  return brokenBalance(payment, refunds)
}

/** Its key among those of its kind, for as long as it has one. */
const keyOfLive = ({ idempotencyKey, kind, outcome, reply }: Operation): string | null =>
  idempotencyKey === null || (outcome !== null && reply === null) ? null : `${kind} ${idempotencyKey}`

const isAnyTwice = (keys: ReadonlyArray<string | null>): boolean => {
  const used = keys.filter((key) => key !== null)
  return new Set(used).size < used.length
}

/**
 * What was given back of a payment, and what is reserved for it. The payment carries these sums over its refunds for
 * its readers; every write of a refund derives them anew, and every store compares the two. In minor units.
 */
export interface RefundTotals {
  readonly refundedMinor: number
  readonly refundPendingMinor: number
}

export const refundTotals = (refunds: ReadonlyArray<Pick<Refund, "stage" | "money">>): RefundTotals => {
  let refundedMinor = 0
  let refundPendingMinor = 0
  for (const { stage, money } of refunds) {
    if (columnOf[stage] === "refunded") refundedMinor += money.minorUnits
    if (columnOf[stage] === "pending") refundPendingMinor += money.minorUnits
  }
  return { refundedMinor, refundPendingMinor }
}

/** What is wrong between a payment and the entries that it must follow from; `undefined` when nothing is. */
export const brokenBalance = (
  payment: Pick<Payment, "refundedMinor" | "refundPendingMinor">,
  refunds: ReadonlyArray<Pick<Refund, "stage" | "money">>
): string | undefined => {
  const totals = refundTotals(refunds)
  return totals.refundedMinor === payment.refundedMinor && totals.refundPendingMinor === payment.refundPendingMinor
    ? undefined
    : `the refunds add up to ${totals.refundedMinor} and ${totals.refundPendingMinor} pending, the payment says ` +
        `${payment.refundedMinor} and ${payment.refundPendingMinor}`
}

/** What moves a stored payment, as a change writes it. */
export const movedPayment = (before: PaymentBook, after: Payment) => ({
  expected: before.payment.version,
  before,
  after
})

/** All that is stored of a payment: its row with metadata, its attempts, operations and refunds, and its timeline. */
export interface WholePayment {
  readonly book: PaymentBook
  /** Oldest first. */
  readonly events: ReadonlyArray<Event>
  /** Oldest first, without the evidence that is kept for them. Read for the removal; absent where there are none. */
  readonly disputes?: ReadonlyArray<Dispute> | undefined
  /** What is stored of rows of reports about it, in the order of their times. Read and absent as `disputes`. */
  readonly settlements?: ReadonlyArray<SettlementEntry> | undefined
}

/** A payment that is old enough to be looked at; `whyKept` decides whether it may leave the store. */
export interface OldPayment extends WholePayment {
  /** Deliveries of its events that are due or being sent. */
  readonly openDeliveries: number
  /** Messages about it that are not decided, or that could not be read. */
  readonly openMessages: number
}

/** A provider's name of a charge. It belongs to one payment of the connection. */
export interface ChargeReference {
  readonly connectionId: string
  /** The provider's. */
  readonly providerRef: string
}

/** A reference that another payment of the connection has. */
export interface ReusedReference extends ChargeReference {
  /** The other payment. */
  readonly paymentId: string
}

/** A reference that a change names. */
export interface NamedReference extends ChargeReference {
  /** `false`: of a charge that moved no money. Nothing is sent under it, so its payment does not take it. */
  readonly isTaken: boolean
}

const mayHoldMoney: ReadonlySet<Attempt["outcome"]> = new Set(["Authorized", "Captured", "Pending", "Mismatched"])

type Charged = Pick<Payment, "connectionId" | "providerRef">
type Written = Charged & Pick<Payment, "reported">

/** A payment as a change writes it. */
export interface WrittenPayment {
  /** As it is stored: a reference that it has is recorded already. */
  readonly before?: { readonly payment: Written } | undefined
  readonly after: Written
}

/**
 * The references of the payment's own charge, unless it keeps that, and of its attempts, each once; those that it takes
 * first. Then the ids of its captures, where they are new: a message may name its charge by nothing else.
 */
export const referencesOf = ({
  attempts,
  payment: { after, before: stored }
}: {
  readonly attempts: ReadonlyArray<Pick<Attempt, "connectionId" | "providerRef" | "outcome">>
  readonly payment: WrittenPayment
}): ReadonlyArray<NamedReference> => {
  const before = stored?.payment
  const found: Array<NamedReference> = []
  const name = ({ connectionId, providerRef }: Charged, isTaken: boolean) => {
    if (connectionId === null || providerRef === null) return
    const reference = { connectionId, providerRef, isTaken }
    if (!found.some((one) => isSameReference(one, reference))) found.push(reference)
  }
  const isKept = before?.connectionId === after.connectionId && before?.providerRef === after.providerRef
  if (!isKept) name(after, true)
  for (const attempt of attempts) if (mayHoldMoney.has(attempt.outcome)) name(attempt, true)
  for (const attempt of attempts) name(attempt, false)
  const named = before?.connectionId === after.connectionId ? before.reported?.captures : undefined
  for (const { id } of after.reported?.captures ?? []) {
    if (named?.some((one) => one.id === id) !== true) name({ ...after, providerRef: id }, false)
  }
  return found
}

/** Storages keep other text in another form, whose beginning does not say how the text begins. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

export const isSameReference = (
  one: { readonly connectionId: string | null; readonly providerRef: string | null },
  { connectionId, providerRef }: ChargeReference
): boolean => one.connectionId === connectionId && one.providerRef === providerRef

/** A kind and an id. `checkout`, without one: of every payment with a page of a provider, whose address is sealed. */
export type Name = `${"attempt" | "operation" | "refund" | "providerRefund" | "checkout"} ${string}`

/** What the entries of a book are named by, beside references of charges. */
export const namesOf = ({
  attempts,
  operations = [],
  refunds = []
}: Pick<BookWrite, "operations" | "refunds"> & Pick<PaymentBook, "attempts">): ReadonlyArray<Name> => [
  ...attempts.map(({ id }): Name => `attempt ${id}`),
  ...operations.map(({ id }): Name => `operation ${id}`),
  ...refunds.flatMap(
    ({ id, providerRefundId }): ReadonlyArray<Name> => [
      `refund ${id}`,
      ...(providerRefundId === null ? [] : [`providerRefund ${providerRefundId}` as const])
    ]
  )
]
