/** The charges of the simulated provider: how they get into its books, by a call or on a checkout, and how they end. */
import type { Environment } from "@pointsman/core"
import type { ChargeRequest, ChargeState, CheckoutRequest, Rejected } from "@pointsman/core/ports"
import type { LaterOn, ProviderCall, ProviderOptions } from "./CallHandling.ts"
import { type ChargeRecord, capturedByHand, stateOf, withoutAmount } from "./ProviderBooks.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import type { ProviderMessages } from "./ProviderMessages.ts"

/** The answer to what is asked of a reference that no charge has. */
export const noCharge: Rejected = { _tag: "Rejected", code: "no_charge", message: "no such charge" }

export type ProviderCharges = ReturnType<typeof providerCharges>

type Asked = ChargeRequest | CheckoutRequest

export const providerCharges = (
  calls: ProviderCalls,
  messages: ProviderMessages,
  { captures, referenceOf, ways }: Required<Pick<ProviderOptions, "captures" | "referenceOf" | "ways">>
) => {
  /** By attempt. */
  const charges = new Map<string, ChargeRecord>()
  /** The first of each reference: what is asked of it, is asked of that one. */
  const chargesByRef = new Map<string, ChargeRecord>()

  /** As it is answered to a call or a lookup. */
  const answerOf = (charge: ChargeRecord): ChargeState =>
    ways.answersWithoutAmounts ? withoutAmount(stateOf(charge)) : stateOf(charge)

  /** Takes the money of a charge, and notes what was not asked for. Gives whether only a message tells of it. */
  const take = (charge: ChargeRecord, about: ProviderCall, askedMinor: number): boolean => {
    charge.state = "Captured"
    const takenMinor = captures(about, askedMinor)
    charge.capturedMinor = takenMinor + capturedByHand(charge)
    const isHidden = ways.answersWithoutAmounts && takenMinor !== askedMinor
    if (takenMinor > askedMinor || isHidden) charge.contradictions.push(`captured ${takenMinor} of ${askedMinor}`)
    return isHidden
  }

  /** Enters a charge, or gives the one that is there for the attempt. */
  const book = (
    request: Asked,
    connectionId: string,
    state: "Pending" | "Authorized" | "Captured" | "Declined"
  ): ChargeRecord => {
    const { attemptId, capture, cardBrand, country, initiator, method, money, paymentId, reference } = request
    const known = charges.get(attemptId)
    if (known !== undefined) return known
    const others = [...charges.values()].flatMap((one) =>
      one.connectionId === connectionId && one.paymentId !== paymentId && one.state !== "Declined"
        ? [one.providerRef]
        : []
    )
    const charge: ChargeRecord = {
      ...{ attemptId, paymentId, connectionId, reference, money, providerRef: referenceOf(attemptId, others) },
      ...{ asked: { country, method, cardBrand, initiator, capture }, createdAt: calls.time.now() },
      ...{ state, capturedMinor: 0, capturesByHand: [], isReleased: false, isPaidOut: false, operation: null },
      ...{ disputes: new Map(), disputeRecords: new Map(), contradictions: [], lastWord: null },
      ...{ isReferenceShared: false, isReferenceContested: false }
    }
    charges.set(attemptId, charge)
    const first = chargesByRef.get(charge.providerRef)
    if (first === undefined) chargesByRef.set(charge.providerRef, charge)
    else for (const one of [first, charge]) shareReference(one, state !== "Declined")
    const isHidden = state === "Captured" && take(charge, chargeCall(request), money.minorUnits)
    messages.ofCharge(charge, isHidden)
    return charge
  }

  /** Ends a charge that was accepted, unless it ended before. */
  const settle = (request: Asked, charge: ChargeRecord, end: LaterOn): void => {
    if (charge.state !== "Pending") return
    if (end !== "done") charge.state = end === "refused" ? "Declined" : "Canceled"
    else if (!request.capture) charge.state = "Authorized"
    messages.ofCharge(charge, charge.state === "Pending" && take(charge, chargeCall(request), charge.money.minorUnits))
  }

  const charge = (request: ChargeRequest, connectionId: string, environment: Environment) =>
    calls.call<ChargeState>(chargeCall(request), environment, {
      execute: () => answerOf(book(request, connectionId, request.capture ? "Captured" : "Authorized")),
      accept: () => {
        const accepted = book(request, connectionId, "Pending")
        return { answer: answerOf(accepted), finish: (end) => settle(request, accepted, end) }
      },
      decline: (soft) => {
        const booked = book(request, connectionId, "Declined")
        const code = soft ? "do_not_honor" : "expired_card"
        // The same key again: the first answer counts.
        if (booked.state !== "Declined") return answerOf(booked)
        return { _tag: "Declined", providerRef: booked.providerRef, soft, category: code, code }
      }
    })

  return { charges, chargesByRef, charge, book, settle, take, answerOf }
}

const shareReference = (charge: ChargeRecord, isContested: boolean): void => {
  charge.isReferenceShared = true
  charge.isReferenceContested ||= isContested
  charge.contradictions.push(`its reference ${charge.providerRef} is that of another payment too`)
}

const chargeCall = ({ attemptId, paymentId }: Asked): ProviderCall => ({ name: "charge", id: attemptId, paymentId })
