/** The captures and the voids of the simulated provider. */
import type { Environment } from "@pointsman/core"
import type { CaptureRequest, ChargeState, NotSent, Rejected, Unanswered, VoidRequest } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { LaterOn } from "./CallHandling.ts"
import type { OperationRecord } from "./ProviderBooks.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import { noCharge, type ProviderCharges } from "./ProviderCharges.ts"
import type { ProviderMessages } from "./ProviderMessages.ts"

export type Operate = (
  kind: OperationRecord["kind"],
  request: VoidRequest | CaptureRequest,
  environment: Environment,
  askedMinor: number
) => Effect.Effect<ChargeState | Rejected, NotSent | Unanswered>

export const providerOperations = (
  { call }: ProviderCalls,
  { answerOf, chargesByRef, take }: ProviderCharges,
  messages: ProviderMessages
): Operate => {
  const operations = new Set<string>()
  return (kind, request, environment, askedMinor) => {
    const charge = chargesByRef.get(request.providerRef)
    if (charge === undefined) return Effect.succeed(noCharge)
    const { operationId } = request
    const about = { name: kind, id: operationId, paymentId: charge.paymentId }
    /** `undefined` where the charge cannot be operated on, or was by this call. */
    const takes = (): OperationRecord | undefined => {
      if (charge.state !== "Authorized" || operations.has(operationId)) return undefined
      operations.add(operationId)
      charge.operation = { operationId, kind, state: "Accepted" }
      return charge.operation
    }
    const finish = (operation: OperationRecord | undefined, end: LaterOn) => {
      if (operation === undefined) return
      operation.state = end === "refused" ? "Failed" : "Done"
      if (end === "refused") {
        charge.state = "Authorized"
        return messages.ofFailure(charge, operation, true)
      }
      if (kind === "void") charge.state = "Canceled"
      messages.ofDone(charge, operation, kind === "capture" && take(charge, about, askedMinor))
    }
    return call<ChargeState>(about, environment, {
      execute: () => {
        finish(takes(), "done")
        return answerOf(charge)
      },
      accept: () => {
        const operation = takes()
        if (operation !== undefined) charge.state = kind === "capture" ? "Capturing" : "Canceling"
        return { answer: answerOf(charge), finish: (end) => finish(operation, end) }
      },
      decline: () => answerOf(charge)
    })
  }
}
