/**
 * What became of a charge or a refund: by Stripe's id of it where that is known, else among those that Stripe lists.
 */
import {
  type ChargeLookup,
  type ChargeState,
  type Clean,
  type Found,
  type FoundRefund,
  type NotSent,
  type RefundLookup,
  type RefundState,
  segment,
  type TransportAnswer,
  type Unanswered
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import type { Caller } from "./Caller.ts"
import * as LookupAnswers from "./LookupAnswers.ts"
import type { AnyMetadata } from "./Protocol.ts"
import type { Form } from "./Requests.ts"

/**
 * A charge is looked for among those that were created up to so long before it was sent by our clock, in seconds. As much
 * as after it: with a clock that is wrong by more, a charge that was taken would be called one that never arrived.
 */
const clockSkewSeconds = 60 * 60

/** … and up to so long after: by then every request has arrived that ever will. */
const sentWithinSeconds = 60 * 60

/**
 * "Not found" is Stripe's last word no earlier than so long after the request, in milliseconds by Stripe's clock. Lists
 * are complete at once (https://docs.stripe.com/search#data-freshness), but a request that ended in a 500 may be rolled
 * forward later, while Stripe sets its incident right (https://docs.stripe.com/error-low-level#server-errors), and
 * until its idempotency key has expired, after 24 hours, Stripe holds a record of a request that no call shows
 * (https://docs.stripe.com/api/idempotent_requests).
 */
export const conclusiveAfterMillis = 24 * 60 * 60 * 1000

/** Of one lookup, at 100 objects each: more charges than that in an hour are searched. */
const pagesAtMost = 20

export const lookUpCharge = (
  caller: Caller,
  request: ChargeLookup,
  clean: Clean
): Effect.Effect<Found<ChargeState>, NotSent | Unanswered> => {
  const { attemptId: id, checkoutReference, providerRef } = request
  if (checkoutReference !== null) {
    const path = `checkout/sessions/${segment(checkoutReference)}`
    return withRefunds(caller, { path, expand: "payment_intent.latest_charge", id }, clean, (answer) =>
      LookupAnswers.foundOnPage(answer, { ourId: id, stripeId: checkoutReference }, clean)
    )
  }
  if (providerRef === null) return searchSent(caller, request, clean)
  const path = `payment_intents/${segment(providerRef)}`
  return withRefunds(caller, { path, expand: "latest_charge", id }, clean, (answer) =>
    LookupAnswers.foundPaymentIntent(answer, { ourId: id, stripeId: providerRef }, clean)
  )
}

interface Asked {
  readonly path: string
  /** Where its charge is. */
  readonly expand: string
  /** The attempt id. */
  readonly id: string
}

/** The record of a charge, and where something of it was given back, its refunds by a second request. */
const withRefunds = (
  caller: Caller,
  { expand, id, path }: Asked,
  clean: Clean,
  read: (answer: TransportAnswer) => Result.Result<Found<ChargeState>, Unanswered>
): Effect.Effect<Found<ChargeState>, NotSent | Unanswered> => {
  const looked = caller.call({ method: "GET", path, form: [["expand[0]", expand]], id }, (answer) =>
    Result.map(read(answer), (found) => ({ found, refunded: LookupAnswers.refundedIn(answer) }))
  )
  return Effect.flatMap(looked, ({ found, refunded }): Effect.Effect<Found<ChargeState>, NotSent | Unanswered> => {
    const providerRef = found._tag === "Found" ? found.state.providerRef : null
    if (found._tag === "NotFound" || refunded === null || providerRef === null) return Effect.succeed(found)
    const refunds = refundsOf(caller, providerRef, id, (answer) =>
      LookupAnswers.refundsIn(answer, refunded.released, clean)
    )
    return Effect.map(refunds, (refunds) => ({ ...found, refunds }))
  })
}

/** All of a payment (https://docs.stripe.com/api/refunds/list#list_refunds-payment_intent). */
const refundsOf = Effect.fnUntraced(function* (
  { send }: Caller,
  providerRef: string,
  id: string,
  read: (answer: TransportAnswer) => Result.Result<ReadonlyArray<FoundRefund>, Unanswered>
): Effect.fn.Return<ReadonlyArray<FoundRefund>, NotSent | Unanswered> {
  const all: Array<FoundRefund> = []
  let next: string | null = null
  for (let page = 0; page < pagesAtMost; page++) {
    const from: Form = next === null ? [] : [["starting_after", next]]
    const form: Form = [["payment_intent", providerRef], ["limit", "100"], ...from]
    const answer: TransportAnswer = yield* send({ method: "GET", path: "refunds", form, id })
    const list: LookupAnswers.Listed = yield* Effect.fromResult(LookupAnswers.listed(answer, "refunds", () => false))
    all.push(...(yield* Effect.fromResult(read(answer))))
    if (list.next === null) break
    next = list.next
  }
  return all
})

export const lookUpRefund = (
  caller: Caller,
  request: RefundLookup,
  clean: Clean
): Effect.Effect<Found<RefundState>, NotSent | Unanswered> => {
  const { providerRef, providerRefundId, refundId: id, sentAt, sentBefore = sentAt } = request
  if (providerRefundId !== null) {
    return caller.call({ method: "GET", path: `refunds/${segment(providerRefundId)}`, form: [], id }, (answer) =>
      LookupAnswers.foundRefund(answer, { ourId: id, stripeId: providerRefundId }, clean)
    )
  }
  const found = find(caller, "refunds", [["payment_intent", providerRef]], {
    id,
    sentBefore,
    isIt: ({ refund_id }) => refund_id === id,
    read: (answer, at) => LookupAnswers.listedRefund(answer, at, clean)
  })
  return Effect.map(found, (known) => known ?? { _tag: "NotFound", conclusive: false })
}

/** A charge whose id at Stripe is unknown, among those of the time in which it may have been sent. */
const searchSent = Effect.fnUntraced(function* (
  caller: Caller,
  { attemptId, sentAt, sentBefore = sentAt }: ChargeLookup,
  clean: Clean
): Effect.fn.Return<Found<ChargeState>, NotSent | Unanswered> {
  const sought: Sought<ChargeState> = {
    id: attemptId,
    sentBefore,
    isIt: ({ attempt_id }) => attempt_id === attemptId,
    read: (answer, at) => LookupAnswers.listedPaymentIntent(answer, at, clean)
  }
  const window: Form = [
    ["created[gte]", String(Math.max(0, Math.floor(sentAt / 1000) - clockSkewSeconds))],
    ["created[lte]", String(Math.floor(sentBefore / 1000) + sentWithinSeconds)]
  ]
  const found = yield* find(caller, "payment_intents", window, sought)
  if (found !== undefined) return found
  // A search finds late, and what it finds is there; that it finds nothing says nothing.
  const form: Form = [["query", `metadata["attempt_id"]:"${attemptId.replace(/["\\]/g, "\\$&")}"`]]
  const path = "payment_intents/search"
  const answer = yield* caller.send({ method: "GET", path, form, id: attemptId })
  const { at } = yield* Effect.fromResult(LookupAnswers.listed(answer, path, sought.isIt))
  return at < 0 ? { _tag: "NotFound", conclusive: false } : yield* Effect.fromResult(sought.read(answer, at))
})

/** What is looked for in a list. */
interface Sought<State> {
  /** The attempt or refund id. */
  readonly id: string
  /** Epoch milliseconds by our clock: Stripe was not asked after this. */
  readonly sentBefore: number
  readonly isIt: (metadata: AnyMetadata) => boolean
  readonly read: (answer: TransportAnswer, at: number) => Result.Result<Found<State>, Unanswered>
}

/** All pages of a list, one after the other. `undefined`: there are more than may be asked for. */
const find = Effect.fnUntraced(function* <State>(
  { send }: Caller,
  path: string,
  form: Form,
  { id, isIt, read, sentBefore }: Sought<State>
): Effect.fn.Return<Found<State> | undefined, NotSent | Unanswered> {
  let next: string | null = null
  for (let page = 0; page < pagesAtMost; page++) {
    const from: Form = next === null ? [] : [["starting_after", next]]
    const answer: TransportAnswer = yield* send({ method: "GET", path, form: [...form, ["limit", "100"], ...from], id })
    const list: LookupAnswers.Listed = yield* Effect.fromResult(LookupAnswers.listed(answer, path, isIt))
    if (list.at >= 0) return yield* Effect.fromResult(read(answer, list.at))
    if (list.next === null) return { _tag: "NotFound", conclusive: isConclusive(answer, sentBefore) }
    next = list.next
  }
  return undefined
})

/** By the time that Stripe wrote on its answer; without one, never. */
const isConclusive = ({ headers }: TransportAnswer, sentBefore: number): boolean =>
  Date.parse(headers["date"] ?? "") >= sentBefore + conclusiveAfterMillis
