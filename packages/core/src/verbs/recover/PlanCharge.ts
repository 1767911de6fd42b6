/**
 * What a charge of a provider's list means for a store that may have lost its record: the payment, the attempt and the
 * events to write. Pure.
 *
 * A charge that is not on file is recorded as it would have been had its call not been answered, and then weighed as
 * what a lookup found: the same facts, applied by the same code.
 */
import type { Step } from "../../commit/CommitChange.ts"
import { type Applied, ofAttemptAlone } from "../../decide/Applied.ts"
import { interpret } from "../../decide/interpret/Interpret.ts"
import { type Attempt, endAttempt, openAttempt, unansweredAttempt } from "../../model/Attempt.ts"
import type { EventDraft } from "../../model/Event.ts"
import { type Payment, paymentEvent, unansweredPayment } from "../../model/Payment.ts"
import { bookAfter, type PaymentBook } from "../../model/PaymentBook.ts"
import { endedWithout, inOperation } from "../../model/PaymentMachine.ts"
import type { ChargeState } from "../../model/ProviderStatement.ts"
import { nothingReported } from "../../model/Reported.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { Money } from "../../money/Money.ts"
import type { ListedCharge } from "../../ports/ProviderLists.ts"

/** Where a charge was listed, and what its record needs besides. */
export interface ListedAt {
  readonly tenant: Tenant
  readonly connectionId: string
  readonly timeoutMillis: number
}

/** What the store has of a charge. */
export interface ChargeOnFile {
  /** The payment with its attempt; `undefined` where the attempt is not stored. */
  readonly own: PaymentBook | undefined
  /** The id under which a lost payment is stored again. */
  readonly paymentId: string
  /** The payment that has this id, without the attempt. */
  readonly named: PaymentBook | undefined
}

export type ChargePlan =
  /** `book`: as it is once the step is written. */
  | { readonly _tag: "Adopt"; readonly step: Step; readonly book: PaymentBook }
  /** On file, and the list states something else: a lookup decides, because the list may be older by now. */
  | { readonly _tag: "LookUp"; readonly book: PaymentBook; readonly attempt: Attempt }
  | { readonly _tag: "Known" }
  /** It cannot be recorded as a payment. */
  | { readonly _tag: "Keep"; readonly reason: string }

/** The ISO 3166-1 code that is free for use, for a country that the provider was not told. */
const unknownCountry = "ZZ"

export const planCharge = (at: ListedAt, charge: ListedCharge, onFile: ChargeOnFile, now: number): ChargePlan => {
  if (onFile.own !== undefined) return planKnown(at, charge, onFile.own, now)
  return leavesOpen(charge, onFile.named) ? { _tag: "Known" } : planLost(at, charge, onFile, now)
}

/**
 * It took no money, and another attempt of its payment may have: that one decides how the payment ends. With this one
 * as the last attempt, the payment would have ended without money, and no lookup would find the other one's.
 */
const leavesOpen = ({ state }: ListedCharge, named: PaymentBook | undefined): boolean =>
  endedWithoutMoney.has(state._tag) &&
  named?.attempts.some(({ outcome }) => outcome === null || outcome === "Unanswered" || outcome === "Pending") === true

/** A capture or a void under way is checked by the background, which asks for it by its own id. */
const planKnown = (at: ListedAt, charge: ListedCharge, book: PaymentBook, now: number): ChargePlan => {
  const attempt = book.attempts.findLast(({ id }) => id === charge.attemptId)
  if (attempt === undefined || inOperation.has(book.payment.state)) return { _tag: "Known" }
  const meaning = interpret(book, at.connectionId, statementOf(charge, charge.state, now), now)
  return meaning._tag === "Moves" || (meaning._tag === "Contradicts" && meaning.applied !== undefined)
    ? { _tag: "LookUp", book, attempt }
    : { _tag: "Known" }
}

const planLost = (at: ListedAt, charge: ListedCharge, onFile: ChargeOnFile, now: number): ChargePlan => {
  const begun =
    onFile.named === undefined ? newBook(at, charge, onFile.paymentId, now) : withAttempt(at, charge, onFile.named, now)
  const weighed = weigh(begun, at, charge, now)
  if (weighed === undefined) return { _tag: "Keep", reason: "state: expected a state of a charge with its reference" }
  const expected = onFile.named?.payment.version ?? 0
  const { events, payment, ...beside } = weighed
  const followed = begun.attempts.filter(
    (one) => one.id !== charge.attemptId && onFile.named?.attempts.includes(one) === false
  )
  const attempts = [...followed, ...weighed.attempts]
  const after: Payment = {
    ...payment,
    version: expected + 1,
    updatedAt: now,
    reported: { ...(payment.reported ?? nothingReported), isRecovered: true }
  }
  const step: Step = {
    tenant: at.tenant,
    payment: { expected, before: onFile.named, after },
    ...beside,
    attempts,
    events: onFile.named === undefined ? [paymentEvent("payment.created", begun.payment), ...events] : events
  }
  return { _tag: "Adopt", step, book: bookAfter(begun, { ...beside, attempts, payment: after }) }
}

/** All that the list states. What is captured was authorized before: less than the charge is a part of it. */
const weigh = (begun: PaymentBook, at: ListedAt, charge: ListedCharge, now: number): Applied | undefined => {
  const { state } = charge
  const isCapturedLater = begun.payment.captureMethod === "manual" && state._tag === "Captured"
  const states: ReadonlyArray<ChargeState> = isCapturedLater
    ? [{ _tag: "Authorized", providerRef: state.providerRef }, state]
    : [state]
  let book = begun
  const events: Array<EventDraft> = []
  for (const stated of states) {
    const meaning = interpret(book, at.connectionId, statementOf(charge, stated, now), now)
    if (meaning._tag === "Malformed") return undefined
    const applied = ("applied" in meaning ? meaning.applied : undefined) ?? unmoved(book, charge, stated, now)
    book = bookAfter(book, applied)
    events.push(...applied.events)
  }
  const attempts = book.attempts.filter(({ id }) => id === charge.attemptId)
  return { payment: book.payment, attempts, operations: [], refunds: [], events }
}

/** The attempt ended, and moves its payment no more. */
const unmoved = (book: PaymentBook, charge: ListedCharge, state: ChargeState, now: number): Applied => {
  const attempt = book.attempts.findLast(({ id }) => id === charge.attemptId) as Attempt
  return ofAttemptAlone(book, endAttempt(attempt, state, now), now)
}

/** The amount is that of the charge, where its state names none. */
const statementOf = ({ attemptId, money }: ListedCharge, state: ChargeState, now: number) => ({
  via: "lookup" as const,
  at: null,
  askedAt: now,
  about: { _tag: "Charge" as const, charge: { attemptId }, state: () => withAmount(state, money) }
})

const withAmount = (state: ChargeState, money: Money): ChargeState =>
  state._tag === "Authorized" || state._tag === "Captured" ? { ...state, stated: state.stated ?? money } : state

/** A payment whose one attempt was not answered. */
const newBook = (at: ListedAt, charge: ListedCharge, paymentId: string, now: number): PaymentBook => {
  const isCaptured = charge.capture ?? charge.state._tag !== "Authorized"
  const payment: Payment = {
    ...unansweredPayment,
    id: paymentId,
    tenant: at.tenant,
    version: 0,
    state: "Charging",
    money: charge.money,
    country: charge.country ?? unknownCountry,
    method: charge.method ?? "card",
    cardBrand: charge.cardBrand,
    initiator: charge.initiator ?? "cit",
    captureMethod: isCaptured ? "automatic" : "manual",
    reference: charge.reference,
    metadata: null,
    purchase: null,
    idempotencyKey: null,
    hosted: null,
    routing: null,
    simulation: null,
    createdAt: charge.created,
    updatedAt: now
  }
  return { payment, attempts: [adoptedAttempt(at, charge, payment, 1)], operations: [], refunds: [] }
}

const endedWithoutMoney: ReadonlySet<ChargeState["_tag"]> = new Set(["Declined", "NeedsCustomer", "Canceled"])

/**
 * The payment is on file without this attempt. One that was recovered from an attempt that took no money continues with
 * the next one: the lists of connections are walked one after the other.
 */
const withAttempt = (
  at: ListedAt,
  charge: ListedCharge,
  { attempts, ...book }: PaymentBook,
  now: number
): PaymentBook => {
  const { payment } = book
  // The customer paid on the page since: it must not be paid again.
  const isPaidSince = payment.state === "AwaitingCustomer"
  // One that ended without money, too, says nothing about how the payment ended.
  const goesOn =
    isPaidSince ||
    (payment.reported?.isRecovered === true &&
      endedWithout.has(payment.state) &&
      !endedWithoutMoney.has(charge.state._tag))
  const number = attempts.reduce((last, one) => Math.max(last, one.number), 0) + 1
  return {
    ...book,
    payment: goesOn
      ? { ...payment, state: "Charging", declineCategory: null, declineReason: null, updatedAt: now }
      : payment,
    attempts: [...attempts.map((one) => followedBy(one, charge)), adoptedAttempt(at, charge, payment, number)]
  }
}

/** How far a provider's clock and ours may be apart. */
export const clockSkewMillis = 5 * 60_000

/**
 * An attempt without a result, before the one that was lost with that result: another one follows only where it executed
 * nothing. But the two times are of two clocks, and one that was sent after the loss may be under way: a lookup tells.
 */
const followedBy = (attempt: Attempt, { created }: ListedCharge): Attempt =>
  attempt.outcome === null && attempt.sentAt < created + clockSkewMillis
    ? { ...unansweredAttempt(attempt), reason: "its result was lost, and another attempt is on record" }
    : attempt

const adoptedAttempt = (at: ListedAt, charge: ListedCharge, payment: Payment, number: number): Attempt =>
  unansweredAttempt({
    ...openAttempt,
    id: charge.attemptId,
    claimedBy: null,
    paymentId: payment.id,
    number,
    connectionId: at.connectionId,
    account: null,
    money: payment.money,
    timeoutMillis: at.timeoutMillis,
    sentAt: charge.created
  })
