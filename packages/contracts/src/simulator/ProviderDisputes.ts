/**
 * The disputes of the simulated provider. It takes evidence once and until the deadline, an acceptance until the
 * dispute has ended, and loses what was not answered in time. A dispute without an id is only stated, and cannot be
 * answered.
 */
import type { Environment } from "@pointsman/core"
import type { Connector, DisputeRequest, Rejected, SubmissionState } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { ChargeRecord, DisputeRecord, DisputeVerdict, SubmissionRecord } from "./ProviderBooks.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import type { ProviderMessages } from "./ProviderMessages.ts"

const noDispute: Rejected = { _tag: "Rejected", code: "no_dispute", message: "no such dispute" }

export type ProviderDisputes = ReturnType<typeof providerDisputes>

export const providerDisputes = (calls: ProviderCalls, messages: ProviderMessages) => {
  const { time } = calls
  /** By the provider's id. */
  const disputes = new Map<string, DisputeRecord>()

  /** A list dates the dispute as the message about it does. */
  const tell = (charge: ChargeRecord, disputeId: string | null, verdict: DisputeVerdict): void => {
    const { at } = messages.ofDispute(charge, disputeId, verdict)
    Object.assign(disputes.get(disputeId ?? "") ?? {}, { changedAt: at })
  }

  const end = (dispute: DisputeRecord, verdict: "won" | "lost", status: DisputeRecord["status"] = verdict): void => {
    const { charge, disputeId } = dispute
    dispute.status = status
    dispute.endedAt ??= time.now()
    charge.disputes.set(disputeId, verdict)
    tell(charge, disputeId, verdict)
  }

  const isOverdue = ({ dueBy }: DisputeRecord): boolean => dueBy !== null && time.now() >= dueBy

  const loseIfOverdue = (dispute: DisputeRecord): void => {
    const isPending = dispute.submissions.some((one) => one.state === "Pending")
    if (dispute.status === "needs_response" && !isPending && isOverdue(dispute)) end(dispute, "lost")
  }

  /** Opens a dispute, or ends it. `dueIn`: milliseconds until the deadline, `null` for none. */
  const state = (charge: ChargeRecord, disputeId: string | null, verdict: DisputeVerdict, dueIn: number | null) => {
    const known = disputeId === null ? undefined : disputes.get(disputeId)
    if (known !== undefined && (verdict === "won" || verdict === "lost")) {
      return end(known, verdict, known.status === "accepted" && verdict === "lost" ? "accepted" : verdict)
    }
    charge.disputes.set(disputeId, verdict)
    const dueBy = dueIn === null ? null : time.now() + dueIn
    if (known !== undefined && known.endedAt !== null) {
      Object.assign(known, { status: "needs_response", endedAt: null, isReopened: true, dueBy })
      if (dueIn !== null) time.after(dueIn, () => loseIfOverdue(known))
    }
    if (disputeId !== null && known === undefined && verdict === "opened") {
      const dispute: DisputeRecord = {
        ...{ disputeId, charge, dueBy, status: "needs_response", endedAt: null, changedAt: time.now() },
        ...{ isReopened: false, submissions: [], askedAgain: [] }
      }
      disputes.set(disputeId, dispute)
      charge.disputeRecords.set(disputeId, dispute)
      if (dueIn !== null) time.after(dueIn, () => loseIfOverdue(dispute))
    }
    tell(charge, disputeId, verdict)
  }

  /** What was sent is done. */
  const move = (dispute: DisputeRecord, kind: SubmissionRecord["kind"]): void => {
    if (kind === "accept") {
      end(dispute, "lost", "accepted")
    } else {
      dispute.status = "under_review"
      tell(dispute.charge, dispute.disputeId, "opened")
    }
  }

  /** Enters a submission or an acceptance, or gives the one that has the id. */
  const take = (
    dispute: DisputeRecord,
    kind: SubmissionRecord["kind"],
    { operationId }: DisputeRequest,
    as: "Pending" | "Done"
  ): SubmissionRecord => {
    const known = dispute.submissions.find((one) => one.operationId === operationId)
    if (known !== undefined) return known
    const isTaken = dispute.submissions.some((one) => one.state !== "Failed")
    if (isTaken) dispute.askedAgain.push(operationId)
    const takes = !isTaken && dispute.status === "needs_response" && !isOverdue(dispute)
    const done = takes ? { takenAt: time.now(), state: as } : { takenAt: null, state: "Failed" as const }
    const entry: SubmissionRecord = { operationId, kind, ...done }
    dispute.submissions.push(entry)
    if (entry.state === "Done") move(dispute, kind)
    return entry
  }

  /** What was pending is done, or was refused. */
  const finish = (dispute: DisputeRecord, entry: SubmissionRecord, isDone: boolean): void => {
    if (entry.state !== "Pending") return
    const hasEnded = dispute.endedAt !== null
    entry.state = isDone && !(entry.kind === "accept" && hasEnded) ? "Done" : "Failed"
    if (hasEnded) return
    if (entry.state === "Done") move(dispute, entry.kind)
    else loseIfOverdue(dispute)
  }

  return { disputes, state, take, finish }
}

export const disputeMethods = (
  { call, lookUp }: ProviderCalls,
  { disputes, finish, take }: ProviderDisputes,
  environment: Environment
) => {
  const answer = (kind: SubmissionRecord["kind"], request: DisputeRequest) => {
    const dispute = disputes.get(request.disputeId)
    if (dispute === undefined) return Effect.succeed(noDispute)
    const name = kind === "submit" ? "submitDispute" : "acceptDispute"
    const about = { name, id: request.operationId, paymentId: dispute.charge.paymentId } as const
    return call<SubmissionState>(about, environment, {
      execute: () => stateOf(take(dispute, kind, request, "Done")),
      accept: () => {
        const entry = take(dispute, kind, request, "Pending")
        return { answer: stateOf(entry), finish: (later) => finish(dispute, entry, later === "done") }
      },
      decline: () => refused
    })
  }

  return {
    submitDispute: (request) => answer("submit", request),
    acceptDispute: (request) => answer("accept", request),
    lookUpDispute: ({ disputeId, operationId }) =>
      lookUp(operationId, () => {
        const entry = disputes.get(disputeId)?.submissions.find((one) => one.operationId === operationId)
        return entry && { state: stateOf(entry) }
      })
  } satisfies Partial<Connector>
}

const refused: SubmissionState = { _tag: "SubmissionFailed", reason: "the evidence is not taken" }

const stateOf = ({ state }: SubmissionRecord): SubmissionState =>
  state === "Failed" ? refused : { _tag: state === "Done" ? "SubmissionDone" : "SubmissionPending" }
