/** The last commit of a submission, with its events. What cannot be recorded is tried again in the background. */
import { Effect, Option } from "effect"
import { recordAnswer } from "../../commit/ClaimCall.ts"
import { type AnyLoop, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { disputeStep } from "../../commit/RecordDispute.ts"
import { applySubmissionFact, type SubmissionFact } from "../../decide/DisputeFact.ts"
import { DisputePending } from "../../decide/DisputeOrder.ts"
import { ProviderRefused, ResultUnknown, StateUnconfirmed } from "../../decide/OperationOrder.ts"
import type { Dispute, Submission } from "../../model/Dispute.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type DisputeFile, disputeFile } from "./ReadDisputes.ts"

/** Records a fact and answers the request; gives the dispute where it went well. */
export const recordSubmissionAnswer = Effect.fnUntraced(function* (
  { book, dispute }: DisputeFile,
  submission: Submission,
  fact: SubmissionFact
) {
  const call = { id: submission.operationId, paymentId: dispute.paymentId }
  const recorded = yield* recordAnswer(call, (how) =>
    recordSubmission(book.payment.tenant, dispute.id, submission, fact, how)
  )
  if (Option.isSome(recorded)) return yield* answerOf(recorded.value, submission)
  // A refusal that is not recorded does not let the merchant submit again yet, so it is reported as unknown.
  if (fact.on === "SubmissionConfirmed") return yield* new StateUnconfirmed({ said: "confirmed" })
  return yield* fact.on === "SubmissionTaken" ? new DisputePending() : new ResultUnknown()
})

/** Writes a fact, however often other writers come first, and gives the dispute as it is then. */
export const recordSubmission = (
  tenant: Tenant,
  disputeId: string,
  { operationId }: Submission,
  fact: SubmissionFact,
  how: Pick<AnyLoop, "storageErrors" | "withLock">
) =>
  decideAndCommit({
    ...how,
    decide: ({ book, dispute }: DisputeFile, now) => {
      const applied = applySubmissionFact(book.payment, dispute, operationId, fact, now)
      // A message or a lookup was faster, or an earlier try had been written.
      if (applied === undefined) return done(dispute)
      return Effect.succeed(write(disputeStep(book, dispute, applied), applied.dispute))
    },
    read: () => disputeFile(tenant, disputeId),
    afterUnknown: () => false
  })

/** The response to a request, by the stage of its submission. */
export const answerOf = (dispute: Dispute, { operationId }: Submission) => {
  const recorded = dispute.submissions.findLast((one) => one.operationId === operationId)
  switch (recorded?.stage) {
    case "Done":
      return Effect.succeed(dispute)
    case "Sending":
    case "Pending":
      return Effect.fail(new DisputePending())
    case "Refused":
      return Effect.fail(
        new ProviderRefused({ message: recorded.failureReason ?? "The provider rejected the request." })
      )
    default:
      return Effect.fail(new ResultUnknown())
  }
}
