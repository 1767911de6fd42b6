/** The captures and the voids of the simulated provider. */
import type { Environment } from "@pointsman/core"
import type { CaptureRequest, ChargeState, NotSent, Rejected, Unanswered, VoidRequest } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { LaterOn, ProviderWays } from "./CallHandling.ts"
import { type ChargeRecord, capturedByUs, type OperationRecord } from "./ProviderBooks.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import { noCharge, type ProviderCharges } from "./ProviderCharges.ts"
import { captureIdOf, type ProviderMessages } from "./ProviderMessages.ts"

export const providerOperations = (
  { call }: ProviderCalls,
  { answerOf, chargesByRef, take }: ProviderCharges,
  messages: ProviderMessages,
  { givesCaptureIds }: ProviderWays
) => {
  const operations = new Set<string>()
  return (
    kind: OperationRecord["kind"],
    request: VoidRequest | CaptureRequest,
    environment: Environment,
    askedMinor: number
  ): Effect.Effect<ChargeState | Rejected, NotSent | Unanswered> => {
    const charge = chargesByRef.get(request.providerRef)
    if (charge === undefined) return Effect.succeed(noCharge)
    const { operationId } = request
    const about = { name: kind, id: operationId, paymentId: charge.paymentId }
    const isByHand = () => charge.capturesByHand.length > 0
    /** `undefined` where the charge cannot be operated on, or was by this call. */
    const takes = (): OperationRecord | undefined => {
      const isMore = kind === "capture" && leavesRoom(charge, askedMinor)
      if ((charge.state !== "Authorized" && !isMore) || operations.has(operationId)) return undefined
      operations.add(operationId)
      charge.operation = { operationId, kind, state: "Accepted" }
      return charge.operation
    }
    const finish = (operation: OperationRecord | undefined, end: LaterOn) => {
      if (operation === undefined) return
      operation.state = end === "refused" ? "Failed" : "Done"
      if (end === "refused") {
        charge.state = isByHand() ? "Captured" : "Authorized"
        return messages.ofFailure(charge, operation, true)
      }
      if (kind === "void") charge.state = "Canceled"
      messages.ofDone(charge, operation, kind === "capture" && take(charge, about, askedMinor))
    }
    /** Where a person was faster, the provider refuses. */
    const answer = (): ChargeState | Rejected => {
      if (isByHand() && !operations.has(operationId)) return notOpen
      const isOwn = charge.operation?.operationId === operationId && charge.operation.state === "Done"
      return isOwn && givesCaptureIds ? ownCapture(charge, operationId) : answerOf(charge)
    }
    return call<ChargeState | Rejected>(about, environment, {
      execute: () => {
        finish(takes(), "done")
        return answer()
      },
      accept: () => {
        const operation = takes()
        if (operation === undefined) return { answer: answer(), finish: () => {} }
        const { providerRef } = charge
        if (!isByHand()) charge.state = kind === "capture" ? "Capturing" : "Canceling"
        return { answer: { _tag: "Pending", providerRef }, finish: (end) => finish(operation, end) }
      },
      decline: answer
    })
  }
}

const notOpen: Rejected = { _tag: "Rejected", code: "not_open", message: "the charge is captured already" }

/** A person captured a part of it, and left the rest. */
const leavesRoom = (
  { capturedMinor, capturesByHand, isReleased, money, operation, state }: ChargeRecord,
  asked: number
) =>
  state === "Captured" &&
  capturesByHand.length > 0 &&
  !isReleased &&
  (operation === null || operation.state === "Failed") &&
  capturedMinor + asked <= money.minorUnits

const ownCapture = (charge: ChargeRecord, operationId: string): ChargeState =>
  charge.state === "Captured"
    ? {
        ...{ _tag: "Captured", providerRef: charge.providerRef },
        capture: { id: captureIdOf(operationId), money: capturedByUs(charge), operationId }
      }
    : { _tag: "Canceled", providerRef: charge.providerRef }
