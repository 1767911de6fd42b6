/**
 * What Checkout.com's answers say of what is looked up.
 *
 * That a payment or an action is not among those that Checkout.com shows does
 * not mean that it was never received. No page says how soon they are shown, and the official SDK's own test asks the
 * search until a payment is there (`SearchPaymentsIntegrationTest.cs`). Only the end of a payment link is a last word.
 */
import {
  type ChargeState,
  type Clean,
  type Found,
  type FoundRefund,
  fromJson,
  type Money,
  type OperationState,
  type RefundState,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Result, Schema } from "effect"
import { fromCheckout } from "./Amounts.ts"
import { ofReference, onlySuccess, type Read, readable, unreadable } from "./Answers.ts"
import * as Protocol from "./Protocol.ts"
import { readReference } from "./Reference.ts"

const readEntry = Schema.decodeUnknownResult(Protocol.Payment)

const notFound: Found<never> = { _tag: "NotFound", conclusive: false }
const found = <State>(state: State): Found<State> => ({ _tag: "Found", state })

/** A payment by Checkout.com's own id of it. */
export const foundById = (
  answer: TransportAnswer,
  { id, reference }: { readonly id: string; readonly reference: string },
  clean: Clean
): Read<Found<ChargeState>> =>
  onlySuccess(answer, () =>
    Result.flatMap(readable(Protocol.Payment, answer), (payment) =>
      payment.id === id ? Result.map(ofReference(answer, payment, reference, clean), found) : unreadable(answer, "id")
    )
  )

/**
 * The payments with our reference, the latest first
 * (https://www.checkout.com/docs/payments/manage-payments/get-a-list-of-payments). One request makes one payment, so that
 * two that are alive are a fault that operators must review; among those that ended, the latest counts.
 */
export const foundByReference = (answer: TransportAnswer, reference: string, clean: Clean): Read<Found<ChargeState>> =>
  onlySuccess(answer, () =>
    Result.flatMap(readable(Protocol.PaymentList, answer), ({ data, total_count }): Read<Found<ChargeState>> => {
      if (total_count > data.length) return unreadable(answer, "total_count")
      const states: Array<ChargeState> = []
      for (const entry of data) {
        const read = readEntry(entry)
        if (Result.isFailure(read)) return unreadable(answer, "data")
        if (read.success.reference !== reference) return unreadable(answer, "data.reference")
        const state = ofReference(answer, read.success, reference, clean)
        if (Result.isFailure(state)) return Result.fail(state.failure)
        states.push(state.success)
      }
      const [alive, ...others] = states.filter(isAlive)
      if (others.length > 0) {
        return Result.fail(new Unanswered({ reason: "Checkout.com has more than one payment with the reference" }))
      }
      const [state] = alive === undefined ? states : [alive]
      return Result.succeed(state === undefined ? notFound : found(state))
    })
  )

const isAlive = ({ _tag }: ChargeState): boolean => _tag === "Authorized" || _tag === "Captured" || _tag === "Pending"

/** What became of a page: nothing yet, nothing any more, or the id of the last payment that was tried on it. */
export type OnPage =
  | Found<never>
  | {
      readonly _tag: "Tried"
      readonly paymentId: string
      /** The customer may try again. */
      readonly isActive: boolean
    }

/** On an active page only money is a last word. */
export const onActivePage = (payment: Found<ChargeState>): Found<ChargeState> =>
  payment._tag === "Found" && !isAlive(payment.state) ? notFound : payment

/**
 * The record of a payment link (https://api-reference.checkout.com/tag/Payment-Links). On an active one a refusal is
 * not the end: the customer may try again there. "Expired": the customer can no longer pay on it.
 */
export const foundOnPage = (
  answer: TransportAnswer,
  { linkId, reference }: { readonly linkId: string; readonly reference: string }
): Read<OnPage> =>
  onlySuccess(answer, () =>
    Result.flatMap(readable(Protocol.PaymentLink, answer), (link): Read<OnPage> => {
      if (link.id !== linkId) return unreadable(answer, "id")
      if (link.reference !== reference) return unreadable(answer, "reference")
      const paymentId = link.payment_id ?? undefined
      if (paymentId !== undefined) {
        return Result.succeed({ _tag: "Tried", paymentId, isActive: link.status === "Active" })
      }
      if (link.status === "Payment Received") return unreadable(answer, "payment_id")
      return Result.succeed({ _tag: "NotFound", conclusive: link.status === "Expired" })
    })
  )

/** Which action is looked for. */
export interface Sought {
  /** As Checkout.com names its kinds of action. */
  readonly type: "Capture" | "Void" | "Refund"
  readonly ourId: string
  readonly reference: string
  /** Where Checkout.com told it. */
  readonly actionId: string | null
  /** What was asked for: actions name no currency. */
  readonly money: Money
}

export const foundOperation = (answer: TransportAnswer, sought: Sought, clean: Clean): Read<Found<OperationState>> =>
  foundAction(answer, sought, (action, stated): OperationState => {
    if (action.approved === true) {
      // A void is of no amount.
      return { _tag: "OperationConfirmed", ...(sought.type === "Capture" ? { stated, captureId: action.id } : {}) }
    }
    return action.approved === false
      ? { _tag: "OperationFailed", isFinal: true, reason: reasonOf(action, clean) }
      : { _tag: "OperationPending" }
  })

export const foundRefund = (answer: TransportAnswer, sought: Sought, clean: Clean): Read<Found<RefundState>> =>
  foundAction(answer, sought, (action, stated) => refundState(action, stated, clean))

const refundState = (action: Protocol.Action, stated: Money | undefined, clean: Clean): RefundState => {
  const providerRefundId = action.id
  if (action.approved === true) return { _tag: "Succeeded", providerRefundId, stated }
  return action.approved === false
    ? { _tag: "RefundFailed", providerRefundId, reason: reasonOf(action, clean) }
    : { _tag: "RefundPending", providerRefundId, stated }
}

/**
 * The currency of a payment of which something was refunded, which its actions do not name; `null` where nothing was
 * (`balances.total_refunded` of https://www.checkout.com/docs/payments/manage-payments/get-payment-details).
 */
export const refundedIn = (answer: TransportAnswer): string | null => {
  const payment = Result.getOrUndefined(fromJson(Protocol.Payment, answer.body))
  return (payment?.balances?.total_refunded ?? 0) > 0 ? (payment?.currency ?? null) : null
}

/** The refunds among the actions of a payment, also those made in the Dashboard. */
export const refundsIn = (answer: TransportAnswer, currency: string, clean: Clean): Read<ReadonlyArray<FoundRefund>> =>
  onlySuccess(answer, () =>
    Result.flatMap(readable(Protocol.Actions, answer), (actions): Read<ReadonlyArray<FoundRefund>> => {
      const refunds: Array<FoundRefund> = []
      for (const action of actions.filter(({ type }) => type === "Refund")) {
        const stated = action.amount == null ? undefined : fromCheckout(action.amount, currency)
        if (stated === undefined) return unreadable(answer, "amount")
        refunds.push({ refundId: refundIdOf(action), state: refundState(action, stated, clean) })
      }
      return Result.succeed(refunds)
    })
  )

/** Ours; `null` for one of another program, or of a person. */
const refundIdOf = ({ metadata, reference }: Protocol.Action): string | null => {
  const ours = readReference(reference ?? "")
  if (ours?.kind === "refund") return ours.id
  const named = metadata?.refund_id
  return typeof named === "string" && named.startsWith("rf_") ? named : null
}

const foundAction = <State>(
  answer: TransportAnswer,
  sought: Sought,
  stateOf: (action: Protocol.Action, stated: Money | undefined) => State
): Read<Found<State>> =>
  onlySuccess(answer, () =>
    Result.flatMap(readable(Protocol.Actions, answer), (actions): Read<Found<State>> => {
      // A payment has one at least, which made it.
      if (actions.length === 0) return unreadable(answer, "")
      const ofKind = actions.filter(({ type }) => type === sought.type)
      const action = ofKind.find((action) => isSought(action, sought))
      // Without any name it may be ours.
      if (action === undefined) {
        return ofKind.some(isUnnamed) ? unreadable(answer, "reference") : Result.succeed(notFound)
      }
      const amount = action.amount ?? undefined
      const stated = amount === undefined ? undefined : fromCheckout(amount, sought.money.currency)
      return amount !== undefined && stated === undefined
        ? unreadable(answer, "amount")
        : Result.succeed(found(stateOf(action, stated)))
    })
  )

const isSought = (action: Protocol.Action, { actionId, ourId, reference }: Sought): boolean => {
  const named = action.metadata?.operation_id ?? action.metadata?.refund_id
  return action.id === actionId || named === ourId || action.reference === reference
}

const isUnnamed = ({ metadata, reference }: Protocol.Action): boolean =>
  (reference ?? "") === "" && (metadata?.operation_id ?? metadata?.refund_id ?? null) === null

/** Checkout.com's words, or its code. */
const reasonOf = ({ response_code, response_summary }: Protocol.Action, clean: Clean): string | null =>
  clean(response_summary ?? "") || clean(response_code ?? "") || null
