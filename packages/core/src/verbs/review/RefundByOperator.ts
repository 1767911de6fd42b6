/**
 * An operator gives money back. Up to the limit of the installation it is sent at once; above it, it is stored on the
 * payment as a proposal, and is sent once another operator approves it (`DecideCorrection.ts`).
 */
import { Effect, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { asStorageError, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import { type Caller, KeyReused, NothingSent } from "../../decide/CreateRequest.ts"
import { type RefundOrder, TakenByAnother } from "../../decide/OperationOrder.ts"
import { refundSource, refundTarget, upTo } from "../../decide/ProposedRefund.ts"
import { corrected, withProposal } from "../../decide/WithReview.ts"
import {
  type Correction,
  isExpired,
  openCorrection,
  type Person,
  type ProposedRefund,
  proposalUnder
} from "../../model/Correction.ts"
import type { Payment } from "../../model/Payment.ts"
import { movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import type { RefundLimits } from "../../model/Workspace.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { StorageError } from "../../ports/StorageError.ts"
import { orNotFound } from "../read/ReadArchive.ts"
import { refund } from "../refund/RefundPayment.ts"
import { CorrectionRefused, knownPerson } from "./SecondPerson.ts"

export interface RefundDraft extends RefundOrder {
  readonly idempotencyKey: string
  readonly person: Person
}

export interface OperatorRefund extends RefundDraft {
  /** What one operator gives back of a payment. */
  readonly limits: RefundLimits
}

export interface RefundedOrProposed {
  readonly payment: Payment
  /** What was proposed instead, and what became of it since; `null` where the refund was sent. */
  readonly proposed: Correction | null
}

/** `proposing`: the entry of the audit trail, before a proposal is written. */
export const refundByOperator = (caller: Caller, order: OperatorRefund, proposing: Effect.Effect<void, StorageError>) =>
  refund(caller, order, upTo(order.limits, order)).pipe(
    Effect.map(({ payment }): RefundedOrProposed => ({ payment, proposed: null })),
    Effect.catchTag("pointsman/SecondPersonNeeded", () =>
      Effect.andThen(proposing, propose(caller, order)).pipe(
        Effect.mapError((failure) => (failure instanceof StorageError ? new NothingSent({ cause: failure }) : failure))
      )
    )
  )

/** A draft: proposed whatever its amount. It asks no provider, also where the process could reach one. */
export const draftRefund = (caller: Caller, order: RefundDraft) =>
  propose(caller, order).pipe(
    Effect.mapError((failure) => (failure instanceof StorageError ? new NothingSent({ cause: failure }) : failure))
  )

const propose = Effect.fnUntraced(function* ({ tenant }: Caller, order: RefundDraft) {
  const known = yield* knownPerson(order.person, "payment.refund", tenant.workspaceId)
  if (Result.isFailure(known)) return yield* new CorrectionRefused({ field: "by", reason: known.failure })
  const ledger = yield* Ledger
  const locks = yield* PaymentLocks
  const random = yield* SecureRandom.SecureRandom
  const id = `cor_${yield* random.uuidV7()}`
  return yield* decideAndCommit({
    withLock: locks.take(order.paymentId),
    read: () => Effect.flatMap(ledger.book(tenant, order.paymentId), orNotFound),
    decide: Effect.fnUntraced(function* (book: PaymentBook, now) {
      const { payment } = book
      const earlier = proposalUnder(payment, order.idempotencyKey)
      if (earlier !== undefined) {
        if (earlier.stated.requestedMinor !== order.amountMinor) return yield* new KeyReused()
        return done<RefundedOrProposed>({ payment, proposed: earlier })
      }
      if (book.refunds.some(({ idempotencyKey }) => idempotencyKey === order.idempotencyKey))
        return yield* new KeyReused()
      yield* Effect.fromResult(refundSource(book))
      const open = openCorrection(payment)
      if (open !== undefined && !isExpired(open, now)) return yield* anotherWaits
      const before = open === undefined ? payment : corrected(payment, ended(open, now))
      const proposed = proposalOf(book, order, { id, proposedBy: known.success, now })
      const after = withProposal(before, proposed, now)
      const step = { tenant, payment: movedPayment(book, after), events: [] }
      return write<RefundedOrProposed>(step, { payment: after, proposed })
    }),
    // What was written is found by the next decision.
    afterUnknown: () => false,
    storageErrors: "fail"
  }).pipe(
    Effect.catchTag("Contended", () => Effect.fail(new TakenByAnother())),
    Effect.mapError(asStorageError("proposing a refund"))
  )
})

const anotherWaits = new CorrectionRefused({
  field: "correction",
  reason: "a correction or a refund of the payment is proposed: approve, reject or withdraw that one first"
})

const ended = (open: Correction, at: number): Correction => ({
  ...open,
  state: "overtaken",
  decision: { by: open.proposedBy, at, reason: "it was proposed more than 7 days ago, and another refund after it" }
})

const proposalOf = (
  book: PaymentBook,
  { amountMinor, idempotencyKey, reason }: RefundDraft,
  { id, now, proposedBy }: { readonly id: string; readonly proposedBy: Person; readonly now: number }
): Correction<ProposedRefund> => ({
  id,
  state: "proposed",
  stated: { _tag: "NewRefund", requestedMinor: amountMinor, reason, idempotencyKey },
  target: refundTarget(book, amountMinor),
  evidence: { evidence: "", by: proposedBy.name },
  proposedBy,
  proposedAt: now,
  version: book.payment.version,
  decision: null
})
