/**
 * A second person approves or rejects what an operator proposed, or the operator withdraws it. The decision, what
 * follows from it and its events are one commit, so that of many approvals at once one is written. No operator approves
 * their own correction. An approval decides again on the payment as it is then: a statement that no longer fits, or that
 * would apply to another operation or amount than when it was proposed, is overtaken, and changes nothing.
 */
import { Effect, Result, Schema } from "effect"
import { asStorageError, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { Turns } from "../../commit/Turns.ts"
import { type Applied, unchanged } from "../../decide/Applied.ts"
import { applyEvidence, targetMoved, targetOf } from "../../decide/OperatorEvidence.ts"
import { unnamed, withoutReused } from "../../decide/ReusedReference.ts"
import { withReview } from "../../decide/WithReview.ts"
import type { ReusedReference } from "../../model/ChargeReference.ts"
import {
  type Correction,
  type CorrectionState,
  isAnotherPerson,
  isSamePerson,
  openCorrection,
  type Person,
  withCorrection
} from "../../model/Correction.ts"
import type { Payment } from "../../model/Payment.ts"
import { movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { PaymentNotFound } from "../read/ReadArchive.ts"
import { sharedWith, takesMoney } from "./RecordEvidence.ts"
import { knownPerson } from "./SecondPerson.ts"

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
  /** `overtaken`, with the reason, where the payment could not take the statement any more. */
  readonly correction: Correction
}

/** The payment has no such correction, or it was decided so long ago that others took its place. */
export class CorrectionNotFound extends Schema.TaggedError<CorrectionNotFound>()("pointsman/CorrectionNotFound", {}) {}

/** This person may not decide so, or somebody decided before; nothing was written. */
export class CorrectionRefused extends Schema.TaggedError<CorrectionRefused>()("pointsman/CorrectionRefused", {
  field: Schema.Literals(["correction", "by", "reason"]),
  reason: Schema.String
}) {}

export const approveCorrection = (order: CorrectionOrder) => decideCorrection(order, "approve", null)

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

const decideCorrection = Effect.fnUntraced(function* (order: CorrectionOrder, act: Act, reason: string | null) {
  const known = yield* knownPerson(order.by, "correction.decide", order.tenant.workspaceId)
  if (Result.isFailure(known)) return yield* new CorrectionRefused({ field: "by", reason: known.failure })
  return yield* decideAndWrite({ ...order, by: known.success }, act, reason)
})

const decideAndWrite = (order: CorrectionOrder, act: Act, reason: string | null) =>
  Effect.gen(function* () {
    const { by, correctionId, paymentId, tenant } = order
    const ledger = yield* Ledger
    const clock = yield* StorageClock
    const turns = yield* Turns
    return yield* decideAndCommit({
      inTurn: turns.take(paymentId),
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
        const next =
          act === "approve"
            ? approved(book, found, { by, reused, ...at })
            : ended(book, found, { state: endsAs[act][0], decision: { by, at: now, reason } })
        const { payment, ...beside } = next.applied
        const step = { tenant, payment: movedPayment(book, payment), ...beside }
        return write(step, { payment, correction: next.correction })
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

/** The same act of the same person again is answered as the first one was. */
const decidedBefore = ({ payment }: PaymentBook, correction: Correction, act: Act, by: Person) => {
  const { decision, state } = correction
  const states: ReadonlyArray<CorrectionState> = endsAs[act]
  return decision !== null && states.includes(state) && isSamePerson(decision.by, by)
    ? Effect.succeed(done({ payment, correction }))
    : Effect.fail(
        new CorrectionRefused({
          field: "correction",
          reason: `it was ${state} by ${decision?.by.name ?? "nobody"} before`
        })
      )
}

interface Next {
  readonly applied: Applied
  readonly correction: Correction
}

type Ending = Pick<Correction, "state" | "decision">

const marked = (payment: Payment, correction: Correction): Payment =>
  withReview({ ...payment, corrections: withCorrection(payment.corrections, correction) }, { events: [] })

/** Decided, and nothing else of the payment changed. */
const ended = ({ payment }: PaymentBook, proposed: Correction, ending: Ending): Next => {
  const correction: Correction = { ...proposed, ...ending }
  const after = { ...marked(payment, correction), version: payment.version + 1 }
  return { applied: { ...unchanged, payment: after }, correction }
}

interface Approval {
  readonly by: Person
  /** Another payment has the reference that the statement gives to this one. */
  readonly reused: ReusedReference | undefined
  readonly now: number
  readonly agesFrom: number | null
}

const approved = (book: PaymentBook, proposed: Correction, { agesFrom, by, now, reused }: Approval): Next => {
  const overtaken = (reason: string): Ending => ({ state: "overtaken", decision: { by, at: now, reason } })
  const correction: Correction = { ...proposed, state: "approved", decision: { by, at: now, reason: null } }
  const { evidence, stated } = proposed
  const seen = { ...evidence, approvedBy: by.name }
  const decided = { ...book, payment: marked(book.payment, correction) }
  const applied = applyEvidence(decided, stated, seen, { now, agesFrom })
  if (Result.isFailure(applied)) return ended(book, proposed, overtaken(applied.failure))
  const moved = targetMoved(proposed.target, targetOf(book, stated))
  if (moved !== undefined) return ended(book, proposed, overtaken(moved))
  const { attempts } = applied.success
  if (reused === undefined) return { applied: applied.success, correction }
  if (!takesMoney(stated)) {
    return { applied: { ...applied.success, attempts: unnamed(attempts, reused) }, correction }
  }
  const ending = ended(book, proposed, overtaken(sharedWith(reused)))
  // Both payments are reviewed for it, unless they are already.
  const refusal = withoutReused({ ...book, payment: marked(book.payment, ending.correction) }, attempts, reused, now)
  return refusal.events.length === 0 ? ending : { applied: refusal, correction: ending.correction }
}
