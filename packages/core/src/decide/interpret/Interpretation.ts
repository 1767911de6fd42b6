/** What interpreting one statement of a provider comes to. */
import { type Attempt, isOldEnough, oldFrom, type SentCall } from "../../model/Attempt.ts"
import type { JsonObject } from "../../model/Event.ts"
import { type Payment, paymentEvent } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { type ChargeRecord, keyUsedCode, type NeverReceived } from "../../model/ProviderStatement.ts"
import { nothingReported, type Reported, withContradiction } from "../../model/Reported.ts"
import { type Applied, unchanged } from "../Applied.ts"
import { withReview } from "../WithReview.ts"
import { isCurrent, type Source } from "./Statement.ts"

export type Interpretation =
  /** Facts to apply, with their events. */
  | { readonly _tag: "Moves"; readonly applied: Applied }
  /** The record says the same. `applied`: where the statement itself is kept on the payment. */
  | { readonly _tag: "Confirms"; readonly applied?: Applied | undefined }
  /** The record is newer, and the statement says nothing else. */
  | { readonly _tag: "Older" }
  /** It counts once a charge, a capture or a void that is under way has ended. `applied`: absent where it is kept already. */
  | { readonly _tag: "Waits"; readonly applied?: Applied | undefined }
  /** The record cannot take it. `applied`: a review with the statement as evidence; absent where it has one already. */
  | { readonly _tag: "Contradicts"; readonly applied?: Applied | undefined }
  /** "Never received" is not believed yet. `from`: epoch milliseconds from which it is; `null` where the provider is not sure. */
  | { readonly _tag: "TooEarly"; readonly from: number | null }
  /** A connector made a statement that is incomplete, or that its source cannot make. */
  | { readonly _tag: "Malformed"; readonly reason: string }

export const confirms: Interpretation = { _tag: "Confirms" }
export const older: Interpretation = { _tag: "Older" }
export const waits: Interpretation = { _tag: "Waits" }
export const moves = (applied: Applied): Interpretation => ({ _tag: "Moves", applied })
/** `undefined` where operators have a review of the same statement. */
export const moved = (applied: Applied | undefined): Interpretation =>
  applied === undefined ? { _tag: "Contradicts" } : moves(applied)

/**
 * Why "never received" is not believed; `undefined` where it is. A message never says it. A lookup and an operator are
 * believed where the provider calls its answer conclusive, and the call is so old that it cannot arrive any more:
 * believed earlier, it would be charged or refunded twice.
 */
export const disbelieved = (
  call: SentCall & { readonly code: string | null },
  { conclusive }: NeverReceived,
  source: Source
): Interpretation | undefined => {
  if (!isCurrent(source)) return { _tag: "Malformed", reason: "a message cannot say that nothing was received" }
  // The provider has something under the key. A person may have seen that it is not this.
  if (call.code === keyUsedCode && source.via === "lookup") return { _tag: "TooEarly", from: null }
  if (!conclusive) return { _tag: "TooEarly", from: null }
  return isOldEnough(call, source) ? undefined : { _tag: "TooEarly", from: oldFrom(call, source.agesFrom) }
}

interface How {
  /** The payment as it is stored, where the statement itself is kept on it already. */
  readonly before?: Payment
  /** Whether refunds are closed until operators have reviewed the payment. */
  readonly isCaptureFailed?: boolean
  /** As above: the provider refunded more than is captured. */
  readonly isRefundExcess?: boolean
}

/** A statement that the record cannot take. A review with the statement as its evidence, once for each `name`. */
export const contradicts = (
  { payment }: PaymentBook,
  name: string,
  evidence: JsonObject,
  now: number,
  { before = payment, ...closes }: How = {}
): Interpretation => {
  const reported = payment.reported ?? nothingReported
  const kept = keep({ ...payment, version: before.version }, reported, now)
  if (reported.contradictions.includes(name)) {
    return { _tag: "Contradicts", ...(payment === before ? {} : { applied: kept }) }
  }
  const contradictions = withContradiction(reported.contradictions, name)
  const noted: Payment = { ...kept.payment, reported: { ...reported, contradictions } }
  const reviewed = withReview(noted, { events: ["payment.conflict"], ...closes })
  return {
    _tag: "Contradicts",
    applied: { ...unchanged, payment: reviewed, events: [paymentEvent("payment.conflict", reviewed, evidence)] }
  }
}

export const evidenceOf = ({ id }: Attempt, state: ChargeRecord): JsonObject => ({
  attempt_id: id,
  provider_reference: state.providerRef,
  stated: state._tag.toLowerCase(),
  ...amountIn(state)
})

const amountIn = (state: ChargeRecord): JsonObject => {
  const capture = state._tag === "Captured" ? state.capture : undefined
  const stated = capture?.money ?? ("stated" in state ? state.stated : undefined)
  return {
    ...(capture === undefined ? {} : { capture_id: capture.id }),
    ...(stated === undefined ? {} : { stated_amount: stated.minorUnits, stated_currency: stated.currency })
  }
}

/** The payment with what was reported. It has a new version in any case: the next statement is decided on this one. */
export const keep = (payment: Payment, reported: Reported, now: number): Applied => ({
  ...unchanged,
  payment: { ...payment, reported, version: payment.version + 1, updatedAt: now }
})
