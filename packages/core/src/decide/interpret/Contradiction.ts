/** A statement that the record cannot take: a review with the statement as its evidence. Pure. */
import type { Attempt } from "../../model/Attempt.ts"
import type { JsonObject } from "../../model/Event.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { paymentEvent } from "../../model/PaymentEvents.ts"
import type { ChargeRecord } from "../../model/ProviderStatement.ts"
import { nothingReported, type Reported, withContradiction } from "../../model/Reported.ts"
import { type Applied, unchanged } from "../Applied.ts"
import { withReview } from "../WithReview.ts"
import type { Interpretation } from "./Interpretation.ts"

interface How {
  /** The payment as it is stored, where the statement itself is kept on it already. */
  readonly before?: Payment
  /** Whether refunds are closed until operators have reviewed the payment. */
  readonly isCaptureFailed?: boolean
  /** As above: the provider refunded more than is captured. */
  readonly isRefundExcess?: boolean
}

/** A review with the statement as its evidence, once for each `name`. */
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
