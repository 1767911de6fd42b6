/**
 * A provider stated a reference that another payment of the connection has: operations review both payments, and
 * nothing else of them moves. One of the two statements is wrong, and no one here can say which. The payment that had
 * the reference first keeps it, but a message that names the charge by this reference alone may be about either of
 * them, so it moves neither. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { Attempt } from "../model/Attempt.ts"
import type { JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import { type Payment, paymentEvent } from "../model/Payment.ts"
import { type ChargeReference, isSameReference, type PaymentBook, type ReusedReference } from "../model/PaymentBook.ts"
import { PaymentMachine } from "../model/PaymentMachine.ts"
import type { MessageAbout } from "../model/ProviderStatement.ts"
import { nothingReported, referencePrefix as prefix, withContradiction } from "../model/Reported.ts"
import type { MessageBook } from "../model/StoredMessage.ts"
import type { Money } from "../money/Money.ts"
import { type Applied, replaced, unchanged } from "./Applied.ts"
import { type Moved, withRouting } from "./ChargeFact.ts"
import type { Interpretation } from "./interpret/Interpretation.ts"
import { withReview } from "./WithReview.ts"

/** The payment that has the reference already; `undefined` where it is reviewed for the same already. */
export const reviewHolder = (payment: Payment, reused: ReusedReference, now: number): Moved | undefined => {
  const name = nameOf(reused)
  return isNoted(payment, name) ? undefined : contradicted(payment, name, evidenceOf(reused), now)
}

/**
 * The payment of which the reference was stated anew. It does not take it. A charge whose result was open stays without
 * one that can be trusted. There are no events where nothing of it is new.
 */
export const withoutReused = (
  book: Pick<PaymentBook, "attempts" | "payment">,
  ended: ReadonlyArray<Attempt>,
  reused: ReusedReference,
  now: number
): Applied => {
  const row = Result.getOrUndefined(step(PaymentMachine, book.payment.state, "ReferenceReused"))
  const stated: Payment =
    row === undefined
      ? book.payment
      : { ...book.payment, state: row.to, connectionId: book.payment.connectionId ?? reused.connectionId }
  const { events, payment } = contradicted(stated, nameOf(reused), evidenceOf(reused), now, row?.emits)
  // What an open charge was stated to have before stays its own.
  const kept = row === undefined ? null : book.payment.providerRef
  const attempts = ended.map((attempt) => withoutReference(attempt, reused, kept))
  const after = attempts.length === 0 ? payment : withRouting(payment, replaced(book.attempts, attempts))
  return { ...unchanged, payment: after, attempts, events }
}

const withoutReference = (attempt: Attempt, reused: ChargeReference, providerRef: string | null): Attempt =>
  isSameReference(attempt, reused)
    ? {
        ...attempt,
        providerRef,
        outcome: "Mismatched",
        reason: "the provider stated a reference that another payment has"
      }
    : attempt

/** The attempts without the reference, and otherwise as they ended. */
export const unnamed = (attempts: ReadonlyArray<Attempt>, reused: ChargeReference): ReadonlyArray<Attempt> =>
  attempts.map((attempt) => (isSameReference(attempt, reused) ? { ...attempt, providerRef: null } : attempt))

/** Of a statement about the charge of a payment. */
export const ofReused = (book: PaymentBook, applied: Applied, reused: ReusedReference, now: number): Interpretation => {
  const refused = withoutReused(book, applied.attempts, reused, now)
  return refused.events.length === 0 ? { _tag: "Contradicts" } : { _tag: "Contradicts", applied: refused }
}

/** Of a message that names a charge by a reference that more than one payment was stated to have; else `undefined`. */
export const ofContested = (
  { book: { payment }, others }: MessageBook,
  connectionId: string,
  about: MessageAbout,
  now: number
): Interpretation | undefined => {
  if (!("charge" in about) || !("providerRef" in about.charge)) return undefined
  const { providerRef } = about.charge
  const claimants = [...others, ...claimantsOf(payment, { connectionId, providerRef })]
  if (claimants.length === 0) return undefined
  const stated = statedBy(about, payment.money)
  const name = `contested:${connectionId}:${providerRef}:${stated.stated}:${stated.dispute_id}`
  if (isNoted(payment, name)) return { _tag: "Contradicts" }
  const evidence = {
    connection_id: connectionId,
    provider_reference: providerRef,
    other_payment_id: claimants[0] ?? null,
    ...stated
  }
  return { _tag: "Contradicts", applied: { ...unchanged, ...contradicted(payment, name, evidence, now) } }
}

const statedBy = (about: Extract<MessageAbout, { readonly charge: unknown }>, asked: Money) => {
  switch (about._tag) {
    case "Charge":
      return { stated: String(about.state(asked)._tag).toLowerCase(), dispute_id: null }
    case "CaptureFailed":
      return { stated: "capture_failed", dispute_id: null }
    case "Settled":
      return { stated: "settled", dispute_id: null }
    case "UnnamedRefund":
      return { stated: `refund_${about.providerRefundId}`, dispute_id: null }
    case "Changed":
      return { stated: "changed", dispute_id: null }
    case "Dispute":
      return { stated: `dispute_${about.verdict ?? "warning"}`, dispute_id: about.disputeId }
  }
}

// What is noted on a payment.

const nameOf = ({ connectionId, paymentId, providerRef }: ReusedReference): string =>
  `${prefix}${paymentId}:${connectionId}:${providerRef}`

/** The payments that were stated to have the reference of this one. */
const claimantsOf = ({ reported }: Payment, { connectionId, providerRef }: ChargeReference): ReadonlyArray<string> =>
  (reported?.contradictions ?? []).flatMap((name) => {
    const paymentId = name.startsWith(prefix) ? name.slice(prefix.length, name.indexOf(":", prefix.length)) : ""
    return paymentId !== "" && name === nameOf({ connectionId, paymentId, providerRef }) ? [paymentId] : []
  })

const evidenceOf = ({ connectionId, paymentId, providerRef }: ReusedReference): JsonObject => ({
  connection_id: connectionId,
  provider_reference: providerRef,
  other_payment_id: paymentId
})

const isNoted = ({ reported }: Payment, name: string): boolean => reported?.contradictions.includes(name) === true

/** The next version, with a review and its evidence: once for each `name`, unless the payment moves (`emits`). */
const contradicted = (
  payment: Payment,
  name: string,
  evidence: JsonObject,
  now: number,
  emits?: ReadonlyArray<EventType>
): Moved => {
  const next = { ...payment, version: payment.version + 1, updatedAt: now }
  if (isNoted(payment, name) && emits === undefined) return { payment: next, events: [] }
  const reported = payment.reported ?? nothingReported
  const contradictions = withContradiction(reported.contradictions, name)
  const events = emits ?? ["payment.conflict" as const]
  const after = withReview({ ...next, reported: { ...reported, contradictions } }, { events, isReferenceReused: true })
  return {
    payment: after,
    events: events.map((type) => paymentEvent(type, after, type === "payment.conflict" ? evidence : {}))
  }
}
