/** Reading disputes, keeping evidence for them, and answering them. */
import { Effect } from "effect"
import { type Caller, type KeyReused, NothingSent } from "../decide/CreateRequest.ts"
import type {
  DisputeClosed,
  DisputeNotFound,
  DisputePending,
  EvidenceOrder,
  InvalidEvidence,
  SubmissionAnswered,
  SubmissionOrder
} from "../decide/DisputeOrder.ts"
import type {
  ProviderRefused,
  ResultUnknown,
  StateUnconfirmed,
  TakenByAnother,
  Unsupported
} from "../decide/OperationOrder.ts"
import type { Dispute } from "../model/Dispute.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { ApiKeyRevoked } from "../ports/Ledger.ts"
import type { DisputeQuery } from "../ports/LedgerDisputes.ts"
import type { NotAdmitted } from "../ports/StorageCondition.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { keepEvidence } from "../verbs/dispute/KeepEvidence.ts"
import { dispute, disputes, type EvidenceTaken, evidenceTaken } from "../verbs/dispute/ReadDisputes.ts"
import { submitDispute } from "../verbs/dispute/SubmitDispute.ts"
import type { Page } from "../verbs/read/ReadPayments.ts"
import { actsOf, type DoorContext, requests } from "./DoorContext.ts"
import { type CardNumberFound, storing } from "./StoredTexts.ts"

export type EvidenceFailure =
  | CardNumberFound
  | DisputeNotFound
  | DisputeClosed
  | DisputePending
  | InvalidEvidence
  | ApiKeyRevoked
  | NotAdmitted
  | StorageError

export type SubmissionFailure =
  | DisputeNotFound
  | DisputeClosed
  | DisputePending
  | InvalidEvidence
  | KeyReused
  | TakenByAnother
  | ProviderRefused
  | ResultUnknown
  | StateUnconfirmed
  | Unsupported
  | NotAdmitted
  | NothingSent
  | ApiKeyRevoked

export interface DisputeMethods {
  readonly dispute: (tenant: Tenant, id: string) => Effect.Effect<Dispute, DisputeNotFound | StorageError>
  /** Newest first. */
  readonly disputes: (tenant: Tenant, query: DisputeQuery) => Effect.Effect<Page<Dispute>, StorageError>
  /** What its provider takes as evidence, to ask for that. */
  readonly evidenceTaken: (tenant: Tenant, id: string) => Effect.Effect<EvidenceTaken, DisputeNotFound | StorageError>
  /** Keeps texts and files, sealed, in place of those that were kept before. Nothing is sent. */
  readonly keepEvidence: (caller: Caller, order: EvidenceOrder) => Effect.Effect<Dispute, EvidenceFailure>
  /** Sends the kept evidence, or an acceptance, for good. It succeeds where the provider confirmed. Once claimed it runs to its end. */
  readonly submitDispute: (
    caller: Caller,
    order: SubmissionOrder
  ) => Effect.Effect<SubmissionAnswered, SubmissionFailure>
}

export const disputeMethods = (context: DoorContext): DisputeMethods => {
  const { ask, begin } = requests(context)
  const acts = actsOf(context)
  return {
    dispute: (tenant, id) => ask(dispute(tenant, id)),
    disputes: (tenant, query) => ask(disputes(tenant, query)),
    evidenceTaken: (tenant, id) => ask(evidenceTaken(tenant, id)),
    // The contents are the customer's, and entries cannot be erased: the entry has only the names.
    keepEvidence: (caller, order) =>
      storing(context)(
        order.texts,
        acts(caller, "dispute.keeping_evidence", order.disputeId, {
          texts: Object.keys(order.texts),
          files: order.files.map(({ name }) => name)
        }).pipe(Effect.andThen(begin(keepEvidence(caller, order))))
      ),
    submitDispute: (caller, order) =>
      acts(caller, order.kind === "submit" ? "dispute.submitting" : "dispute.accepting", order.disputeId, {
        idempotency_key: order.idempotencyKey
      }).pipe(
        Effect.mapError((cause) => new NothingSent({ cause })),
        Effect.andThen(begin(Effect.annotateLogs(submitDispute(caller, order), "dispute_id", order.disputeId)))
      )
  }
}
