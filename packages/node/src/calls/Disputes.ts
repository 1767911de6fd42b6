/** Disputes, the evidence that is kept for them, and what they are answered. */
import * as Core from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Effect } from "effect"
import { errorOf } from "../ErrorOf.ts"
import { checkId, checkOptions, disputesQuery, evidenceFields } from "../Orders.ts"
import { callerOf, type Defaults, failing, fromStore, readerOf } from "./RunCall.ts"

export const disputes = Effect.fnUntraced(function* (defaults: Defaults, query: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const page = yield* pointsman.disputes(tenant, yield* disputesQuery(query)).pipe(fromStore)
  return InProcess.pageView(page, InProcess.disputeView)
})

export const dispute = Effect.fnUntraced(function* (defaults: Defaults, disputeId: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const found = yield* pointsman
    .dispute(tenant, yield* checkId("disputeId", disputeId))
    .pipe(failing((failure) => errorOf(InProcess.errorBodyOf("dispute", failure))))
  return InProcess.disputeView(found)
})

export const keepEvidence = Effect.fnUntraced(function* (
  defaults: Defaults,
  disputeId: unknown,
  evidence: unknown,
  options: unknown
) {
  const pointsman = yield* Core.Pointsman
  const caller = yield* callerOf(defaults, yield* checkOptions(options, false))
  const order = { disputeId: yield* checkId("disputeId", disputeId), ...(yield* evidenceFields(evidence)) }
  const kept = yield* pointsman
    .keepEvidence(caller, order)
    .pipe(failing((failure) => errorOf(InProcess.wordedBodyOf("keepEvidence", failure))))
  return InProcess.disputeView(kept)
})

export const answerDispute = Effect.fnUntraced(function* (
  kind: Core.SubmissionKind,
  defaults: Defaults,
  disputeId: unknown,
  options: unknown
) {
  const pointsman = yield* Core.Pointsman
  const given = yield* checkOptions(options, true)
  const caller = yield* callerOf(defaults, given)
  const id = yield* checkId("disputeId", disputeId)
  const { dispute, isReplay } = yield* pointsman
    .submitDispute(caller, { disputeId: id, kind, idempotencyKey: given.idempotencyKey })
    .pipe(failing((failure) => errorOf(InProcess.wordedBodyOf("submitDispute", failure))))
  return { dispute: InProcess.disputeView(dispute), isReplay }
})
