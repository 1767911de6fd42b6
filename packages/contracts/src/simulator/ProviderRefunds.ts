/** The refunds of the simulated provider. */
import type { Environment } from "@pointsman/core"
import type { FoundRefund, RefundRequest, RefundState } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { LaterOn } from "./CallHandling.ts"
import {
  type ChargeRecord,
  providerRefundIdOf,
  type RefundRecord,
  refundableAtProvider,
  refundStateOf
} from "./ProviderBooks.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import { noCharge, type ProviderCharges } from "./ProviderCharges.ts"
import type { ProviderMessages } from "./ProviderMessages.ts"

export interface RefundLater {
  /** In milliseconds. */
  readonly after: number
  /** `canceled`: the provider reports nothing. */
  readonly becomes: LaterOn
}

export type ProviderRefunds = ReturnType<typeof providerRefunds>

export const providerRefunds = (
  { call, lookUp, time }: ProviderCalls,
  { chargesByRef }: ProviderCharges,
  messages: ProviderMessages
) => {
  /** By refund. */
  const refunds = new Map<string, RefundRecord>()

  /** Enters a refund, or gives the one that is there; one that the charge does not cover fails. */
  const enter = (request: RefundRequest, charge: ChargeRecord, state: RefundRecord["state"]): RefundRecord => {
    const { refundId } = request
    const known = refunds.get(refundId)
    if (known !== undefined) return known
    const amountMinor = request.money.minorUnits
    const isCovered = amountMinor <= refundableAtProvider(charge, refunds.values())
    return write({ refundId, isByHand: false, charge, amountMinor, state: isCovered ? state : "RefundFailed" })
  }

  const write = (made: Omit<RefundRecord, "createdAt" | "letters">): RefundRecord => {
    const entry: RefundRecord = { ...made, createdAt: time.now(), letters: [] }
    refunds.set(entry.refundId, entry)
    messages.ofRefund(entry)
    return entry
  }

  const finish = (entry: RefundRecord, end: LaterOn) => {
    if (entry.state !== "RefundPending") return
    entry.state = end === "done" ? "Succeeded" : "RefundFailed"
    if (!(entry.isByHand && end === "canceled")) messages.ofRefund(entry)
  }

  /** A person refunds; `later`: it is pending until then. */
  const byHand = (charge: ChargeRecord, amountMinor: number, later: RefundLater | null): void => {
    const state = later === null ? "Succeeded" : "RefundPending"
    const entry = write({ refundId: `hand_${refunds.size + 1}`, isByHand: true, charge, amountMinor, state })
    if (later !== null) time.after(later.after, () => finish(entry, later.becomes))
  }

  const refund = (request: RefundRequest, environment: Environment) => {
    const charge = chargesByRef.get(request.providerRef)
    if (charge === undefined) return Effect.succeed(noCharge)
    const about = { name: "refund", id: request.refundId, paymentId: charge.paymentId } as const
    return call<RefundState>(about, environment, {
      execute: () => refundStateOf(enter(request, charge, "Succeeded")),
      accept: () => {
        const entry = enter(request, charge, "RefundPending")
        return { answer: refundStateOf(entry), finish: (end) => finish(entry, end) }
      },
      decline: () => refundStateOf(enter(request, charge, "RefundFailed"))
    })
  }

  /** As the record of a charge lists them. */
  const listedOf = (charge: ChargeRecord): ReadonlyArray<FoundRefund> =>
    [...refunds.values()]
      .filter((one) => one.charge === charge)
      .map((one) => ({ refundId: one.isByHand ? null : one.refundId, state: refundStateOf(one) }))

  /** By our id, or by the provider's where that is known. */
  const lookUpRefund = (refundId: string, providerRefundId: string | null) =>
    lookUp(refundId, () => {
      const named = [...refunds.values()].find((one) => providerRefundIdOf(one.refundId) === providerRefundId)
      const found = refunds.get(refundId) ?? named
      return found && { state: refundStateOf(found) }
    })

  return { refunds, refund, byHand, listedOf, lookUpRefund }
}
