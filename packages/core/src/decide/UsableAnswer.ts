/** What a connector answered, checked: what money could rest on is complete, or it is an unanswered call. */
import {
  type ChargeAnswer,
  type ChargeRecord,
  type OperationState,
  type RefundAnswer,
  type StatedCapture,
  Unanswered
} from "../model/ProviderStatement.ts"

/** A connector is third-party code: what it returns may be malformed. */
const answers: Readonly<Record<ChargeAnswer["_tag"], true>> = {
  Authorized: true,
  Captured: true,
  Pending: true,
  Declined: true,
  NeedsCustomer: true,
  Canceled: true,
  Rejected: true
}

/** A success that names no charge, or an invalid amount, is no answer to build on: it may have executed. */
export const asUsable = <Answer extends ChargeAnswer>(answer: Answer): Answer | Unanswered => {
  if (!Object.hasOwn(answers, answer._tag)) {
    return new Unanswered({ reason: "the connector gave a malformed answer" })
  }
  if (answer._tag !== "Authorized" && answer._tag !== "Captured" && answer._tag !== "Pending") return answer
  if (typeof answer.providerRef !== "string" || answer.providerRef === "")
    return new Unanswered({ reason: "the connector gave no provider reference" })
  if (answer._tag === "Captured" && !isUsableCapture(answer.capture)) {
    return new Unanswered({ reason: "the connector stated an invalid capture" })
  }
  return isUsableAmount(answer.stated) ? answer : new Unanswered({ reason: "the connector stated an invalid amount" })
}

const isUsableCapture = (capture: StatedCapture | undefined): boolean =>
  capture === undefined || (isUsableId(capture.id) && capture.money !== undefined && isUsableAmount(capture.money))

/** It is stored with the payment. */
const isUsableId = (id: unknown): boolean => typeof id === "string" && id !== "" && id.length <= 255

/** Of a lookup: what a customer approved on a checkout is no answer to a call, and names nothing that money rests on. */
export const asUsableRecord = (record: ChargeRecord): ChargeRecord | Unanswered =>
  record._tag === "Approved" ? record : asUsable(record)

export const isUsableAmount = (stated: { readonly minorUnits: number } | undefined): boolean =>
  stated === undefined || (Number.isSafeInteger(stated.minorUnits) && stated.minorUnits > 0)

/** A success without the refund's id, or with an invalid amount, is nothing to build on: it may have executed. */
export const asUsableRefund = <Answer extends RefundAnswer>(answer: Answer): Answer | Unanswered => {
  if (answer._tag !== "Succeeded" && answer._tag !== "RefundPending") return answer
  if (typeof answer.providerRefundId !== "string" || answer.providerRefundId === "") {
    return new Unanswered({ reason: "the connector gave no refund id" })
  }
  return isUsableAmount(answer.stated) ? answer : new Unanswered({ reason: "the connector stated an invalid amount" })
}

const operationStates: Readonly<Record<OperationState["_tag"], true>> = {
  OperationConfirmed: true,
  OperationPending: true,
  OperationFailed: true
}

export const asUsableOperation = (state: OperationState): OperationState | Unanswered => {
  if (!Object.hasOwn(operationStates, state._tag)) {
    return new Unanswered({ reason: "the connector gave a malformed statement" })
  }
  if (state._tag === "OperationConfirmed" && state.captureId !== undefined && !isUsableId(state.captureId)) {
    return new Unanswered({ reason: "the connector stated an invalid capture" })
  }
  return "stated" in state && !isUsableAmount(state.stated)
    ? new Unanswered({ reason: "the connector stated an invalid amount" })
    : state
}
