/** The record of a dispute, made or moved in the commit of the message that states it. */
import { Effect } from "effect"
import { type Applied, unchanged } from "../decide/Applied.ts"
import type { DisputeApplied } from "../decide/DisputeFact.ts"
import { type DisputeStated, stateDispute } from "../decide/DisputeStatement.ts"
import { attemptNamed } from "../decide/interpret/Interpret.ts"
import type { Source, StatementAbout } from "../decide/interpret/Statement.ts"
import type { Dispute } from "../model/Dispute.ts"
import type { Payment } from "../model/Payment.ts"
import { movedPayment, type PaymentBook } from "../model/PaymentBook.ts"
import { mostDisputes, nothingReported, recordedDispute, withDispute } from "../model/Reported.ts"
import type { MessageBook } from "../model/StoredMessage.ts"
import type { Tenant } from "../model/Tenant.ts"
import { Ledger } from "../ports/Ledger.ts"
import type { SealedEvidence } from "../ports/LedgerDisputes.ts"
import type { Step } from "./CommitChange.ts"

export interface DisputedBook extends MessageBook {
  /** The recorded disputes of the payment; empty where the message states none. */
  readonly disputes: ReadonlyArray<Dispute>
}

/** They are read after the payment: a commit on its version finds them as they are here. */
export const withDisputes = Effect.fnUntraced(function* (
  tenant: Tenant,
  found: MessageBook | undefined,
  about: StatementAbout
) {
  if (found === undefined) return undefined
  if (about._tag !== "Dispute") return { ...found, disputes: [] } satisfies DisputedBook
  const paymentId = found.book.payment.id
  const disputes = yield* (yield* Ledger).disputes(tenant, { paymentId, limit: mostDisputes })
  return { ...found, disputes } satisfies DisputedBook
})

export interface Stated extends DisputeStated {
  readonly before: Dispute | undefined
}

/** `undefined` where the message states no dispute, or nothing that its record lacks. */
export const statedIn = (
  { book, disputes }: DisputedBook,
  payment: Payment,
  connectionId: string,
  { about, source }: { readonly about: StatementAbout; readonly source: Source },
  newId: string,
  now: number
): Stated | undefined => {
  if (about._tag !== "Dispute") return undefined
  const attempt = attemptNamed(book, connectionId, about.charge)
  if (attempt === undefined) return undefined
  const stated = stateDispute(disputes, { book, payment, attempt, said: about, source, newId }, now)
  return stated && { ...stated, before: disputes.find(({ id }) => id === stated.dispute.id) }
}

/** For what is written beside a payment that stays as it is. */
export const nextVersionOf = (payment: Payment): Applied => ({
  ...unchanged,
  payment: { ...payment, version: payment.version + 1 }
})

/** What is written beside the payment, with the dispute. */
export const withStated = (beside: Omit<Applied, "payment">, stated: Stated | undefined) =>
  stated === undefined
    ? beside
    : {
        ...beside,
        disputes: [stated.dispute],
        evidence: droppedEvidence(stated.before, stated.dispute),
        events: [...beside.events, ...stated.events]
      }

/** A decision about a dispute is written under the version of its payment, which moves by no such decision. */
export const disputeStep = (
  book: PaymentBook,
  before: Dispute | undefined,
  { dispute, events }: DisputeApplied,
  evidence: ReadonlyArray<SealedEvidence> = []
): Step => ({
  tenant: book.payment.tenant,
  payment: movedPayment(book, { ...withAcceptance(book.payment, before, dispute), version: book.payment.version + 1 }),
  disputes: [dispute],
  evidence: evidence.length > 0 ? evidence : droppedEvidence(before, dispute),
  events
})

/** What was accepted is lost, as of when the acceptance was sent. Of an inquiry no money has moved. */
const withAcceptance = (payment: Payment, before: Dispute | undefined, dispute: Dispute): Payment => {
  const { attemptId, providerDisputeId: disputeId, submissions } = dispute
  const said = recordedDispute(payment.reported, { attemptId, disputeId })
  const sentAt = submissions.findLast(({ kind }) => kind === "accept")?.sentAt ?? 0
  if (dispute.status !== "accepted" || before?.status === "accepted" || said?.verdict !== "opened") return payment
  const reported = payment.reported ?? nothingReported
  const disputes = withDispute(reported.disputes, { ...said, verdict: "lost", at: Math.max(said.at ?? 0, sentAt) })
  return { ...payment, reported: { ...reported, disputes: disputes ?? reported.disputes } }
}

/** What is written in place of sealed evidence that the provider has, or that no dispute needs any more. */
const droppedEvidence = (before: Dispute | undefined, after: Dispute): ReadonlyArray<SealedEvidence> => {
  const isDropped = before !== undefined && before.evidence !== null && after.evidence === null
  return isDropped ? [{ id: after.id, paymentId: after.paymentId, sealed: "" }] : []
}
