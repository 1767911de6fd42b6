/**
 * How a payment is stored in its row: columns for guarded and searched fields, and two JSON texts. `details` holds what a
 * create decides, which hardly ever changes. `book` holds the rest: attempts, captures, voids and refunds.
 *
 * A text leaves out a value that follows from the columns or is usual. The functions that write and read a record use the
 * same `usual`, so that a value reads as it was written.
 */
import type { Attempt, Claim, Operation, Payment, Refund, RoutingDecision } from "@pointsman/core"
import { brokenBook, brokenInvariant } from "@pointsman/core/internal"
import type { PaymentBook } from "@pointsman/core/ports"
import {
  type Created,
  type Decided,
  decided,
  details,
  type Moved,
  moving,
  packAnswer,
  packDecision,
  packTried,
  readClaimText,
  type Shown,
  triedOf,
  unpackAnswer,
  unpackDecision,
  unpackTried,
  usualOutcome
} from "./AnswerText.ts"
import type { Row } from "./Columns.ts"
import { idOf, isSame, type Packed, packing, shortId } from "./Packing.ts"

/** What a row has in columns of their own. */
export type BookColumns = Omit<Payment, keyof Created | keyof Moved | "routing">

const isKept = <A extends object>(before: A | null, after: A | null, fields: ReadonlyArray<keyof A>): boolean =>
  before === after || (before !== null && after !== null && fields.every((field) => before[field] === after[field]))

/** Whether a change leaves the `details` of a payment, and its reference, as they are. */
export const keepsDetails = (before: Payment, after: Payment): boolean =>
  isKept(before, after, [...details.fields, "reference"]) &&
  isKept<Decided>(before.routing, after.routing, decided.fields)

export const detailsText = (payment: Payment): string =>
  JSON.stringify({ ...details.pack(payment), ...(payment.routing && { r: packDecision(payment.routing) }) })

// What was asked of providers.

const attempt = packing<Omit<Attempt, "decline" | "id">>({
  claimedBy: ["b", null],
  paymentId: ["pi"],
  number: ["n"],
  connectionId: ["c"],
  account: ["a", null],
  money: ["m"],
  timeoutMillis: ["t", 30_000],
  sentAt: ["s"],
  answeredAt: ["e"],
  outcome: ["o"],
  providerRef: ["p"],
  declineCategory: ["dc", null],
  code: ["k", null],
  reason: ["r", null],
  checkout: ["x", null]
})
const usualAttempt = (payment: Payment, index: number): Partial<Attempt> => ({
  paymentId: payment.id,
  number: index + 1,
  money: payment.money,
  sentAt: payment.createdAt,
  answeredAt: payment.settledAt,
  outcome: usualOutcome(payment.captureMethod),
  providerRef: payment.providerRef,
  ...(payment.connectionId !== null && { connectionId: payment.connectionId })
})

const asked = {
  claimedBy: ["b", null],
  paymentId: ["pi"],
  idempotencyKey: ["ik", null],
  requestedMinor: ["q", null],
  money: ["m"],
  connectionId: ["c"],
  providerRef: ["p"],
  timeoutMillis: ["t", 30_000],
  sentAt: ["s"],
  answeredAt: ["e"],
  code: ["k", null],
  reason: ["r", null],
  reply: ["y", null]
} as const
const operation = packing<Omit<Operation, "id">>({ ...asked, kind: ["d", "capture"], outcome: ["o", "Confirmed"] })
const refund = packing<Omit<Refund, "id">>({
  ...asked,
  origin: ["g", "api"],
  stage: ["st", "Succeeded"],
  providerRefundId: ["f", null],
  settledAt: ["l"],
  failureReason: ["fr", null]
})
type ToldFirst = Pick<Refund, "money" | "sentAt" | "answeredAt">
const toldFirst = packing<ToldFirst>({ money: asked.money, sentAt: asked.sentAt, answeredAt: asked.answeredAt })
const usualAsked = (payment: Payment) => ({
  paymentId: payment.id,
  money: payment.money,
  ...(payment.connectionId !== null && { connectionId: payment.connectionId }),
  ...(payment.providerRef !== null && { providerRef: payment.providerRef })
})
/** By what is read of the refund before. */
const usualRefund = (payment: Payment, { answeredAt, money }: ToldFirst): Partial<Refund> => ({
  ...usualAsked(payment),
  requestedMinor: money.minorUnits === payment.money.minorUnits ? null : money.minorUnits,
  settledAt: answeredAt
})

type Asked = Pick<Operation, "answeredAt" | "money"> & Partial<Pick<Operation, "kind">> & { readonly reply: Shown }

/** What most payments say of a request that was done. `last`: the refund before it. */
const usualReply = (payment: Payment, { answeredAt, kind, money }: Asked, last?: Asked): Payment => {
  const before = last?.reply?.payment
  return {
    ...payment,
    updatedAt: answeredAt ?? payment.updatedAt,
    ...(kind === "capture" && { state: "Captured", refundedMinor: 0, refundPendingMinor: 0 }),
    ...(kind === undefined && { refundedMinor: (before?.refundedMinor ?? 0) + money.minorUnits }),
    ...(before && { version: before.version + 2 })
  }
}

/** The payment alone where it is done: no other reply has one. */
const packReply = (one: Asked, payment: Payment, last?: Asked) =>
  one.reply?.payment && { y: packAnswer(one.reply.payment, usualReply(payment, one, last)) }
const unpackReply = <A extends Asked>(one: A, payment: Payment, last?: Asked): A =>
  one.reply === null || "_tag" in one.reply
    ? one
    : { ...one, reply: { _tag: "Done", payment: unpackAnswer(one.reply, usualReply(payment, one, last)) } }

/** Refunds follow each other: times count from when the one before was sent. */
const packRefund = (payment: Payment, one: Refund, last: Refund | undefined): Packed => ({
  i: shortId("rf_", one.id),
  ...refund.pack(one, usualRefund(payment, one), last?.sentAt ?? payment.createdAt),
  ...packReply(one, payment, last)
})
const unpackRefund = (payment: Payment, packed: Packed, last: Refund | undefined): Refund => {
  const since = last?.sentAt ?? payment.createdAt
  const first = toldFirst.unpack(packed, { money: payment.money }, since)
  const one = { id: idOf("rf_", packed["i"] as string), ...refund.unpack(packed, usualRefund(payment, first), since) }
  return unpackReply(one, payment, last)
}

const orNothing = (name: string, list: ReadonlyArray<unknown>) => (list.length === 0 ? {} : { [name]: list })

export const bookText = ({ attempts, operations, payment, refunds }: PaymentBook): string => {
  const { routing } = payment
  return JSON.stringify({
    ...moving.pack(payment, { updatedAt: payment.createdAt }, payment.createdAt),
    ...(routing !== null &&
      !isSame(routing.attempts, triedOf(attempts)) && { t: packTried(routing, payment.captureMethod) }),
    ...(routing?.skipped !== undefined && { k: routing.skipped }),
    ...orNothing(
      "A",
      attempts.map((one, index) => ({
        i: shortId("att_", one.id),
        ...attempt.pack(one, usualAttempt(payment, index), payment.createdAt)
      }))
    ),
    ...orNothing(
      "O",
      operations.map((one) => ({
        i: shortId("op_", one.id),
        ...operation.pack(one, usualAsked(payment), payment.createdAt),
        ...packReply(one, payment)
      }))
    ),
    ...orNothing(
      "F",
      refunds.map((one, index) => packRefund(payment, one, refunds[index - 1]))
    )
  })
}

/** Asserts at read what was asserted at write. */
export const readBookTexts = (
  columns: BookColumns,
  texts: { readonly details: string; readonly book: string }
): PaymentBook => {
  const created = JSON.parse(texts.details) as Packed
  const moved = JSON.parse(texts.book) as Packed
  const list = (name: string) => (moved[name] ?? []) as ReadonlyArray<Packed>
  const unrouted = {
    ...columns,
    ...details.unpack(created),
    ...moving.unpack(moved, { updatedAt: columns.createdAt }, columns.createdAt)
  }
  const attempts = list("A").map((one, index) => ({
    id: idOf("att_", one["i"] as string),
    ...attempt.unpack(one, usualAttempt(unrouted as Payment, index), columns.createdAt)
  }))
  const decision = unpackDecision((created["r"] ?? null) as Packed | null)
  const payment: Payment = {
    ...unrouted,
    routing: decision && {
      ...decision,
      attempts: "t" in moved ? unpackTried(list("t"), decision, unrouted.captureMethod) : triedOf(attempts),
      ...("k" in moved && { skipped: moved["k"] as NonNullable<RoutingDecision["skipped"]> })
    }
  }
  const refunds: Array<Refund> = []
  for (const one of list("F")) refunds.push(unpackRefund(payment, one, refunds.at(-1)))
  const book: PaymentBook = {
    payment,
    attempts,
    operations: list("O").map((one) =>
      unpackReply(
        { id: idOf("op_", one["i"] as string), ...operation.unpack(one, usualAsked(payment), columns.createdAt) },
        payment
      )
    ),
    refunds
  }
  const broken = brokenInvariant(payment) ?? brokenBook(book)
  if (broken !== undefined) throw new Error(`Ledger: payment ${payment.id}: ${broken}`)
  return book
}

/** Of a row with a key. */
export const readClaimRow = (row: Row, payment: Payment): Claim =>
  readClaimText(
    row["claim"] as string,
    { claimedAt: row["claimed_at"] as number, version: row["claim_version"] as number },
    payment
  )
