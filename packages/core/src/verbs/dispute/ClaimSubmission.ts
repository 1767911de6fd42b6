/**
 * What is written before a provider is sent evidence or an acceptance: the submission with its key, in one commit with the
 * version of the payment. Of requests that come at once, one is written and sent. A commit of which it is not known whether
 * it was written is not sent on.
 */
import { Clock, Effect, Option } from "effect"
import { submissionId } from "../../call/CallIds.ts"
import { OpenConnections } from "../../call/CallProvider.ts"
import { claimCall, connectionInAccount, connectorOf } from "../../commit/ClaimCall.ts"
import { claimGuard } from "../../commit/CommitChange.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { disputeStep } from "../../commit/RecordDispute.ts"
import { type Caller, KeyReused, NothingSent } from "../../decide/CreateRequest.ts"
import { DisputePending, InvalidEvidence, type SubmissionOrder } from "../../decide/DisputeOrder.ts"
import { Unsupported } from "../../decide/OperationOrder.ts"
import type { Connection } from "../../model/Connection.ts"
import { type Dispute, firstSubmissionStage, mostSubmissions, type Submission } from "../../model/Dispute.ts"
import { Ids } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { refuseClosed } from "./KeepEvidence.ts"
import { type DisputeFile, disputeFile } from "./ReadDisputes.ts"

export interface SubmissionInHand {
  /** The dispute including the submission, and its payment. */
  readonly file: DisputeFile
  readonly submission: Submission
  readonly connection: Connection
  /** Sealed; `null` for an acceptance. */
  readonly evidence: string | null
}

interface Begun {
  readonly _tag: "Begun"
  readonly inHand: SubmissionInHand
}

/** An earlier request under the key. `isDead`: its process did not come back. */
interface Known {
  readonly _tag: "Known"
  readonly file: DisputeFile
  readonly submission: Submission
  readonly isDead: boolean
}

/** The submission that may be sent; or what its key already names. */
export const claimSubmission = Effect.fnUntraced(function* (caller: Caller, order: SubmissionOrder) {
  const loop = {
    decide: (file: DisputeFile) =>
      Effect.gen(function* () {
        const known = yield* knownUnder(file, order)
        if (known !== undefined) return done(known)
        const inHand = yield* begin(caller, order, file)
        const { book, dispute } = inHand.file
        const step = {
          ...disputeStep(book, file.dispute, { dispute, events: [] }),
          apiKeyHash: caller.apiKeyHash,
          guard: claimGuard(yield* PaymentSettings, null)
        }
        return write<Begun>(step, { _tag: "Begun", inHand })
      }),
    read: () => disputeFile(caller.tenant, order.disputeId)
  }
  return yield* claimCall(loop, DisputePending, releaseClaim)
})

const knownUnder = Effect.fnUntraced(function* (file: DisputeFile, { idempotencyKey, kind }: SubmissionOrder) {
  if (idempotencyKey === null) return undefined
  const submission = file.dispute.submissions.findLast((one) => one.idempotencyKey === idempotencyKey)
  if (submission === undefined) return undefined
  if (submission.kind !== kind) return yield* new KeyReused()
  const { claimWindowMillis } = yield* PaymentSettings
  const isDead =
    submission.stage === "Sending" && (yield* Clock.currentTimeMillis) - submission.sentAt >= claimWindowMillis
  return { _tag: "Known", file, submission, isDead } satisfies Known
})

const begin = Effect.fnUntraced(function* (
  caller: Caller,
  { idempotencyKey, kind }: SubmissionOrder,
  file: DisputeFile
) {
  const { book, dispute } = file
  yield* refuseClosed(dispute)
  const connections = yield* OpenConnections
  const attempt = book.attempts.find(({ id }) => id === dispute.attemptId)
  const connection = yield* connectionInAccount(book, dispute.connectionId, attempt, () => new Unsupported())
  const connector = yield* connectorOf(connection)
  const can = kind === "submit" ? connector.submitDispute : connector.acceptDispute
  if (can === undefined || dispute.providerDisputeId === null) return yield* new Unsupported()
  const evidence = kind === "submit" ? yield* keptEvidence(caller, dispute) : null
  // A jump of the clock is noticed before its time is written.
  ;(yield* StorageClock)?.agesFrom()
  const now = yield* Clock.currentTimeMillis
  const submission: Submission = {
    operationId: yield* submissionId(caller.tenant, dispute, kind, idempotencyKey),
    claimedBy: yield* (yield* Ids).claim,
    kind,
    stage: firstSubmissionStage,
    idempotencyKey,
    timeoutMillis: connections.timeoutMillis(connection),
    sentAt: now,
    answeredAt: null,
    code: null,
    failureReason: null
  }
  const submissions = [...dispute.submissions, submission].slice(-mostSubmissions)
  const claimed: Dispute = { ...dispute, submissions, updatedAt: now }
  return { file: { book, dispute: claimed }, submission, connection, evidence } satisfies SubmissionInHand
})

/** Read after the dispute, like that after its payment: a commit on this version finds the same. */
const keptEvidence = Effect.fnUntraced(function* ({ tenant }: Caller, { evidence, id, paymentId }: Dispute) {
  const ledger = yield* Ledger
  const kept = Effect.mapError(ledger.evidence(tenant, paymentId, id), (cause) => new NothingSent({ cause }))
  const sealed = evidence === null ? "" : Option.getOrElse(yield* kept, () => "")
  if (sealed !== "") return sealed
  return yield* new InvalidEvidence({ field: "evidence", expected: "evidence that is kept for the dispute" })
})

/**
 * It is not known whether the submission was written, or may still be; nothing may be sent on it. A write that takes its
 * place removes it where it was written, and makes sure that it cannot be where it was not.
 */
const releaseClaim = Effect.fnUntraced(function* ({ inHand: { file, submission } }: Begun) {
  const { tenant, version } = file.book.payment
  yield* decideAndCommit({
    decide: ({ book, dispute }: DisputeFile) => {
      const { payment } = book
      const ours = dispute.submissions.find(({ claimedBy }) => claimedBy === submission.claimedBy)
      // Not there, and its version has passed; or it is settled already.
      const isOver = ours === undefined ? payment.version > version : ours.stage !== "Sending"
      if (isOver) return done(undefined)
      const submissions = dispute.submissions.filter((one) => one !== ours)
      return Effect.succeed(
        write(disputeStep(book, dispute, { dispute: { ...dispute, submissions }, events: [] }), undefined)
      )
    },
    read: () => disputeFile(tenant, file.dispute.id),
    afterUnknown: () => false,
    storageErrors: "retry"
  })
})
