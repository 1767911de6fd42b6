/**
 * What a provider's word about a capture or a void means for the payment. The direct answer, a provider's message and a
 * lookup become the same facts, applied by the same code. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import type { Operation, OperationKind, OperationOutcome, OperationReply, Said } from "../model/Operation.ts"
import { type Payment, paymentEvent } from "../model/Payment.ts"
import { type PaymentEvent, PaymentMachine, type PaymentRow, taken } from "../model/PaymentMachine.ts"
import {
  type NotSent,
  type OperationAnswer,
  type StatedCapture,
  type Unanswered,
  unansweredCode
} from "../model/ProviderStatement.ts"
import type { Money } from "../money/Money.ts"
import { capturesOf, reportedWith } from "./Holding.ts"
import { weighedEvents, weighReported, withReview } from "./WithReview.ts"

/** How a call to capture or to void ended. */
export type OperationEnd = OperationAnswer | NotSent | Unanswered

export type OperationFact =
  /** Minor units that were captured; for a void, those that were released. */
  | { readonly _tag: "Confirmed"; readonly amountMinor: number; readonly capture?: StatedCapture | undefined }
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Refused"; readonly code: string | null; readonly message: string }
  /** The opposite happened: cancelled instead of captured, or captured (minor units) instead of voided. */
  | { readonly _tag: "Contradicted"; readonly amountMinor: number; readonly capture?: StatedCapture | undefined }
  | { readonly _tag: "Mismatched"; readonly stated: Money }
  | { readonly _tag: "Unanswered"; readonly reason: string; readonly code?: string | null }
  /** A late lookup: the provider never received it. */
  | { readonly _tag: "NotFound" }

/** The payment's own word for each fact. */
const eventOf: Record<OperationKind, Record<OperationFact["_tag"], PaymentEvent>> = {
  capture: {
    Confirmed: "CaptureConfirmed",
    Accepted: "CaptureAccepted",
    Refused: "CaptureRefused",
    Contradicted: "AuthorizationLapsed",
    Mismatched: "CaptureMismatched",
    Unanswered: "CaptureUnanswered",
    NotFound: "CaptureNotFound"
  },
  void: {
    Confirmed: "VoidConfirmed",
    Accepted: "VoidAccepted",
    Refused: "VoidRefused",
    Contradicted: "CaptureConfirmed",
    Mismatched: "VoidMismatched",
    Unanswered: "VoidUnanswered",
    NotFound: "VoidNotFound"
  }
}

const outcomeOf: Record<OperationFact["_tag"], OperationOutcome> = {
  Confirmed: "Confirmed",
  Accepted: "Accepted",
  Refused: "Refused",
  Contradicted: "Conflicted",
  Mismatched: "Unanswered",
  Unanswered: "Unanswered",
  NotFound: "NotFound"
}

/** What the provider had said, for an answer that could not be recorded. */
export const saidOf = (fact: OperationFact): Said =>
  fact._tag === "Refused" ? "refused" : outcomeOf[fact._tag] === "Unanswered" ? "no answer" : "confirmed"

/** The end of a call, in the words of the operation that it was made for. */
export const operationFactOf = (
  operation: Pick<Operation, "kind" | "money">,
  authorizedMinor: number,
  end: OperationEnd
): OperationFact => {
  switch (end._tag) {
    case "pointsman/Unanswered":
      return { _tag: "Unanswered", reason: end.reason, code: unansweredCode(end) }
    case "NeedsCustomer":
      return { _tag: "Unanswered", reason: "the provider requires the customer, who is not present" }
    case "pointsman/NotSent":
      return { _tag: "Refused", code: null, message: `Nothing was sent to the provider: ${end.reason}.` }
    case "Rejected":
      return { _tag: "Refused", code: end.code, message: end.message }
    case "Declined":
      return { _tag: "Refused", code: end.code, message: `The provider declined it: ${end.code}.` }
    case "Authorized":
      return {
        _tag: "Refused",
        code: null,
        message: "The provider did not execute it: the payment is still authorized."
      }
    case "Pending":
      return { _tag: "Accepted" }
    case "Canceled":
      return operation.kind === "void"
        ? { _tag: "Confirmed", amountMinor: authorizedMinor }
        : { _tag: "Contradicted", amountMinor: 0 }
    case "Captured": {
      const { capture } = end
      // Of its own capture, and not of what all captures took.
      const stated =
        (operation.kind === "capture" ? capture?.money : undefined) ?? end.stated ?? capture?.money ?? operation.money
      const most = operation.kind === "capture" ? operation.money.minorUnits : authorizedMinor
      if (stated.currency !== operation.money.currency || stated.minorUnits > most) {
        return { _tag: "Mismatched", stated }
      }
      return {
        _tag: operation.kind === "capture" ? "Confirmed" : "Contradicted",
        amountMinor: stated.minorUnits,
        capture
      }
    }
    default:
      // A connector is third-party code: its answer may be malformed.
      return { _tag: "Unanswered", reason: "the connector returned a malformed answer" }
  }
}

export interface Operated {
  readonly payment: Payment
  readonly operation: Operation
  readonly events: ReadonlyArray<EventDraft>
}

/** The one operation that its payment waits for: another is begun on an authorized payment alone. */
const isOpen = ({ outcome }: Operation): boolean =>
  outcome === null || outcome === "Unanswered" || outcome === "Accepted"

/**
 * The payment and the operation after a fact. What an operation says that was settled before (not found, say) moves
 * the payment only where it reports money: silence or a refusal says nothing about the one in flight.
 */
export const applyOperationFact = (
  payment: Payment,
  operation: Operation,
  fact: OperationFact,
  now: number,
  /** Whether the provider dates the statement after the failure of the operation that is recorded. */
  isAfterFailure = false
): Operated => {
  // Another source reported more than our missing response, or a result that a lookup was too late to find: it is kept.
  const isSilent =
    (fact._tag === "Unanswered" && operation.outcome !== null) ||
    (fact._tag === "NotFound" && !isOpen(operation)) ||
    // What was on its way when the provider stated the failure is older than the failure.
    (operation.outcome === "Failed" && !isAfterFailure)
  // A message told first that it was executed, and the answer says that it was not: operators review it.
  const isContradicted = fact._tag === "Refused" && operation.outcome === "Confirmed"
  const moved = isSilent || isContradicted ? undefined : rowFor(payment, operation, fact)
  const next: Payment = {
    ...payment,
    version: payment.version + 1,
    updatedAt: now,
    ...(moved === undefined ? {} : { state: moved.row.to }),
    ...(moved !== undefined && takesMoney(moved.row) && "amountMinor" in fact
      ? { capturedMinor: fact.amountMinor, reported: reportedWith(payment, captureOf(operation, fact)) }
      : {})
  }
  const weighed = weighReported(next)
  const emits: ReadonlyArray<EventType> = [
    ...(moved?.row.emits ?? []),
    ...(isContradicted ? ["payment.conflict" as const] : [])
  ]
  const after = withReview(weighed.payment, {
    events: [...emits, ...weighed.emits],
    isDoubleCharge: moved?.row.on === "SecondChargeReported"
  })
  const said =
    isSilent || isContradicted
      ? operation
      : { ...operation, ...saidFields(fact, now), claimedBy: null, outcome: outcomeOf[fact._tag] }
  const { outcome, reply } = closing(after, said, fact, moved?.isConflict ?? false, isOpen(operation))
  return {
    payment: after,
    // The response to a retry after the claim window is kept.
    operation: { ...said, outcome, reply: operation.reply ?? reply },
    events: [
      ...emits.map((type) => {
        const details = detailsOf(type, operation, fact)
        return paymentEvent(type, after, isContradicted ? { ...details, stated: `${operation.kind}_refused` } : details)
      }),
      ...weighedEvents(after, weighed)
    ]
  }
}

/**
 * The operations in flight that the payment stops waiting for, because a statement about `moved`, an earlier one, moved it
 * on. They end with that commit: the processes that sent them may be dead, and checks look at what a payment waits for.
 */
export const overtaken = (
  operations: ReadonlyArray<Operation>,
  moved: Pick<Operation, "id" | "kind">,
  { state }: Payment
): ReadonlyArray<Operation> =>
  state === "Capturing" || state === "Voiding"
    ? []
    : operations
        .filter(({ id, outcome }) => outcome === null && id !== moved.id)
        .map((operation) => ({
          ...operation,
          outcome: "Conflicted",
          reason: `an earlier ${moved.kind} moved the payment`,
          reply: operation.reply ?? { _tag: "StateConflict" }
        }))

/** The answer to a capture is about that capture, whatever it names. */
const captureOf = (
  { id, kind }: Operation,
  { capture }: Extract<OperationFact, { readonly amountMinor: number }>
): StatedCapture | undefined => (capture === undefined || kind === "void" ? capture : { ...capture, operationId: id })

const takesMoney = (row: PaymentRow): boolean => row.on === "CaptureConfirmed" || row.on === "ChargeCaptured"

const saidFields = (fact: OperationFact, now: number): Pick<Operation, "answeredAt" | "code" | "reason"> => {
  switch (fact._tag) {
    case "Refused":
      return { answeredAt: now, code: fact.code, reason: fact.message }
    case "Unanswered":
      return { answeredAt: null, code: fact.code ?? null, reason: fact.reason }
    case "Mismatched":
      return { answeredAt: now, code: null, reason: mismatchOf(fact.stated) }
    case "NotFound":
      return { answeredAt: now, code: null, reason: "the provider never received it" }
    default:
      return { answeredAt: now, code: null, reason: null }
  }
}

/** The reason of an operation for which the provider stated more than was asked, or another currency. */
export const mismatchOf = ({ currency, minorUnits }: Money): string =>
  `the provider stated ${minorUnits} minor units of ${currency}`

const detailsOf = (type: EventType, { connectionId, id }: Operation, fact: OperationFact): JsonObject => {
  if (type === "payment.amount_mismatch" && fact._tag === "Mismatched") {
    return { stated_amount: fact.stated.minorUnits, stated_currency: fact.stated.currency }
  }
  return type === "payment.conflict" ? { operation_id: id, connection_id: connectionId } : {}
}

/** The row that a fact takes. `isConflict`: it is not the row of a payment that waited for this answer. */
const rowFor = (payment: Payment, operation: Operation, fact: OperationFact) => {
  const { state } = payment
  const row = (on: PaymentEvent) => Result.getOrUndefined(step(PaymentMachine, state, on))
  const isHeard =
    isOpen(operation) || fact._tag === "Confirmed" || fact._tag === "Contradicted" || fact._tag === "Mismatched"
  // An acceptance of what was thought lost: the payment waits for it again, unless it waits for another.
  if (!isHeard && !(fact._tag === "Accepted" && state === "Authorized")) return undefined
  const taken = row(eventOf[operation.kind][fact._tag])
  if (taken !== undefined) return { row: taken, isConflict: fact._tag === "Contradicted" }
  if (fact._tag !== "Confirmed") return undefined
  // The payment had moved meanwhile. What the provider did is done all the same: the truth wins.
  const own = capturesOf(payment).find(({ operationId }) => operationId === operation.id)
  const isOtherAmount = operation.kind === "capture" && fact.amountMinor !== (own?.minorUnits ?? payment.capturedMinor)
  const late =
    row(operation.kind === "capture" ? "ChargeCaptured" : "AuthorizationLapsed") ??
    (isOtherAmount ? row("SecondChargeReported") : undefined)
  return late === undefined ? undefined : { row: late, isConflict: true }
}

/** How the operation ended and the response to its request, by the current payment. */
const closing = (
  payment: Payment,
  { kind, outcome }: Operation,
  fact: OperationFact,
  isConflict: boolean,
  wasOpen: boolean
): { readonly outcome: OperationOutcome | null; readonly reply: OperationReply | null } => {
  const isDone = kind === "capture" ? taken.has(payment.state) : payment.state === "Voided"
  const isOpposite = kind === "capture" ? payment.state === "Voided" : taken.has(payment.state)
  const isOthers = isDone && (!wasOpen || fact._tag === "Refused" || fact._tag === "NotFound")
  if (isConflict || isOpposite || isOthers) return { outcome, reply: { _tag: "StateConflict" } }
  // Even if this response is missing: another source reported first that it happened.
  if (isDone) return { outcome: "Confirmed", reply: { _tag: "Done", payment } }
  if (outcome === "Accepted") return { outcome, reply: { _tag: "Done", payment } }
  // Refused, or another source reported first that nothing happened: the key is free again.
  if (fact._tag === "Refused") return { outcome, reply: null }
  if (payment.state === "Authorized") return { outcome: outcome === "Unanswered" ? "Refused" : outcome, reply: null }
  return { outcome, reply: { _tag: "ResultUnknown" } }
}
