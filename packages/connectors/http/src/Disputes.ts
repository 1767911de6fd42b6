/** Disputes in the provider protocol: what a message states of one, and the answers to evidence and acceptances. */
import {
  type Clean,
  type DisputeReason,
  type DisputeStatus,
  type DisputeSubmission,
  disputeReasons,
  type Found,
  isSuccess,
  money,
  type Rejected,
  type StatedDispute,
  type SubmissionKind,
  type SubmissionState,
  type TransportAnswer
} from "@pointsman/core/connector"
import { Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { notFound, type Read, readable, refusal, unreadable, unsupported } from "./Answers.ts"
import * as Protocol from "./Protocol.ts"

type Details = Omit<StatedDispute, "disputeId" | "verdict">

const reasons: ReadonlySet<string> = new Set(disputeReasons)

/** Earlier adapters sent other fields of the charge here: what is not as the protocol says is not stated. */
export const detailsOf = (data: Readonly<Record<string, unknown>>, clean: Clean): Details => {
  const given = <Name extends keyof typeof Protocol.DisputeDetails>(
    name: Name
  ): (typeof Protocol.DisputeDetails)[Name]["Type"] | undefined => {
    const read = Schema.decodeUnknownResult(Protocol.DisputeDetails[name] as Schema.Codec<unknown>)(data[name])
    return Result.isSuccess(read) ? (read.success as (typeof Protocol.DisputeDetails)[Name]["Type"]) : undefined
  }
  const status = given("status")
  const amount = given("amount")
  const currency = given("currency")
  const reason = given("reason")
  const providerReason = given("provider_reason") ?? reason
  const dueBy = given("evidence_due_by")
  return {
    ...(status === undefined ? {} : { status }),
    ...(amount === undefined || currency === undefined ? {} : { money: money(amount, currency) }),
    ...(reason === undefined ? {} : { reason: reasons.has(reason) ? (reason as DisputeReason) : "other" }),
    ...(providerReason === undefined ? {} : { providerReason: clean(providerReason) }),
    ...(dueBy === undefined ? {} : { dueBy: Date.parse(dueBy) })
  }
}

type DisputeType = "dispute.opened" | "dispute.updated" | "dispute.won" | "dispute.lost"

/**
 * An update has the verdict of its status. Without one it says that the dispute continues unchanged. That a type and a
 * status do not agree is for core to find.
 */
export const verdictOf = (
  type: DisputeType,
  status: DisputeStatus | undefined
): Pick<StatedDispute, "verdict" | "isContinued"> => {
  switch (type) {
    case "dispute.won":
      return { verdict: "won" }
    case "dispute.lost":
      return { verdict: "lost" }
    case "dispute.opened":
      return { verdict: status === "warning" ? null : "opened" }
    case "dispute.updated":
      if (status === undefined) return { verdict: "opened", isContinued: true }
      if (status === "warning") return { verdict: null }
      if (status === "won") return { verdict: "won" }
      return { verdict: status === "lost" || status === "accepted" ? "lost" : "opened" }
  }
}

export const submissionBody = ({ files, operationId, texts }: DisputeSubmission) => ({
  operation_id: operationId,
  texts,
  files: files.map(({ bytes, name, type }) => ({ name, type, base64: Base64.encode(bytes) }))
})

/** The statuses of a dispute whose provider has what was sent. */
const doneIn: Readonly<Record<SubmissionKind, ReadonlySet<string>>> = {
  submit: new Set(["under_review", "warning", "won", "lost"]),
  accept: new Set(["accepted", "lost"])
}

/** A dispute that still waits for an answer has not taken it yet. */
export const submissionAnswer = (
  answer: TransportAnswer,
  kind: SubmissionKind,
  disputeId: string,
  clean: Clean
): Read<SubmissionState | Rejected> => {
  if (answer.status === 501) return Result.succeed(unable)
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.AnsweredDispute, answer), (dispute): Read<SubmissionState> => {
    if (dispute.dispute_id !== disputeId) return unreadable(answer, "dispute_id")
    return Result.succeed({ _tag: doneIn[kind].has(dispute.status) ? "SubmissionDone" : "SubmissionPending" })
  })
}

/** By 501, and nothing else, an adapter says that it lacks an optional call. */
const unable: Rejected = {
  _tag: "Rejected",
  code: "unsupported",
  message: "The adapter cannot answer disputes (status 501). Nothing was sent to the provider."
}

export const foundSubmission = (
  answer: TransportAnswer,
  kind: SubmissionKind,
  operationId: string,
  clean: Clean
): Read<Found<SubmissionState>> => {
  if (answer.status === 501) return unsupported("lookup of operations")
  if (!isSuccess(answer)) return notFound(answer, "operation_id", operationId)
  return Result.flatMap(readable(Protocol.SubmittedOperation, answer), (operation): Read<Found<SubmissionState>> => {
    if (operation.operation_id !== operationId) return unreadable(answer, "operation_id")
    if (operation.kind !== `dispute_${kind}`) return unreadable(answer, "kind")
    return Result.succeed({ _tag: "Found", state: stateOf(operation, clean) })
  })
}

const stateOf = (operation: typeof Protocol.SubmittedOperation.Type, clean: Clean): SubmissionState => {
  switch (operation.status) {
    case "confirmed":
      return { _tag: "SubmissionDone" }
    case "pending":
      return { _tag: "SubmissionPending" }
    case "failed": {
      const reason = operation.failure_reason ?? ""
      return { _tag: "SubmissionFailed", reason: reason === "" ? null : clean(reason) }
    }
  }
}
