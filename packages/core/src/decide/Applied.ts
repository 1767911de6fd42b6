/** What a fact changes that no request waits for: a provider's message, or an operator's evidence. Pure. */
import { Result } from "effect"
import { type Attempt, endAttempt } from "../model/Attempt.ts"
import type { EventDraft } from "../model/Event.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { ChargeState } from "../model/ProviderStatement.ts"
import type { Refund } from "../model/Refund.ts"
import { applyChargeFact, type ChargeFact, withRouting } from "./ChargeFact.ts"

/** The payment with its next version, and what is written beside it. */
export interface Applied {
  readonly payment: Payment
  readonly attempts: ReadonlyArray<Attempt>
  readonly operations: ReadonlyArray<Operation>
  readonly refunds: ReadonlyArray<Refund>
  readonly events: ReadonlyArray<EventDraft>
}

export const unchanged: Omit<Applied, "payment"> = { attempts: [], operations: [], refunds: [], events: [] }

/** The payment with its next version and nothing beside it. */
export const unchangedBook = ({ payment }: PaymentBook, now: number): Applied => ({
  ...unchanged,
  payment: { ...payment, version: payment.version + 1, updatedAt: now }
})

/** Two changes in one step; the second was decided on the book after the first. */
export const inOneStep = (first: Applied, second: Applied): Applied => ({
  payment: { ...second.payment, version: first.payment.version },
  attempts: [...without(first.attempts, second.attempts), ...second.attempts],
  operations: [...without(first.operations, second.operations), ...second.operations],
  refunds: [...without(first.refunds, second.refunds), ...second.refunds],
  events: [...first.events, ...second.events]
})

const without = <One extends { readonly id: string }>(
  all: ReadonlyArray<One>,
  others: ReadonlyArray<One>
): ReadonlyArray<One> => all.filter(({ id }) => !others.some((other) => other.id === id))

export const replaced = <One extends { readonly id: string }>(
  all: ReadonlyArray<One>,
  written: ReadonlyArray<One>
): ReadonlyArray<One> => all.map((one) => written.find(({ id }) => id === one.id) ?? one)

/** The attempt as the provider's record tells it. */
export const endedBy = (attempt: Attempt, state: ChargeState, fact: ChargeFact, now: number): Attempt => {
  const ended = endAttempt(attempt, state, now)
  return fact.on === "MismatchStated" ? { ...ended, outcome: "Mismatched" } : ended
}

/** A fact about the charge of an attempt; `undefined` where no row of the payment's table takes it. */
export const ofChargeFact = (book: PaymentBook, ended: Attempt, fact: ChargeFact, now: number): Applied | undefined => {
  const moved = applyChargeFact(book.payment, fact, now)
  if (Result.isFailure(moved)) return undefined
  const { events, payment } = moved.success
  return { ...unchanged, payment: withRouting(payment, replaced(book.attempts, [ended])), attempts: [ended], events }
}

/** An attempt that executed nothing, or holds no money, beside the one that does. */
export const ofAttemptAlone = ({ attempts, payment }: PaymentBook, ended: Attempt, now: number): Applied => {
  const next = { ...payment, version: payment.version + 1, updatedAt: now }
  return { ...unchanged, payment: withRouting(next, replaced(attempts, [ended])), attempts: [ended] }
}

/** Of an attempt that does not hold the payment's money while another one does. */
export const ofRival = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Applied | undefined => {
  if (state._tag !== "Authorized" && state._tag !== "Captured") return undefined
  // Reported before, and in review.
  if (attempt.outcome === "Authorized" || attempt.outcome === "Captured") return undefined
  return ofChargeFact(book, endAttempt(attempt, state, now), secondChargeOf(attempt, state), now)
}

export const secondChargeOf = ({ connectionId, id }: Attempt, { providerRef }: ChargeState): ChargeFact => ({
  on: "SecondChargeReported",
  attemptId: id,
  connectionId,
  providerRef
})
