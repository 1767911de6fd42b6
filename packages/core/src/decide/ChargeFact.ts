/**
 * What a provider's word about a charge means for the payment. The direct answer, a provider's message and a lookup
 * become the same facts, applied by the same code. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { Attempt } from "../model/Attempt.ts"
import {
  type DeclineCategory,
  type DeclineDetail,
  declineDetail,
  declineView,
  providerErrorCode,
  requiresActionCode
} from "../model/Decline.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import { type CaptureMethod, type Payment, paymentEvent } from "../model/Payment.ts"
import { PaymentMachine, type PaymentRefusal, type PaymentState, statusOf } from "../model/PaymentMachine.ts"
import type { ChargeEnd, ChargeState, StatedCapture } from "../model/ProviderStatement.ts"
import { nothingReported, type Reported, withContradiction } from "../model/Reported.ts"
import type { Exclusion, RoutingDecision } from "../model/RoutingDecision.ts"
import type { Money } from "../money/Money.ts"
import { reportedWith } from "./Holding.ts"
import { byProvider, excessName, weighedEvents, weighReported, withReview } from "./WithReview.ts"

interface ChargeAtProvider {
  readonly connectionId: string
  readonly providerRef: string
}

export type ChargeFact =
  | ({ readonly on: "ChargeAuthorized"; readonly amountMinor: number } & ChargeAtProvider)
  | ({
      readonly on: "ChargeCaptured"
      readonly amountMinor: number
      /** Where the provider stated more than was authorized. */
      readonly excess?: Money
      /** Where the statement was about one capture. */
      readonly capture?: StatedCapture | undefined
    } & ChargeAtProvider)
  | ({ readonly on: "ChargeAccepted" } & ChargeAtProvider)
  | ({ readonly on: "MismatchStated"; readonly stated: Money } & ChargeAtProvider)
  | {
      readonly on: "SecondChargeReported"
      readonly attemptId: string
      readonly connectionId: string
      /** `null` where it was never reported. */
      readonly providerRef: string | null
    }
  | {
      readonly on: "ChargeDeclined"
      readonly category: DeclineCategory
      readonly reason: string
      readonly detail?: DeclineDetail | undefined
    }
  | { readonly on: "ChargeCancelled" }
  | { readonly on: "AttemptFollowed" }
  | { readonly on: "ChargeFailed" }
  | { readonly on: "ChargeAbandoned" }
  | { readonly on: "ChargeUnanswered"; readonly connectionId: string }
  | { readonly on: "ChargeNotFound" }
  | { readonly on: "AuthorizationLapsed" }
  // Of the hosted page.
  | { readonly on: "ChargeSent" }
  | { readonly on: "CustomerCancelled" }
  | { readonly on: "CustomerDeclined"; readonly category: DeclineCategory; readonly reason: string }
  | { readonly on: "PageExpired" }
  | { readonly on: "NoRouteFound" }
  | { readonly on: "CheckoutOpened"; readonly isEndless: boolean }
  | { readonly on: "CheckoutEnded" }
  | { readonly on: "CompletionSent" }
  | { readonly on: "CheckoutApproved" }

type TellsOfMoney = Extract<ChargeFact, { readonly on: "ChargeAuthorized" | "ChargeCaptured" | "MismatchStated" }>

export const tellsOfMoney = (fact: ChargeFact): fact is TellsOfMoney =>
  fact.on === "ChargeAuthorized" || fact.on === "ChargeCaptured" || fact.on === "MismatchStated"

/** A provider's statement about the charge of an attempt at `connectionId`. */
export const chargeFactOf = (
  asked: { readonly money: Money; readonly captureMethod: CaptureMethod },
  connectionId: string,
  state: ChargeState
): ChargeFact => {
  switch (state._tag) {
    case "Declined":
      return { on: "ChargeDeclined", category: state.category, reason: state.code, detail: declineDetail(state) }
    case "NeedsCustomer":
      // A server-to-server payment cannot show a challenge.
      return { on: "ChargeDeclined", category: "authentication_failed", reason: requiresActionCode }
    case "Canceled":
      return { on: "ChargeCancelled" }
    case "Pending":
      return { on: "ChargeAccepted", connectionId, providerRef: state.providerRef }
    case "Authorized":
    case "Captured": {
      const charge = { connectionId, providerRef: state.providerRef }
      const capture = state._tag === "Captured" ? state.capture : undefined
      const stated = state.stated ?? capture?.money ?? asked.money
      if (stated.currency !== asked.money.currency || stated.minorUnits > asked.money.minorUnits) {
        return { on: "MismatchStated", stated, ...charge }
      }
      if (state._tag === "Captured") {
        return { on: "ChargeCaptured", amountMinor: stated.minorUnits, capture, ...charge }
      }
      // Asked to capture and only authorized: the provider captures later, and it is not ours to capture.
      return asked.captureMethod === "automatic"
        ? { on: "ChargeAccepted", ...charge }
        : { on: "ChargeAuthorized", amountMinor: stated.minorUnits, ...charge }
    }
  }
}

/** A provider's statement about a charge that it holds: more than was authorized is recorded up to the authorization. */
export const heldFactOf = (
  payment: Pick<Payment, "authorizedMinor" | "captureMethod" | "money">,
  connectionId: string,
  state: ChargeState
): ChargeFact => {
  if (state._tag !== "Captured") return chargeFactOf(payment, connectionId, state)
  const { authorizedMinor: amountMinor, money } = payment
  const { capture, providerRef } = state
  const stated = state.stated ?? capture?.money ?? { ...money, minorUnits: amountMinor }
  return stated.currency === money.currency && stated.minorUnits > amountMinor
    ? { on: "ChargeCaptured", amountMinor, excess: stated, capture, connectionId, providerRef }
    : chargeFactOf(payment, connectionId, { ...state, stated })
}

/** The outcome of the charge when no attempt executed anything: a decline among them is the outcome. */
export const unexecutedFact = (attempts: ReadonlyArray<Attempt>): ChargeFact => {
  const decline = attempts.findLast((attempt) => attempt.outcome === "Declined")
  return decline === undefined
    ? { on: "ChargeFailed" }
    : {
        on: "ChargeDeclined",
        category: decline.declineCategory ?? "other",
        reason: decline.code ?? "",
        detail: decline.decline
      }
}

/** The outcome of the charge, according to the end of its last attempt; the earlier ones executed nothing. */
export const lastFact = (
  asked: Parameters<typeof chargeFactOf>[0],
  earlier: ReadonlyArray<Attempt>,
  last: Attempt,
  end: ChargeEnd
): ChargeFact => {
  switch (end._tag) {
    case "pointsman/Unanswered":
      return { on: "ChargeUnanswered", connectionId: last.connectionId }
    case "pointsman/NotSent":
    case "Rejected":
      return unexecutedFact([...earlier, last])
    default:
      return chargeFactOf(asked, last.connectionId, end)
  }
}

export interface Moved {
  readonly payment: Payment
  readonly events: ReadonlyArray<EventDraft>
}

/** The payment after a fact, with the events to write beside it; or what the table says where no row takes it. */
export const applyChargeFact = (
  payment: Payment,
  fact: ChargeFact,
  now: number
): Result.Result<Moved, PaymentRefusal> => {
  const excess = excessOf(fact)
  return Result.map(step(PaymentMachine, payment.state, fact.on), (row) => {
    const moved: Payment = {
      ...payment,
      ...(keepsFields(fact) ? {} : fieldsOf(payment, fact)),
      reported: reportedBy(payment, fact),
      state: row.to,
      version: payment.version + 1,
      updatedAt: now,
      settledAt: keepsFields(fact) || !isSettled(row.to) ? payment.settledAt : now
    }
    const weighed = weighReported(moved)
    const emits = [...row.emits, ...(excess === undefined ? [] : ["payment.amount_mismatch" as const])]
    const after = withReview(weighed.payment, {
      events: [...emits, ...weighed.emits],
      isDoubleCharge: fact.on === "SecondChargeReported",
      isEndless: fact.on === "CheckoutOpened" && fact.isEndless
    })
    return {
      payment: after,
      events: [
        ...emits.map((type) => paymentEvent(type, after, detailsOf(type, fact))),
        ...weighedEvents(after, weighed)
      ]
    }
  })
}

const excessOf = (fact: ChargeFact): Money | undefined => (fact.on === "ChargeCaptured" ? fact.excess : undefined)

/** Names the amount of a charge that is not what was asked, so that operations see each amount once. */
export const mismatchName = ({ currency, minorUnits }: Money): string => `charged:${minorUnits} ${currency}`

const reportedBy = (payment: Payment, fact: ChargeFact): Reported | null => {
  if (fact.on === "MismatchStated") return withMismatch(payment, mismatchName(fact.stated))
  if (fact.on !== "ChargeCaptured") return payment.reported
  const reported = fact.capture === undefined ? payment.reported : reportedWith(payment, fact.capture)
  return fact.excess === undefined ? reported : withMismatch({ reported }, excessName(fact.excess.minorUnits))
}

const withMismatch = ({ reported }: Pick<Payment, "reported">, name: string): Reported => {
  const { contradictions, ...rest } = reported ?? nothingReported
  return { ...rest, contradictions: withContradiction(contradictions, name) }
}

/** Everything that a charge's facts can set, so that a later fact leaves nothing of an earlier one behind. */
type ChargeFields = Pick<
  Payment,
  "declineCategory" | "declineReason" | "authorizedMinor" | "capturedMinor" | "connectionId" | "providerRef"
>

const nothingHeld: ChargeFields = {
  declineCategory: null,
  declineReason: null,
  authorizedMinor: 0,
  capturedMinor: 0,
  connectionId: null,
  providerRef: null
}

type Keeping = Extract<ChargeFact, { readonly on: "SecondChargeReported" | "AuthorizationLapsed" }>

/** A second charge is reported, and the payment stays with the first; what was held and lapsed was held. */
const keepsFields = (fact: ChargeFact): fact is Keeping =>
  fact.on === "SecondChargeReported" || fact.on === "AuthorizationLapsed"

const fieldsOf = (payment: Payment, fact: Exclude<ChargeFact, Keeping>): ChargeFields => {
  switch (fact.on) {
    case "ChargeAuthorized":
      return {
        ...nothingHeld,
        authorizedMinor: fact.amountMinor,
        connectionId: fact.connectionId,
        providerRef: fact.providerRef
      }
    case "ChargeCaptured":
      return {
        ...nothingHeld,
        // A smaller capture does not shrink the authorization that it was made on.
        authorizedMinor:
          fact.providerRef === payment.providerRef
            ? Math.max(payment.authorizedMinor, fact.amountMinor)
            : fact.amountMinor,
        capturedMinor: fact.amountMinor,
        connectionId: fact.connectionId,
        providerRef: fact.providerRef
      }
    case "ChargeAccepted":
      return { ...nothingHeld, connectionId: fact.connectionId, providerRef: fact.providerRef }
    case "MismatchStated":
      return {
        ...nothingHeld,
        authorizedMinor: fact.providerRef === payment.providerRef ? payment.authorizedMinor : 0,
        connectionId: fact.connectionId,
        providerRef: fact.providerRef
      }
    case "ChargeUnanswered":
      return { ...nothingHeld, connectionId: fact.connectionId }
    case "ChargeDeclined":
    case "CustomerDeclined":
      return { ...nothingHeld, declineCategory: fact.category, declineReason: fact.reason }
    case "ChargeFailed":
    case "ChargeAbandoned":
    case "ChargeNotFound":
    case "NoRouteFound":
      return { ...nothingHeld, declineReason: providerErrorCode }
    case "ChargeSent":
    case "AttemptFollowed":
    case "ChargeCancelled":
    case "CustomerCancelled":
    case "PageExpired":
    case "CheckoutOpened":
    case "CheckoutEnded":
    case "CompletionSent":
    case "CheckoutApproved":
      return nothingHeld
  }
}

/** What some events say besides the payment itself. */
const detailsOf = (type: EventType, fact: ChargeFact): JsonObject => {
  if (type === "payment.declined" && (fact.on === "ChargeDeclined" || fact.on === "CustomerDeclined")) {
    return { decline: { ...declineView(fact.category, fact.reason, "detail" in fact ? fact.detail : undefined) } }
  }
  if (type === "payment.amount_mismatch" && fact.on === "MismatchStated") {
    return { stated_amount: fact.stated.minorUnits, stated_currency: fact.stated.currency }
  }
  if (type === "payment.amount_mismatch" && fact.on === "ChargeCaptured" && fact.excess !== undefined) {
    const { currency, minorUnits } = fact.excess
    return { stated_amount: minorUnits, stated_currency: currency, captured_amount: fact.amountMinor }
  }
  if (type === "payment.cancelled" && fact.on === "AuthorizationLapsed") return byProvider
  if (type === "payment.conflict" && fact.on === "SecondChargeReported") {
    return { attempt_id: fact.attemptId, connection_id: fact.connectionId, provider_reference: fact.providerRef }
  }
  return {}
}

/** Whether the outcome of the charge is known. */
const isSettled = (state: PaymentState): boolean =>
  statusOf[state] !== "UNKNOWN" && statusOf[state] !== "REQUIRES_ACTION" && statusOf[state] !== "PENDING"

/** The stored routing decision, with how the attempts of its payment ended. */
export const withRouting = (payment: Payment, attempts: ReadonlyArray<Attempt>): Payment =>
  payment.routing === null ? payment : { ...payment, routing: withAttempts(payment.routing, attempts) }

export const withAttempts = (decision: RoutingDecision, attempts: ReadonlyArray<Attempt>): RoutingDecision => ({
  ...decision,
  attempts: attempts.map((attempt) => {
    const { id, connectionId, outcome, code } = attempt
    const decline = declineOf(decision, attempt)
    return { attemptId: id, connectionId, outcome, code, ...(decline === undefined ? {} : { decline }) }
  })
})

/** Of an attempt that was read, the decision has it. */
const declineOf = (decision: RoutingDecision, { code, decline, id, outcome }: Attempt) => {
  if (outcome !== "Declined") return undefined
  if (decline !== undefined) return decline
  const stored = decision.attempts.find(({ attemptId }) => attemptId === id)
  return stored?.outcome === outcome && stored.code === code ? stored.decline : undefined
}

/** Connections that were passed over before a further attempt are added to those that are known. */
export const withSkipped = (payment: Payment, skipped: ReadonlyArray<Exclusion>): Payment => {
  const { routing } = payment
  if (routing === null) return payment
  const known = routing.skipped ?? []
  const added = skipped.filter(({ connectionId }) => !known.some((one) => one.connectionId === connectionId))
  return added.length === 0 ? payment : { ...payment, routing: { ...routing, skipped: [...known, ...added] } }
}
