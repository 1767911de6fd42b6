/** Payments under review as the console's API shows them. */
import { correctionStates, paymentStatuses, type ReviewFile, reviewReasons, statusOf } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Payment } from "@pointsman/http/api"
import { Result, Schema } from "effect"
import { described, Text, TextOrNull } from "../api/Records.ts"
import { PaymentFile } from "../payments/PaymentRecords.ts"
import { fileView } from "../payments/PaymentViews.ts"
import { fieldsOf, Statement } from "./Statements.ts"

export const Review = Schema.Struct({
  payment: Payment,
  since: Schema.String.annotateKey(described("Since when the payment is under review.")),
  reasons: Schema.Array(Schema.Literals(reviewReasons))
}).annotate({ identifier: "Review", description: "A payment under review." })
export type Review = typeof Review.Type

const NewRefund = Schema.Struct({
  about: Schema.Literal("new_refund"),
  amount: Schema.Int.annotateKey(described("Minor units.")),
  reason: TextOrNull
}).annotate({ identifier: "NewRefund", description: "A refund that is sent once it is approved." })

export const Correction = Schema.Struct({
  id: Text,
  state: Schema.Literals(correctionStates).annotateKey(
    described(
      "`overtaken`: when it was approved, the payment could not take it any more, or a refund was proposed a week before."
    )
  ),
  statement: Schema.Union([...Statement.members, NewRefund]),
  evidence: Text.annotateKey(described("Empty for a refund.")),
  file_sha256: TextOrNull,
  evidence_reference: TextOrNull,
  proposed_by: Text,
  proposed: Text,
  decided_by: TextOrNull,
  decided: TextOrNull,
  reason: TextOrNull.annotateKey(described("Why it was rejected or overtaken."))
}).annotate({ identifier: "Correction", description: "A statement or a refund that a second person has to approve." })

/** A payment after a statement, a refund or a decision. */
export const PaymentWithCorrection = Schema.Struct({ data: Payment, correction: Correction })
export const PaymentAfterStatement = Schema.Struct({
  data: Payment,
  correction: Schema.NullOr(Correction).annotateKey(
    described("The statement or refund, if a second person has to approve it: nothing else of the payment changed.")
  )
})

const Possible = Schema.Struct({
  statement: Statement,
  takes_amount: Schema.Boolean,
  reference: Schema.Literals(["required", "optional", "none"]),
  becomes: Schema.NullOr(Schema.Literals(paymentStatuses)).annotateKey(
    described("The payment's status afterwards; `null` if the statement would be refused.")
  ),
  refusal: Schema.NullOr(Schema.String).annotateKey(described("Why it would be refused now."))
}).annotate({ identifier: "PossibleStatement", description: "A statement, and what would follow from it." })

export const ReviewRecord = Schema.Struct({
  record: PaymentFile,
  revision: Schema.String.annotateKey(
    described("Names this state of the record. Evidence is refused if the payment has changed since.")
  ),
  statements: Schema.Array(Possible),
  corrections: Schema.Array(Correction)
}).annotate({ identifier: "ReviewRecord", description: "What is known of a payment, and what can be stated of it." })
export type ReviewRecord = typeof ReviewRecord.Type

export const reviewView = (payment: Payment, review: { readonly since: number; readonly reasons: Review["reasons"] }) =>
  ({ payment, since: InProcess.timeView(review.since), reasons: review.reasons }) satisfies Review

/** The version that a statement is based on, and the last event: see `ReadRecord` of core. */
export const revisionOf = ({ payment, timeline }: Pick<ReviewFile, "payment" | "timeline">): string =>
  `${payment.version}.${timeline.at(-1)?.id ?? ""}`

export const readRevision = (text: string) => {
  const [, version, lastEventId = ""] = /^(\d{1,16})\.(evt_[0-9a-f-]{36})?$/u.exec(text) ?? []
  return version === undefined ? undefined : { version: Number(version), lastEventId }
}

export const recordView = (file: ReviewFile, payment: Payment): ReviewRecord => ({
  record: fileView(file, payment),
  revision: revisionOf(file),
  corrections: (file.payment.corrections ?? []).map(InProcess.correctionView),
  statements: file.statements.map((possible) => {
    const { amount, reference } = fieldsOf(possible)
    return {
      statement: statementView(possible.stated),
      takes_amount: amount,
      reference,
      ...Result.match(possible.outcome, {
        onFailure: (refusal) => ({ becomes: null, refusal }),
        onSuccess: ({ state }) => ({ becomes: statusOf[state], refusal: null })
      })
    }
  })
})

const statementView = (stated: ReviewFile["statements"][number]["stated"]): Statement => {
  switch (stated._tag) {
    case "Charge":
      return { about: "charge", says: stated.says, attempt_id: stated.attemptId }
    case "Refund":
      return { about: "refund", says: stated.says, refund_id: stated.refundId }
    case "NothingToChange":
      return { about: "nothing" }
  }
}
