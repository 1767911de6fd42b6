/**
 * How a payment is stored in its row: columns for guarded and searched fields, and two JSON texts. `details` holds what a
 * create decides, which hardly ever changes. `book` holds the rest: attempts, captures, voids and refunds.
 *
 * A text leaves out a value that follows from the columns or is usual. The functions that write and read a record use the
 * same `usual`, so that a value reads as it was written.
 */
import type { Attempt, Claim, Operation, Payment, Refund, RoutingDecision, Tenant } from "@pointsman/core"
import { brokenBook, brokenInvariant } from "@pointsman/core/internal"
import type { PaymentBook } from "@pointsman/core/ports"
import {
  type Details,
  details,
  type Moving,
  moving,
  packAnswer,
  readClaimText,
  type Shown,
  unpackAnswer
} from "./AnswerText.ts"
import type { Row } from "./Columns.ts"
import {
  type Decided,
  decided,
  isTold,
  packDecision,
  packTried,
  triedOf,
  unpackDecision,
  unpackTried,
  usualOutcome
} from "./DecisionText.ts"
import { type Names, type Packed, pack, unpack } from "./Packing.ts"
import { idOf, shortId } from "./ShortText.ts"

/** What a row has in columns of their own. */
type Column =
  | "id"
  | "tenant"
  | "version"
  | "state"
  | "money"
  | "authorizedMinor"
  | "capturedMinor"
  | "refundedMinor"
  | "refundPendingMinor"
  | "createdAt"
  | "reference"
  | "connectionId"

export type BookColumns = Pick<Payment, Column>

const usualDetails: Partial<Details> = {
  method: "card",
  cardBrand: null,
  initiator: "cit",
  captureMethod: "automatic",
  idempotencyKey: null,
  hosted: null,
  simulation: null,
  metadata: null,
  purchase: null
}

const usualMoving = (createdAt: number): Partial<Moving> => ({
  providerRef: null,
  declineCategory: null,
  declineReason: null,
  reported: null,
  review: null,
  updatedAt: createdAt,
  settledAt: null
})

const isKept = <A extends object>(before: A | null, after: A | null, fields: ReadonlyArray<keyof A>): boolean =>
  before === after || (before !== null && after !== null && fields.every((field) => before[field] === after[field]))

const createdFields: ReadonlyArray<keyof Payment> = [...(Object.keys(details) as Array<keyof Details>), "reference"]
const decidedFields = Object.keys(decided) as ReadonlyArray<keyof Decided>

/** Whether a change leaves the `details` of a payment, and its reference, as they are. */
export const keepsDetails = (before: Payment, after: Payment): boolean =>
  isKept(before, after, createdFields) && isKept<Decided>(before.routing, after.routing, decidedFields)

export const detailsText = (payment: Payment): string =>
  JSON.stringify({
    ...pack<Details>(details, payment, usualDetails),
    ...(payment.routing && { r: packDecision(payment.routing) })
  })

// What was asked of providers.

const attempt: Names<Omit<Attempt, "decline" | "id">> = {
  claimedBy: "b",
  paymentId: "pi",
  number: "n",
  connectionId: "c",
  account: "a",
  money: "m",
  timeoutMillis: "t",
  sentAt: "s",
  answeredAt: "e",
  outcome: "o",
  providerRef: "p",
  declineCategory: "dc",
  code: "k",
  reason: "r",
  checkout: "x"
}
const usualAttempt = (payment: Payment, index: number): Partial<Attempt> => ({
  claimedBy: null,
  paymentId: payment.id,
  number: index + 1,
  account: null,
  money: payment.money,
  timeoutMillis: 30_000,
  sentAt: payment.createdAt,
  answeredAt: payment.settledAt,
  outcome: usualOutcome(payment.captureMethod),
  providerRef: payment.providerRef,
  declineCategory: null,
  code: null,
  reason: null,
  checkout: null,
  ...(payment.connectionId !== null && { connectionId: payment.connectionId })
})

const asked = {
  claimedBy: "b",
  paymentId: "pi",
  idempotencyKey: "ik",
  requestedMinor: "q",
  money: "m",
  connectionId: "c",
  providerRef: "p",
  timeoutMillis: "t",
  sentAt: "s",
  answeredAt: "e",
  code: "k",
  reason: "r",
  reply: "y"
} as const
const operation: Names<Omit<Operation, "id">> = { ...asked, kind: "d", outcome: "o" }
const refund: Names<Omit<Refund, "id">> = {
  ...asked,
  origin: "g",
  stage: "st",
  providerRefundId: "f",
  settledAt: "l",
  failureReason: "fr"
}
const toldFirst = { money: asked.money, sentAt: asked.sentAt, answeredAt: asked.answeredAt } as const
type ToldFirst = Pick<Refund, keyof typeof toldFirst>
const usualAsked = (payment: Payment) => ({
  claimedBy: null,
  paymentId: payment.id,
  idempotencyKey: null,
  requestedMinor: null,
  money: payment.money,
  timeoutMillis: 30_000,
  code: null,
  reason: null,
  reply: null,
  ...(payment.connectionId !== null && { connectionId: payment.connectionId }),
  ...(payment.providerRef !== null && { providerRef: payment.providerRef })
})
const usualOperation = (payment: Payment): Partial<Operation> => ({
  ...usualAsked(payment),
  kind: "capture",
  outcome: "Confirmed"
})
/** By what is read of the refund before. */
const usualRefund = (payment: Payment, { answeredAt, money }: ToldFirst): Partial<Refund> => ({
  ...usualAsked(payment),
  requestedMinor: money.minorUnits === payment.money.minorUnits ? null : money.minorUnits,
  origin: "api",
  stage: "Succeeded",
  providerRefundId: null,
  settledAt: answeredAt,
  failureReason: null
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
  ...pack(refund, one, usualRefund(payment, one), last?.sentAt ?? payment.createdAt),
  ...packReply(one, payment, last)
})
const unpackRefund = (payment: Payment, packed: Packed, last: Refund | undefined): Refund => {
  const since = last?.sentAt ?? payment.createdAt
  const first = unpack<ToldFirst>(toldFirst, packed, { money: payment.money }, since)
  const one = { id: idOf("rf_", packed["i"] as string), ...unpack(refund, packed, usualRefund(payment, first), since) }
  return unpackReply(one, payment, last)
}

const orNothing = (name: string, list: ReadonlyArray<unknown>) => (list.length === 0 ? {} : { [name]: list })

export const bookText = ({ attempts, operations, payment, refunds }: PaymentBook): string => {
  const { routing } = payment
  return JSON.stringify({
    ...pack<Moving>(moving, payment, usualMoving(payment.createdAt), payment.createdAt),
    ...(routing !== null && !isTold(routing, attempts) && { t: packTried(routing, payment.captureMethod) }),
    ...(routing?.skipped !== undefined && { k: routing.skipped }),
    ...orNothing(
      "A",
      attempts.map((one, index) => ({
        i: shortId("att_", one.id),
        ...pack(attempt, one, usualAttempt(payment, index), payment.createdAt)
      }))
    ),
    ...orNothing(
      "O",
      operations.map((one) => ({
        i: shortId("op_", one.id),
        ...pack(operation, one, usualOperation(payment), payment.createdAt),
        ...packReply(one, payment)
      }))
    ),
    ...orNothing(
      "F",
      refunds.map((one, index) => packRefund(payment, one, refunds[index - 1]))
    )
  })
}

interface BookTexts {
  readonly details: string
  readonly book: string
}

/** Asserts at read what was asserted at write. */
export const readBookTexts = (columns: BookColumns, texts: BookTexts): PaymentBook => {
  const created = JSON.parse(texts.details) as Packed
  const moved = JSON.parse(texts.book) as Packed
  const list = (name: string) => (moved[name] ?? []) as ReadonlyArray<Packed>
  const unrouted = {
    ...columns,
    ...unpack<Details>(details, created, usualDetails),
    ...unpack<Moving>(moving, moved, usualMoving(columns.createdAt), columns.createdAt)
  }
  const attempts = list("A").map((one, index) => ({
    id: idOf("att_", one["i"] as string),
    ...unpack(attempt, one, usualAttempt(unrouted as Payment, index), columns.createdAt)
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
        { id: idOf("op_", one["i"] as string), ...unpack(operation, one, usualOperation(payment), columns.createdAt) },
        payment
      )
    ),
    refunds
  }
  const broken = brokenInvariant(payment) ?? brokenBook(book)
  if (broken !== undefined) throw new Error(`Ledger: payment ${payment.id}: ${broken}`)
  return book
}

/** The row of a payment as its book. Each database reads an id and a text its own way. */
export const readBookRow = (
  tenant: Tenant,
  id: string,
  row: Row,
  readTextOrNull: (value: unknown) => string | null
): PaymentBook => {
  const columns: BookColumns = {
    id,
    tenant,
    version: row["version"] as number,
    state: row["state"] as Payment["state"],
    money: { minorUnits: row["amount_minor"] as number, currency: row["currency"] as string },
    authorizedMinor: row["authorized_minor"] as number,
    capturedMinor: row["captured_minor"] as number,
    refundedMinor: row["refunded_minor"] as number,
    refundPendingMinor: row["refund_pending_minor"] as number,
    createdAt: row["created_at"] as number,
    reference: readTextOrNull(row["reference"]),
    connectionId: readTextOrNull(row["connection_id"])
  }
  return readBookTexts(columns, { details: row["details"] as string, book: row["book"] as string })
}

/** Of a row with a key. */
export const readClaimRow = (row: Row, payment: Payment): Claim =>
  readClaimText(
    row["claim"] as string,
    { claimedAt: row["claimed_at"] as number, version: row["claim_version"] as number },
    payment
  )
