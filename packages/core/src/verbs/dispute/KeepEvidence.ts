/** Keeps texts and files for a dispute, sealed, until they are submitted. They take the place of what was kept before. */
import { Effect, Redacted } from "effect"
import { Base64 } from "effect/encoding"
import { asStorageError, decideAndCommit, write } from "../../commit/DecideAndCommit.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import { disputeStep } from "../../commit/RecordDispute.ts"
import type { Caller } from "../../decide/CreateRequest.ts"
import { DisputeClosed, DisputePending, type EvidenceOrder } from "../../decide/DisputeOrder.ts"
import { evidenceFault, typeOfFile } from "../../decide/EvidenceFiles.ts"
import {
  awaitsResponse,
  type Dispute,
  type EvidenceDocument,
  evidenceContext,
  type KeptEvidence,
  openSubmission
} from "../../model/Dispute.ts"
import { keyStorageError, Secrets } from "../../ports/Secrets.ts"
import { type DisputeFile, dispute, disputeFile } from "./ReadDisputes.ts"

export const keepEvidence = Effect.fnUntraced(function* ({ tenant }: Caller, order: EvidenceOrder) {
  const fault = evidenceFault(order)
  if (fault !== undefined) return yield* fault
  const secrets = yield* Secrets
  const locks = yield* PaymentLocks
  const found = yield* dispute(tenant, order.disputeId)
  yield* refuseClosed(found)
  const document = documentOf(order)
  const sealed = yield* secrets
    .seal(Redacted.make(JSON.stringify(document)), evidenceContext(found.id))
    .pipe(Effect.mapError(keyStorageError("sealing evidence")))
  return yield* decideAndCommit({
    withLock: locks.take(found.paymentId),
    read: () => disputeFile(tenant, order.disputeId),
    decide: Effect.fnUntraced(function* ({ book, dispute }: DisputeFile, now) {
      yield* refuseClosed(dispute)
      const after: Dispute = { ...dispute, evidence: keptOf(order, document, now), updatedAt: now }
      const evidence = [{ id: dispute.id, paymentId: dispute.paymentId, sealed }]
      return write(disputeStep(book, dispute, { dispute: after, events: [] }, evidence), after)
    }),
    // Written again, it is the same.
    afterUnknown: () => false,
    storageErrors: "fail"
  }).pipe(Effect.mapError(asStorageError("keeping evidence")))
})

/** Evidence is taken until it is submitted. */
export const refuseClosed = (dispute: Dispute): Effect.Effect<void, DisputeClosed | DisputePending> => {
  if (openSubmission(dispute) !== undefined) return Effect.fail(new DisputePending())
  return awaitsResponse(dispute) && dispute.evidenceSubmittedAt === null
    ? Effect.void
    : Effect.fail(new DisputeClosed())
}

const documentOf = ({ files, texts }: EvidenceOrder): EvidenceDocument => ({
  texts,
  files: files.flatMap(({ bytes, name }) => {
    const type = typeOfFile(bytes)
    return type === undefined ? [] : [{ name, type, base64: Base64.encode(bytes) }]
  })
})

const keptOf = ({ files, texts }: EvidenceOrder, document: EvidenceDocument, now: number): KeptEvidence => ({
  texts: Object.keys(texts),
  files: document.files.map(({ name, type }, at) => ({ name, type, bytes: files[at]?.bytes.length ?? 0 })),
  keptAt: now
})
