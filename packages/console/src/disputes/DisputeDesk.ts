/** What operators read of disputes, and answer to them, through core's door. */
import {
  type Dispute,
  type DisputeStatus,
  type EvidenceFailure,
  type EvidenceOrder,
  type Page,
  Pointsman,
  type SubmissionFailure,
  type SubmissionKind
} from "@pointsman/core"
import { awaitsResponse } from "@pointsman/core/internal"
import { wordedBodyOf } from "@pointsman/http"
import { Cause, Effect } from "effect"
import { internalError, told } from "../api/Errors.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"

export interface DisputePath extends TenantPath {
  readonly dispute: string
}

/** Disputes of one payment, and of each open status: a page shows no more. */
export const shownAtMost = 200

/** Newest first. */
export const disputes = Effect.fnUntraced(function* (
  path: TenantPath,
  query: {
    readonly status?: DisputeStatus | undefined
    readonly paymentId?: string | undefined
    readonly before?: string | undefined
    readonly limit: number
  }
) {
  const { tenant } = yield* callerOf(path)
  return yield* Effect.catch((yield* Pointsman).disputes(tenant, query), internalError)
})

const openStatuses = ["needs_response", "warning", "under_review"] as const satisfies ReadonlyArray<DisputeStatus>

/** Those that the provider waits for, the earliest deadline first and those without one last; then the others. */
export const openDisputes = Effect.fnUntraced(function* (path: TenantPath) {
  const pages: ReadonlyArray<Page<Dispute>> = yield* Effect.forEach(openStatuses, (status) =>
    disputes(path, { status, limit: shownAtMost })
  )
  return {
    items: pages.flatMap(({ items }) => items).toSorted(byDeadline),
    hasMore: pages.some(({ hasMore }) => hasMore)
  }
})

const urgency = (dispute: Dispute): number => {
  if (!awaitsResponse(dispute)) return Number.MAX_SAFE_INTEGER
  return dispute.evidenceDueBy ?? Number.MAX_SAFE_INTEGER - 1
}

const byDeadline = (one: Dispute, other: Dispute): number =>
  urgency(one) - urgency(other) || one.createdAt - other.createdAt

export const dispute = Effect.fnUntraced(function* (path: DisputePath) {
  const { tenant } = yield* callerOf(path)
  return yield* (yield* Pointsman).dispute(tenant, path.dispute).pipe(told)
})

/** What the dispute's provider takes as evidence. */
export const evidenceTaken = Effect.fnUntraced(function* (path: DisputePath) {
  const { tenant } = yield* callerOf(path)
  return yield* (yield* Pointsman).evidenceTaken(tenant, path.dispute).pipe(told)
})

export type Evidence = Pick<EvidenceOrder, "texts" | "files">

/** Under the operator's login. In place of what was kept before. */
export const keepEvidence = Effect.fnUntraced(function* (path: DisputePath, { files, texts }: Evidence) {
  const caller = yield* callerOf(path)
  return yield* (yield* Pointsman).keepEvidence(caller, { disputeId: path.dispute, texts, files }).pipe(
    Effect.tapError(reportFailure),
    Effect.mapError((reason) => wordedBodyOf("keepEvidence", reason))
  )
})

/** Under the operator's login, once for a key. */
export const answer = Effect.fnUntraced(function* (path: DisputePath, kind: SubmissionKind, idempotencyKey: string) {
  const caller = yield* callerOf(path)
  return yield* (yield* Pointsman).submitDispute(caller, { disputeId: path.dispute, kind, idempotencyKey }).pipe(
    Effect.tapError(reportFailure),
    Effect.mapError((reason) => wordedBodyOf("submitDispute", reason))
  )
})

type AnswerFailure = EvidenceFailure | SubmissionFailure

const reportFailure = (reason: AnswerFailure) =>
  reason._tag === "pointsman/NothingSent" || reason._tag === "pointsman/StorageError"
    ? Effect.logError(reason._tag, Cause.die(reason.cause))
    : Effect.void
