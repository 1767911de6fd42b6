/** The charges of the simulated provider: how they get into its books, by a call or on a checkout, and how they end. */
import type { Environment } from "@pointsman/core"
import type {
  ChargeRequest,
  ChargeState,
  CheckoutRequest,
  Found,
  FoundRefund,
  NotSent,
  Rejected,
  Unanswered
} from "@pointsman/core/ports"
import { Effect } from "effect"
import type { LaterOn, ProviderCall } from "./CallHandling.ts"
import { type ChargeRecord, capturedByHand, stateOf, withoutAmount } from "./ProviderBooks.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import type { ProviderMessages, ProviderWays } from "./ProviderMessages.ts"

export interface ChargesOptions {
  readonly calls: ProviderCalls
  readonly messages: ProviderMessages
  readonly ways: ProviderWays
  /** What is captured of what was asked for, in minor units. */
  readonly captures: (call: ProviderCall, askedMinor: number) => number
  /** The reference of a new charge, by those that its connection has. */
  readonly referenceOf: (attemptId: string, others: ReadonlyArray<string>) => string
}

export interface ProviderCharges {
  /** By attempt. */
  readonly charges: ReadonlyMap<string, ChargeRecord>
  /** The first of each reference: what is asked of it, is asked of that one. */
  readonly chargesByRef: ReadonlyMap<string, ChargeRecord>
  readonly charge: (
    request: ChargeRequest,
    connectionId: string,
    environment: Environment
  ) => Effect.Effect<ChargeState | Rejected, NotSent | Unanswered>
  /** `refundsOf`: those that its record lists. */
  readonly lookUpCharge: (
    attemptId: string,
    refundsOf: (charge: ChargeRecord) => ReadonlyArray<FoundRefund> | undefined
  ) => Effect.Effect<Found<ChargeState>, Unanswered>
  /** Enters a charge, or gives the one that is there for the attempt. */
  readonly book: (request: ChargeRequest | CheckoutRequest, connectionId: string, state: BookedAs) => ChargeRecord
  /** Ends a charge that was accepted, unless it ended before. */
  readonly settle: (request: ChargeRequest | CheckoutRequest, charge: ChargeRecord, end: LaterOn) => void
  /** Takes the money of a charge, and notes what was not asked for. Gives whether only a message tells of it. */
  readonly take: (charge: ChargeRecord, about: ProviderCall, askedMinor: number) => boolean
  /** As it is answered to a call or a lookup. */
  readonly answerOf: (charge: ChargeRecord) => ChargeState
}

type BookedAs = "Pending" | "Authorized" | "Captured" | "Declined"

/** The answer to what is asked of a reference that no charge has. */
export const noCharge: Rejected = { _tag: "Rejected", code: "no_charge", message: "no such charge" }

export const providerCharges = (options: ChargesOptions): ProviderCharges => {
  const { calls, captures, messages, referenceOf, ways } = options
  const charges = new Map<string, ChargeRecord>()
  const chargesByRef = new Map<string, ChargeRecord>()

  const answerOf: ProviderCharges["answerOf"] = (charge) =>
    ways.answersWithoutAmounts ? withoutAmount(stateOf(charge)) : stateOf(charge)

  const take: ProviderCharges["take"] = (charge, about, askedMinor) => {
    charge.state = "Captured"
    const takenMinor = captures(about, askedMinor)
    charge.capturedMinor = takenMinor + capturedByHand(charge)
    const isHidden = ways.answersWithoutAmounts && takenMinor !== askedMinor
    if (takenMinor > askedMinor || isHidden) charge.contradictions.push(`captured ${takenMinor} of ${askedMinor}`)
    return isHidden
  }

  const book: ProviderCharges["book"] = (request, connectionId, state) => {
    const { attemptId, capture, cardBrand, country, initiator, method, money, paymentId, reference } = request
    const known = charges.get(attemptId)
    if (known !== undefined) return known
    const others = [...charges.values()].filter(
      (one) => one.connectionId === connectionId && one.paymentId !== paymentId && one.state !== "Declined"
    )
    const charge: ChargeRecord = {
      ...{ attemptId, paymentId, connectionId, reference, money },
      ...{ asked: { country, method, cardBrand, initiator, capture }, createdAt: calls.time.now() },
      providerRef: referenceOf(
        attemptId,
        others.map(({ providerRef }) => providerRef)
      ),
      ...{ state, capturedMinor: 0, capturesByHand: [], isReleased: false, isPaidOut: false, operation: null },
      ...{
        disputes: new Map(),
        disputeRecords: new Map(),
        contradictions: [],
        lastWord: null,
        isReferenceShared: false,
        isReferenceContested: false
      }
    }
    charges.set(attemptId, charge)
    const first = chargesByRef.get(charge.providerRef)
    if (first === undefined) chargesByRef.set(charge.providerRef, charge)
    else for (const one of [first, charge]) shareReference(one, state !== "Declined")
    const isHidden = state === "Captured" && take(charge, chargeCall(request), money.minorUnits)
    messages.ofCharge(charge, isHidden)
    return charge
  }

  const settle: ProviderCharges["settle"] = (request, charge, end) => {
    if (charge.state !== "Pending") return
    if (end !== "done") charge.state = end === "refused" ? "Declined" : "Canceled"
    else if (!request.capture) charge.state = "Authorized"
    messages.ofCharge(charge, charge.state === "Pending" && take(charge, chargeCall(request), charge.money.minorUnits))
  }

  const charge: ProviderCharges["charge"] = (request, connectionId, environment) =>
    calls.call<ChargeState>(chargeCall(request), environment, {
      execute: () => answerOf(book(request, connectionId, request.capture ? "Captured" : "Authorized")),
      accept: () => {
        const accepted = book(request, connectionId, "Pending")
        return { answer: answerOf(accepted), finish: (end) => settle(request, accepted, end) }
      },
      decline: (soft) => {
        const booked = book(request, connectionId, "Declined")
        // The same key again: the first answer counts.
        if (booked.state !== "Declined") return answerOf(booked)
        return {
          ...{ _tag: "Declined", providerRef: booked.providerRef, soft },
          ...(soft
            ? { category: "do_not_honor", code: "do_not_honor" }
            : { category: "expired_card", code: "expired_card" })
        }
      }
    })

  const lookUpCharge: ProviderCharges["lookUpCharge"] = (attemptId, refundsOf) =>
    Effect.map(
      calls.lookUp(attemptId, () => {
        const found = charges.get(attemptId)
        return found === undefined ? undefined : { state: answerOf(found), refunds: refundsOf(found) }
      }),
      (found): Found<ChargeState> => {
        if (found._tag === "NotFound") return found
        const { refunds, state } = found.state
        return { _tag: "Found", state, ...(refunds === undefined ? {} : { refunds }) }
      }
    )

  return { charges, chargesByRef, charge, lookUpCharge, book, settle, take, answerOf }
}

const shareReference = (charge: ChargeRecord, isContested: boolean): void => {
  charge.isReferenceShared = true
  charge.isReferenceContested ||= isContested
  charge.contradictions.push(`its reference ${charge.providerRef} is that of another payment too`)
}

const chargeCall = ({ attemptId, paymentId }: ChargeRequest | CheckoutRequest): ProviderCall => ({
  ...{ name: "charge", id: attemptId, paymentId }
})
