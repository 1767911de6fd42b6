/** The refunds of the simulated provider. */
import type { Environment } from "@pointsman/core"
import type { Found, NotSent, RefundRequest, RefundState, Rejected, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type ChargeRecord, type RefundRecord, refundedOf, refundStateOf } from "./ProviderBooks.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import { noCharge, type ProviderCharges } from "./ProviderCharges.ts"
import type { ProviderMessages } from "./ProviderMessages.ts"

export interface ProviderRefunds {
  /** By refund. */
  readonly refunds: ReadonlyMap<string, RefundRecord>
  readonly refund: (
    request: RefundRequest,
    environment: Environment
  ) => Effect.Effect<RefundState | Rejected, NotSent | Unanswered>
  readonly lookUpRefund: (refundId: string) => Effect.Effect<Found<RefundState>, Unanswered>
}

export const providerRefunds = (
  { call, lookUp, time }: ProviderCalls,
  { chargesByRef }: ProviderCharges,
  messages: ProviderMessages
): ProviderRefunds => {
  const refunds = new Map<string, RefundRecord>()

  /** Enters a refund, or gives the one that is there; one that the charge does not cover fails. */
  const enter = (request: RefundRequest, charge: ChargeRecord, state: RefundRecord["state"]): RefundRecord => {
    const { refundId } = request
    const known = refunds.get(refundId)
    if (known !== undefined) return known
    const amountMinor = request.money.minorUnits
    const given = refundedOf([...refunds.values()].filter((one) => one.charge === charge))
    const isCovered = charge.state === "Captured" && given + amountMinor <= charge.capturedMinor
    const stateThen = isCovered ? state : "RefundFailed"
    const entry: RefundRecord = { refundId, charge, amountMinor, createdAt: time.now(), state: stateThen }
    refunds.set(refundId, entry)
    messages.ofRefund(entry)
    return entry
  }

  const refund: ProviderRefunds["refund"] = (request, environment) => {
    const charge = chargesByRef.get(request.providerRef)
    if (charge === undefined) return Effect.succeed(noCharge)
    const about = { name: "refund", id: request.refundId, paymentId: charge.paymentId } as const
    return call<RefundState>(about, environment, {
      execute: () => refundStateOf(enter(request, charge, "Succeeded")),
      accept: () => {
        const entry = enter(request, charge, "RefundPending")
        return {
          answer: refundStateOf(entry),
          finish: (end) => {
            if (entry.state !== "RefundPending") return
            entry.state = end === "done" ? "Succeeded" : "RefundFailed"
            messages.ofRefund(entry)
          }
        }
      },
      decline: () => refundStateOf(enter(request, charge, "RefundFailed"))
    })
  }

  const lookUpRefund: ProviderRefunds["lookUpRefund"] = (refundId) =>
    lookUp(refundId, () => {
      const found = refunds.get(refundId)
      return found === undefined ? undefined : refundStateOf(found)
    })

  return { refunds, refund, lookUpRefund }
}
