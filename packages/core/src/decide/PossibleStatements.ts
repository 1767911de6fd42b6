/** What an operator can state of a payment, and what would follow: tried on the record, never written. Pure. */
import { Result } from "effect"
import { type Attempt, wasNeverSent } from "../model/Attempt.ts"
import { type OperatorStatement, statedOfCharges, statedOfRefunds } from "../model/OperatorStatement.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { applyEvidence, type EvidenceTime, type Refusal } from "./OperatorEvidence.ts"

export interface PossibleStatement {
  /** Without an amount and without a reference: of all that was asked for, under the reference that is recorded. */
  readonly stated: OperatorStatement
  /** Whether it has to name the provider's reference: none is recorded. */
  readonly needsReference: boolean
  /** The payment as it would be, or why the statement would be refused now. */
  readonly outcome: Result.Result<Payment, Refusal>
}

/** Of every call that may have reached a provider: the newest first, refunds before charges. */
export const possibleStatements = (book: PaymentBook, at: EvidenceTime): ReadonlyArray<PossibleStatement> =>
  [
    ...book.refunds.toReversed().flatMap(({ id, providerRefundId }) => ofRefund(id, providerRefundId)),
    ...book.attempts
      .filter((attempt) => !wasNeverSent(attempt))
      .toReversed()
      .flatMap(ofAttempt),
    ...failures.map((says) => ({ stated: charge(says, null), needsReference: false })),
    { stated: { _tag: "NothingToChange" as const }, needsReference: false }
  ].map(({ needsReference, stated }) => ({
    stated,
    needsReference,
    outcome: Result.map(
      applyEvidence(book, needsReference ? withReference(stated) : stated, noEvidence, at),
      ({ payment }) => payment
    )
  }))

type Tried = Pick<PossibleStatement, "stated" | "needsReference">

type Charge = Extract<OperatorStatement, { readonly _tag: "Charge" }>

/** They are about the newest capture or void, whichever attempt it belongs to. */
const failures = ["capture_failed", "void_failed"] as const satisfies ReadonlyArray<Charge["says"]>

const charge = (says: Charge["says"], attemptId: string | null): Charge => ({
  _tag: "Charge",
  says,
  attemptId,
  amountMinor: null,
  providerRef: null
})

const ofAttempt = ({ id, providerRef }: Attempt): ReadonlyArray<Tried> =>
  statedOfCharges
    .filter((says) => !failures.some((failure) => failure === says))
    .map((says) => ({ stated: charge(says, id), needsReference: says !== "never_received" && providerRef === null }))

const ofRefund = (refundId: string, known: string | null): ReadonlyArray<Tried> =>
  statedOfRefunds.map((says) => ({
    stated: { _tag: "Refund", says, refundId, providerRefundId: null },
    needsReference: says === "succeeded" && known === null
  }))

/** What the operator will read at the provider; which one does not change what follows. */
const withReference = (stated: OperatorStatement): OperatorStatement => {
  switch (stated._tag) {
    case "Charge":
      return { ...stated, providerRef: "reference" }
    case "Refund":
      return { ...stated, providerRefundId: "reference" }
    case "NothingToChange":
      return stated
  }
}

const noEvidence = { evidence: "", by: "" }
