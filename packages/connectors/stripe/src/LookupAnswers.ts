/**
 * What Stripe's answers say of what is looked up, and of the account. Its word that it does not have something is believed
 * of the very object or list that was asked for, and of nothing else.
 */
import {
  type ChargeState,
  type Clean,
  type Found,
  type FoundRefund,
  fromJson,
  type ProviderAccount,
  type RefundState,
  type TransportAnswer
} from "@pointsman/core/connector"
import { Result, Schema } from "effect"
import {
  failure,
  ofAttempt,
  onlySuccess,
  type Read,
  readable,
  settled,
  stateOf,
  stateOfToldRefund,
  unreadable,
  unsettling,
  untried
} from "./Answers.ts"
import * as Protocol from "./Protocol.ts"

const PaymentIntents = Protocol.listOf(Protocol.PaymentIntent)
const Refunds = Protocol.listOf(Protocol.Refund)

/** What is looked up by Stripe's id of it, and our id that it carries. */
export interface ById {
  readonly stripeId: string
  readonly ourId: string
}

export const foundPaymentIntent = (
  answer: TransportAnswer,
  { ourId, stripeId }: ById,
  clean: Clean
): Read<Found<ChargeState>> =>
  byId(answer, () =>
    Result.flatMap(readable(Protocol.PaymentIntent, answer), (paymentIntent) =>
      paymentIntent.id === stripeId
        ? Result.map(ofAttempt(answer, paymentIntent, ourId, clean), found)
        : unreadable(answer, "id")
    )
  )

/**
 * What is to be read of the refunds of a payment: `null` where nothing was given back. `released`: what a capture left, in
 * Stripe's minor units.
 */
export const refundedIn = (answer: TransportAnswer): { readonly released: number } | null => {
  const session = Result.getOrUndefined(fromJson(Protocol.Session, answer.body))
  const paymentIntent = session?.payment_intent ?? Result.getOrUndefined(fromJson(Protocol.PaymentIntent, answer.body))
  const charge = Result.getOrUndefined(readRefundedCharge(paymentIntent?.latest_charge))
  if (charge === undefined || charge.amount_refunded === 0) return null
  return { released: charge.amount - charge.amount_captured }
}

const readRefundedCharge = Schema.decodeUnknownResult(Protocol.RefundedCharge)

/**
 * The refunds of a page of a list, also those made in the dashboard. A program that captures a part with a version
 * before 2025-03-31 makes a Refund of the rest
 * (https://docs.stripe.com/changelog/basil/2025-03-31/remove-refund-from-partial-capture-and-payment-cancellation-flow),
 * which nothing tells from one that gives money back: one without our id of that very amount is left out.
 */
export const refundsIn = (answer: TransportAnswer, released: number, clean: Clean): Read<ReadonlyArray<FoundRefund>> =>
  Result.flatMap(readable(Refunds, answer), ({ data }): Read<ReadonlyArray<FoundRefund>> => {
    const refunds: Array<FoundRefund> = []
    for (const refund of data) {
      const refundId = Protocol.refundIdIn(refund.metadata)
      if (refundId === null && released > 0 && refund.amount === released) continue
      const state = stateOfToldRefund(refund, clean)
      if (typeof state === "string") return unreadable(answer, state)
      refunds.push({ refundId, state })
    }
    return Result.succeed(refunds)
  })

export const foundRefund = (
  answer: TransportAnswer,
  { ourId, stripeId }: ById,
  clean: Clean
): Read<Found<RefundState>> =>
  byId(answer, () =>
    Result.flatMap(readable(Protocol.Refund, answer), (refund) => {
      if (refund.id !== stripeId) return unreadable(answer, "id")
      return (Protocol.refundIdIn(refund.metadata) ?? ourId) === ourId
        ? Result.map(settled(answer, stateOfToldRefund(refund, clean)), found)
        : unreadable(answer, "metadata.refund_id")
    })
  )

/**
 * What the customer did on the page. While it is open, a refusal is not the end: the customer may try again there
 * (https://docs.stripe.com/payments/checkout/how-checkout-works). An expired one can never be paid.
 */
export const foundOnPage = (
  answer: TransportAnswer,
  { ourId, stripeId }: ById,
  clean: Clean
): Read<Found<ChargeState>> =>
  byId(answer, () =>
    Result.flatMap(readable(Protocol.Session, answer), (session): Read<Found<ChargeState>> => {
      const { payment_intent: paymentIntent, status } = session
      if (session.id !== stripeId) return unreadable(answer, "id")
      const isTried = paymentIntent !== null && !untried.has(paymentIntent.status)
      if (status === "open" && !isTried) return Result.succeed({ _tag: "NotFound", conclusive: false })
      if (status === "expired" && !isTried) {
        return Result.succeed(found({ _tag: "Canceled", providerRef: paymentIntent?.id ?? null }))
      }
      if (paymentIntent === null) return unreadable(answer, "payment_intent")
      return Result.map(ofAttempt(answer, paymentIntent, ourId, clean), found)
    })
  )

/** One page of a list. */
export interface Listed {
  /** The index of the requested one in it, or -1. */
  readonly at: number
  /** The id after which the next page begins; `null` where this is the last one. */
  readonly next: string | null
}

/**
 * `path`: of the list that was requested, which Stripe's own answer names. An empty answer to anything else would deny a
 * charge that was made. `isIt`: whether these are the marks of the one that is looked for.
 */
export const listed = (
  answer: TransportAnswer,
  path: string,
  isIt: (metadata: Protocol.AnyMetadata) => boolean
): Read<Listed> =>
  onlySuccess(answer, () =>
    Result.flatMap(readable(Protocol.List, answer), ({ data, has_more, url }): Read<Listed> => {
      if (url !== `/v1/${path}`) return unreadable(answer, "url")
      const at = data.findIndex(({ metadata }) => isIt(metadata ?? {}))
      const next = data.at(-1)?.id ?? null
      // More to come, and no cursor: the charge may be among it, so the result is unknown.
      return has_more && next === null
        ? unreadable(answer, "data")
        : Result.succeed({ at, next: has_more ? next : null })
    })
  )

/** The payment at this place of a list. */
export const listedPaymentIntent = (answer: TransportAnswer, at: number, clean: Clean): Read<Found<ChargeState>> =>
  Result.flatMap(readable(PaymentIntents, onlyAt(answer, at)), ({ data: [paymentIntent] }) =>
    paymentIntent === undefined
      ? unreadable(answer, "data")
      : Result.map(settled(answer, stateOf(paymentIntent, clean)), found)
  )

export const listedRefund = (answer: TransportAnswer, at: number, clean: Clean): Read<Found<RefundState>> =>
  Result.flatMap(readable(Refunds, onlyAt(answer, at)), ({ data: [refund] }) =>
    refund === undefined
      ? unreadable(answer, "data")
      : Result.map(settled(answer, stateOfToldRefund(refund, clean)), found)
  )

/** The list with this one alone: the other entries need not be understood. */
const onlyAt = (answer: TransportAnswer, at: number): TransportAnswer => {
  const { data }: { readonly data: ReadonlyArray<unknown> } = JSON.parse(answer.body)
  return { ...answer, body: JSON.stringify({ data: data.slice(at, at + 1) }) }
}

/** `requested`: the connected account that the request was for, which the answer must be about; `null` for none. */
export const accountAnswer = (
  answer: TransportAnswer,
  requested: string | null,
  mode: ProviderAccount["mode"]
): Read<ProviderAccount> =>
  onlySuccess(answer, () =>
    Result.flatMap(
      readable(Protocol.Account, answer),
      ({ id }): Read<ProviderAccount> =>
        (requested ?? id) === id ? Result.succeed({ id, mode }) : unreadable(answer, "id")
    )
  )

/**
 * A missing object says nothing about the payment: Stripe gave us its id, and so the key is now of another account or
 * mode. Any other 404 is not even about the object: a gateway's, or that of a wrong path.
 */
const byId = <State>(answer: TransportAnswer, read: () => Read<Found<State>>): Read<Found<State>> =>
  answer.status !== 404
    ? onlySuccess(answer, read)
    : Result.flatMap(failure(answer), ({ code }) =>
        code === "resource_missing" ? Result.succeed({ _tag: "NotFound", conclusive: false }) : unsettling(answer)
      )

const found = <State>(state: State): Found<State> => ({ _tag: "Found", state })
