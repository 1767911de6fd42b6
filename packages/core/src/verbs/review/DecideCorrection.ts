/**
 * A second person approves or rejects what an operator proposed, or the operator withdraws it. The decision, what
 * follows from it and its events are one commit, so that of many approvals at once one is written. No operator approves
 * their own correction. An approval decides again on the payment as it is then: a statement that no longer fits, or that
 * would apply to another operation or amount than when it was proposed, is overtaken, and changes nothing. The approval
 * of a refund is in the commit that writes the refund, before the provider is asked: it is sent once.
 */
import { Effect, Result, Schema } from "effect"
import { asStorageError, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import { type Applied, unchanged } from "../../decide/Applied.ts"
import { applyEvidence, targetMoved, targetOf } from "../../decide/OperatorEvidence.ts"
import { approvedBy } from "../../decide/ProposedRefund.ts"
import { unnamed, withoutReused } from "../../decide/ReusedReference.ts"
import { corrected } from "../../decide/WithReview.ts"
import {
  type Correction,
  type CorrectionState,
  isAnotherPerson,
  isRefundProposal,
  isSamePerson,
  openCorrection,
  type Person,
  type ProposedRefund
} from "../../model/Correction.ts"
import type { OperatorStatement } from "../../model/OperatorStatement.ts"
import type { Payment } from "../../model/Payment.ts"
import { movedPayment, type PaymentBook, type ReusedReference } from "../../model/PaymentBook.ts"
import type { Refund } from "../../model/Refund.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import { StorageError } from "../../ports/StorageError.ts"
import { PaymentNotFound } from "../read/ReadArchive.ts"
import { refund } from "../refund/RefundPayment.ts"
import { sharedWith, takesMoney } from "./RecordEvidence.ts"
import { CorrectionRefused, knownPerson } from "./SecondPerson.ts"

export interface CorrectionOrder {
  readonly tenant: Tenant
  readonly paymentId: string
  readonly correctionId: string
  readonly by: Person
}

export interface Rejection extends CorrectionOrder {
  /** For people: 1 to 2000 characters. */
  readonly reason: string
}

export interface DecidedCorrection {
  readonly payment: Payment
  /** `overtaken`, with the reason, where the payment could not take it any more. */
  readonly correction: Correction
  /** What was sent on the approval of a refund; absent where nothing was, and of all other decisions. */
  readonly refund?: Refund | undefined
}

/** The payment has no such correction, or it was decided so long ago that others took its place. */
export class CorrectionNotFound extends Schema.TaggedError<CorrectionNotFound>()("pointsman/CorrectionNotFound", {}) {}

/** `sending`: the entry of the audit trail, before an approved refund is claimed. */
export const approveCorrection = Effect.fnUntraced(function* (
  order: CorrectionOrder,
  sending: (proposed: Correction<ProposedRefund>, by: Person) => Effect.Effect<void, StorageError>
) {
  const by = yield* decider(order)
  const decided = yield* decideAndWrite({ ...order, by }, "approve", null)
  if (!("toSend" in decided)) return decided
  const { toSend } = decided
  yield* sending(toSend, by)
  const sent = yield* Effect.result(send({ ...order, by }, toSend))
  const end = yield* decideAndWrite({ ...order, by }, "approve", null, Result.isFailure(sent) ? sent.failure : "sent")
  return "toSend" in end ? yield* notSent(undefined) : end
})

export const rejectCorrection = Effect.fnUntraced(function* (order: Rejection) {
  const reason = order.reason.trim()
  if (reason === "" || [...reason].length > longestReason) {
    return yield* new CorrectionRefused({
      field: "reason",
      reason: `expected text of 1 to ${longestReason} characters`
    })
  }
  return yield* decideCorrection(order, "reject", reason)
})

export const withdrawCorrection = (order: CorrectionOrder) => decideCorrection(order, "withdraw", null)

/** While the storage takes new work, as every other refund. */
const send = Effect.fnUntraced(function* (
  { by, paymentId, tenant }: CorrectionOrder,
  proposed: Correction<ProposedRefund>
) {
  const { idempotencyKey, reason, requestedMinor: amountMinor } = proposed.stated
  yield* (yield* StorageCondition).admit
  return yield* refund({ tenant }, { paymentId, amountMinor, reason, idempotencyKey }, approvedBy(by, proposed))
})

/** How an approved refund ended that may not have been sent. */
type SendEnd = "sent" | Effect.Error<ReturnType<typeof send>>

const longestReason = 2000

type Act = "approve" | "reject" | "withdraw"

const endsAs = {
  approve: ["approved", "overtaken"],
  reject: ["rejected"],
  withdraw: ["withdrawn"]
} as const satisfies Readonly<Record<Act, ReadonlyArray<CorrectionState>>>

/** Why the person may not; `undefined` where they may. */
const refusalOf = (act: Act, { proposedBy }: Correction, by: Person): string | undefined => {
  switch (act) {
    case "approve":
      if (isSamePerson(proposedBy, by)) return "nobody approves their own correction: another person has to"
      return isAnotherPerson(proposedBy, by)
        ? undefined
        : "an operator and a name that a program gives may be one person: approve it where it was proposed"
    case "reject":
      return isSamePerson(proposedBy, by) ? "it is your own: withdraw it" : undefined
    case "withdraw":
      return isSamePerson(proposedBy, by) ? undefined : `${proposedBy.name} proposed it: reject it instead`
  }
}

const decider = Effect.fnUntraced(function* ({ by, tenant }: CorrectionOrder) {
  const known = yield* knownPerson(by, "correction.decide", tenant.workspaceId)
  return yield* Effect.mapError(Effect.fromResult(known), (reason) => new CorrectionRefused({ field: "by", reason }))
})

const decideCorrection = Effect.fnUntraced(function* (
  order: CorrectionOrder,
  act: "reject" | "withdraw",
  reason: string | null
) {
  const decided = yield* decideAndWrite({ ...order, by: yield* decider(order) }, act, reason)
  return "toSend" in decided ? yield* notSent(undefined) : decided
})

/** An approved refund, of which nothing is written yet. */
interface ToSend {
  readonly toSend: Correction<ProposedRefund>
}

type Decided = DecidedCorrection | ToSend

/** `sendEnd`: of an approved refund, once it was tried. */
const decideAndWrite = (order: CorrectionOrder, act: Act, reason: string | null, sendEnd?: SendEnd) =>
  Effect.gen(function* () {
    const { by, correctionId, paymentId, tenant } = order
    const ledger = yield* Ledger
    const clock = yield* StorageClock
    const locks = yield* PaymentLocks
    return yield* decideAndCommit({
      withLock: locks.take(paymentId),
      read: () =>
        Effect.flatMap(
          ledger.book(tenant, paymentId),
          Effect.fromOption(() => new PaymentNotFound())
        ),
      decide: Effect.fnUntraced(function* (book: PaymentBook, now, reused) {
        const found = book.payment.corrections?.find(({ id }) => id === correctionId)
        if (found === undefined) return yield* new CorrectionNotFound()
        if (openCorrection(book.payment)?.id !== found.id) return yield* decidedBefore(book, found, act, by)
        const refusal = refusalOf(act, found, by)
        if (refusal !== undefined) return yield* new CorrectionRefused({ field: "by", reason: refusal })
        const at = { now, agesFrom: clock?.agesFrom() ?? null }
        const { stated } = found
        if (act === "approve" && isRefundProposal(found) && sendEnd === undefined)
          return done<Decided>({ toSend: found })
        const next =
          act !== "approve"
            ? ended(book, found, { state: endsAs[act][0], decision: { by, at: now, reason } })
            : stated._tag === "NewRefund"
              ? ended(book, found, overtaken(by, now, yield* whyUnsent(sendEnd)))
              : approved(book, { ...found, stated }, { by, reused, ...at })
        const { payment, ...beside } = next.applied
        const step = { tenant, payment: movedPayment(book, payment), ...beside }
        return write<DecidedCorrection>(step, { payment, correction: next.correction })
      }),
      // What was written is found by the next decision.
      afterUnknown: () => false,
      storageErrors: "fail"
    })
  }).pipe(
    Effect.catchTag("Contended", () =>
      Effect.fail(
        new CorrectionRefused({
          field: "correction",
          reason: "concurrent updates of the payment prevented the write: read the payment again"
        })
      )
    ),
    Effect.mapError(asStorageError("deciding a correction"))
  )

/** Why an approved refund was not claimed, and never will be. It fails where the same approval may work later. */
const whyUnsent = (end: SendEnd | undefined) => {
  if (end === undefined || end === "sent") return Effect.succeed("its idempotency key belongs to another refund")
  switch (end._tag) {
    case "pointsman/ProposalOvertaken":
      return Effect.succeed(end.reason)
    case "pointsman/NotRefundable":
      return Effect.succeed("the payment cannot be refunded any more")
    case "pointsman/InvalidAmount":
      return Effect.succeed("nothing is left to refund")
    case "pointsman/KeyReused":
      return Effect.succeed("its idempotency key belongs to another refund")
    case "pointsman/RefundPending":
      return refusedNow("another refund of the payment is not confirmed yet: approve it again later")
    case "pointsman/ProviderRefused":
      return refusedNow(end.message)
    default:
      return notSent(end)
  }
}

const refusedNow = (reason: string) => Effect.fail(new CorrectionRefused({ field: "correction", reason }))

const notSent = (cause: unknown) => Effect.fail(new StorageError({ operation: "approving a refund", cause }))

/** The same act of the same person again is answered as the first one was. */
const decidedBefore = ({ payment, refunds }: PaymentBook, correction: Correction, act: Act, by: Person) => {
  const { decision, state, stated } = correction
  const states: ReadonlyArray<CorrectionState> = endsAs[act]
  const sent =
    stated._tag === "NewRefund" ? refunds.find(({ idempotencyKey }) => idempotencyKey === stated.idempotencyKey) : null
  return decision !== null && states.includes(state) && isSamePerson(decision.by, by)
    ? Effect.succeed(done<Decided>({ payment, correction, ...(sent && { refund: sent }) }))
    : Effect.fail(
        new CorrectionRefused({
          field: "correction",
          reason: decision === null ? `it was ${state} before` : `it was ${state} by ${decision.by.name} before`
        })
      )
}

interface Next {
  readonly applied: Applied
  readonly correction: Correction
}

type Ending = Pick<Correction, "state" | "decision">

const overtaken = (by: Person, at: number, reason: string): Ending => ({
  state: "overtaken",
  decision: { by, at, reason }
})

/** Decided, and nothing else of the payment changed. */
const ended = ({ payment }: PaymentBook, proposed: Correction, ending: Ending): Next => {
  const correction: Correction = { ...proposed, ...ending }
  const after = { ...corrected(payment, correction), version: payment.version + 1 }
  return { applied: { ...unchanged, payment: after }, correction }
}

interface Approval {
  readonly by: Person
  /** Another payment has the reference that the statement gives to this one. */
  readonly reused: ReusedReference | undefined
  readonly now: number
  readonly agesFrom: number | null
}

const approved = (
  book: PaymentBook,
  proposed: Correction<OperatorStatement>,
  { agesFrom, by, now, reused }: Approval
): Next => {
  const correction: Correction = { ...proposed, state: "approved", decision: { by, at: now, reason: null } }
  const { evidence, stated } = proposed
  const seen = { ...evidence, approvedBy: by.name }
  const decided = { ...book, payment: corrected(book.payment, correction) }
  const applied = applyEvidence(decided, stated, seen, { now, agesFrom })
  if (Result.isFailure(applied)) return ended(book, proposed, overtaken(by, now, applied.failure))
  const moved = targetMoved(proposed.target, targetOf(book, stated))
  if (moved !== undefined) return ended(book, proposed, overtaken(by, now, moved))
  const { attempts } = applied.success
  if (reused === undefined) return { applied: applied.success, correction }
  if (!takesMoney(stated)) {
    return { applied: { ...applied.success, attempts: unnamed(attempts, reused) }, correction }
  }
  const ending = ended(book, proposed, overtaken(by, now, sharedWith(reused)))
  // Both payments are reviewed for it, unless they are already.
  const refusal = withoutReused({ ...book, payment: corrected(book.payment, ending.correction) }, attempts, reused, now)
  return refusal.events.length === 0 ? ending : { applied: refusal, correction: ending.correction }
}
