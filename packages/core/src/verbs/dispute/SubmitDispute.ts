/**
 * Sends the evidence of a dispute, or its acceptance: writes the submission, asks the provider, records what came of it.
 *
 * A submission is for good, and the provider decides on it. It is written before the provider is asked, and an unknown
 * result is looked up and never sent again.
 */
import { Effect, Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"
import { sendClaimed } from "../../call/CallProvider.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import { type Caller, NothingSent } from "../../decide/CreateRequest.ts"
import { callOf, type SubmissionEnd, submissionFactOf } from "../../decide/DisputeFact.ts"
import { DisputePending, type SubmissionAnswered, type SubmissionOrder } from "../../decide/DisputeOrder.ts"
import { type EvidenceDocument, type EvidenceFile, evidenceContext } from "../../model/Dispute.ts"
import { NotSent, type Unanswered } from "../../model/ProviderStatement.ts"
import type { Connector } from "../../ports/Connector.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { claimSubmission, type SubmissionInHand } from "./ClaimSubmission.ts"
import { dispute } from "./ReadDisputes.ts"
import { answerOf, recordSubmission, recordSubmissionAnswer } from "./RecordSubmission.ts"

/** Once claimed, a request runs to its end, also when its caller goes away. */
export const submitDispute = (caller: Caller, order: SubmissionOrder) =>
  Effect.uninterruptible(submitOnce(caller, order))

/** Why a result is unknown after its caller has stopped waiting. */
export const diedUnanswered = {
  on: "SubmissionUnanswered",
  reason: "the process that sent it did not come back"
} as const

const submitOnce = Effect.fnUntraced(function* (caller: Caller, order: SubmissionOrder) {
  const locks = yield* PaymentLocks
  const { paymentId } = yield* Effect.catchTag(
    dispute(caller.tenant, order.disputeId),
    "pointsman/StorageError",
    (cause) => Effect.fail(new NothingSent({ cause }))
  )
  const claimed = yield* locks.take(paymentId)(claimSubmission(caller, order))
  if (claimed._tag === "Known") {
    const { file, isDead, submission } = claimed
    const recorded = isDead
      ? yield* Effect.mapError(
          recordSubmission(caller.tenant, order.disputeId, submission, diedUnanswered, { storageErrors: "fail" }),
          () => new DisputePending()
        )
      : file.dispute
    return { dispute: yield* answerOf(recorded, submission), isReplay: true } satisfies SubmissionAnswered
  }
  const { file, submission } = claimed.inHand
  const end = yield* send(claimed.inHand)
  const answered = yield* recordSubmissionAnswer(file, submission, submissionFactOf(end))
  return { dispute: answered, isReplay: false } satisfies SubmissionAnswered
})

const send = Effect.fnUntraced(function* (
  inHand: SubmissionInHand
): Effect.fn.Return<SubmissionEnd, never, Effect.Services<ReturnType<typeof sendClaimed>> | Secrets> {
  const { connection, file, submission } = inHand
  const opened = yield* Effect.result(openEvidence(inHand))
  if (Result.isFailure(opened)) {
    return new NotSent({ reason: "the kept evidence cannot be decrypted with this encryption key" })
  }
  const subject = { dispute: file.dispute.id }
  const about = { operation: callOf[submission.kind], paymentId: file.book.payment.id, subject }
  return yield* sendClaimed(connection, about, submission.sentAt, (connector) => ask(connector, inHand, opened.success))
})

interface Evidence {
  readonly texts: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<EvidenceFile>
}

const openEvidence = Effect.fnUntraced(function* ({ evidence, file }: SubmissionInHand) {
  if (evidence === null) return { texts: {}, files: [] } satisfies Evidence
  const secrets = yield* Secrets
  const opened = yield* secrets.open(evidence, evidenceContext(file.dispute.id))
  const { files, texts } = JSON.parse(Redacted.value(opened)) as EvidenceDocument
  return {
    texts,
    files: files.map(({ base64, name, type }) => ({ name, type, bytes: Result.getOrThrow(Base64.decode(base64)) }))
  } satisfies Evidence
})

const ask = (
  connector: Connector,
  { file, submission }: SubmissionInHand,
  evidence: Evidence
): Effect.Effect<SubmissionEnd, NotSent | Unanswered> => {
  const { book, dispute } = file
  const { kind, operationId } = submission
  const request = {
    operationId,
    disputeId: dispute.providerDisputeId ?? "",
    providerRef: dispute.providerRef,
    simulation: book.payment.simulation
  }
  const asked =
    kind === "submit" ? connector.submitDispute?.({ ...request, ...evidence }) : connector.acceptDispute?.(request)
  return asked ?? Effect.fail(new NotSent({ reason: "the connection cannot answer disputes any more" }))
}
