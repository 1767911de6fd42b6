/**
 * What became of a charge, a capture or a refund: by Mollie's id of it where that is known, else among those that Mollie
 * lists, by our id in the metadata ("you can actively inspect the API, using its list endpoints, to see if the request got
 * executed", https://docs.mollie.com/reference/api-idempotency).
 */
import {
  type ChargeLookup,
  type ChargeState,
  type Found,
  type FoundRefund,
  type NotSent,
  type OperationLookup,
  type OperationState,
  type RefundLookup,
  type RefundState,
  segment,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Result, type Schema } from "effect"
import {
  failureIn,
  ofAttempt,
  ofRefund,
  onlySuccess,
  type Read,
  type Reader,
  readable,
  settled,
  statedBy,
  stateOfRefund,
  unreadable
} from "./Answers.ts"
import { type Ask, askPage, type Entry, type ListName, type Page } from "./Pages.ts"
import * as Protocol from "./Protocol.ts"

/** Mollie's clock may be so far from ours, in milliseconds: a payment is looked for among those as much older. */
const clockSkewMillis = 60 * 60 * 1000

/**
 * "Not found" is Mollie's last word no earlier than so long after the request, in milliseconds by Mollie's clock: a request
 * "may still arrive at the API eventually and get executed", and for one hour Mollie holds the record of its idempotency key
 * (https://docs.mollie.com/reference/api-idempotency).
 */
const conclusiveAfterMillis = 60 * 60 * 1000

/** Of one lookup, at 250 entries each: the newest 20,000 payments of the profile. */
const pagesAtMost = 80

type Lookup<State> = Effect.Effect<Found<State>, NotSent | Unanswered>

export const lookUpCharge = (ask: Ask, request: ChargeLookup, reader: Reader): Lookup<ChargeState> => {
  const { attemptId, checkoutReference } = request
  const id = checkoutReference ?? request.providerRef
  if (id !== null) {
    // The refunds come with it, also those made in the dashboard.
    return ask(`/v2/payments/${segment(id)}?embed=refunds`, (answer) =>
      byId(answer, () =>
        Result.flatMap(readable(Protocol.WholePayment, answer), (payment): Read<Found<ChargeState>> => {
          if (payment.id !== id) return unreadable(answer, "id")
          // "Can still be completed by your customer": not paid yet.
          const isUntried = checkoutReference !== null && payment.status === "open"
          const state = ofAttempt(answer, payment, attemptId, reader)
          return isUntried
            ? Result.map(state, (): Found<ChargeState> => notYet)
            : Result.flatMap(state, (state) =>
                Result.map(refundsIn(answer, payment, reader), (refunds) => ({ _tag: "Found", state, ...refunds }))
              )
        })
      )
    )
  }
  const { sentAt, sentBefore = sentAt } = request
  return find(ask, "payments", {
    under: null,
    since: sentAt - clockSkewMillis,
    sentBefore,
    mark: ["attempt_id", attemptId],
    read: (answer, entry) =>
      Result.flatMap(entryAs(Protocol.Payment, answer, entry), (payment) =>
        ofAttempt(answer, payment, attemptId, reader)
      )
  })
}

const refundsIn = (
  answer: TransportAnswer,
  { _embedded }: Protocol.WholePayment,
  reader: Reader
): Read<{ readonly refunds?: ReadonlyArray<FoundRefund> }> => {
  const refunds: Array<FoundRefund> = []
  for (const refund of _embedded?.refunds ?? []) {
    const state = stateOfRefund(refund, reader)
    if (typeof state === "string") return unreadable(answer, `_embedded.refunds.${state}`)
    refunds.push({ refundId: Protocol.refundIdIn(refund.metadata), state })
  }
  return Result.succeed(refunds.length === 0 ? {} : { refunds })
}

/** Mollie has no record of a release: the payment's own status tells it. */
export const lookUpOperation = (ask: Ask, request: OperationLookup, reader: Reader): Lookup<OperationState> => {
  const { kind, operationId, providerRef, sentAt } = request
  if (kind === "void") {
    const reason = "Mollie has no lookup of a release: the payment's status reports it"
    return Effect.fail(new Unanswered({ reason, isUnsupported: true }))
  }
  return find(ask, "captures", {
    under: providerRef,
    since: null,
    sentBefore: sentAt,
    mark: ["operation_id", operationId],
    read: (answer, entry) =>
      Result.flatMap(entryAs(Protocol.Capture, answer, entry), (capture): Read<OperationState> => {
        if (capture.paymentId !== providerRef) return unreadable(answer, "paymentId")
        return settled(answer, stateOfCapture(capture, reader))
      })
  })
}

/**
 * The state of a capture, or the field that cannot be understood. A failed one is final: a capture is one attempt, and a
 * further one is made by another request (https://docs.mollie.com/docs/place-a-hold-for-a-payment).
 */
export const stateOfCapture = ({ amount, mode, status }: Protocol.Capture, reader: Reader): OperationState | string => {
  const stated = statedBy(amount)
  if (mode !== reader.mode) return "mode"
  if (stated === undefined) return "amount"
  switch (status) {
    case "succeeded":
      return { _tag: "OperationConfirmed", stated }
    case "pending":
      return { _tag: "OperationPending" }
    case "failed":
      return { _tag: "OperationFailed", isFinal: true, reason: null }
  }
}

export const lookUpRefund = (ask: Ask, request: RefundLookup, reader: Reader): Lookup<RefundState> => {
  const { providerRef, providerRefundId, refundId, sentAt, sentBefore = sentAt } = request
  if (providerRefundId !== null) {
    return ask(`/v2/payments/${segment(providerRef)}/refunds/${segment(providerRefundId)}`, (answer) =>
      byId(answer, () =>
        Result.flatMap(readable(Protocol.Refund, answer), (refund): Read<Found<RefundState>> => {
          if (refund.id !== providerRefundId) return unreadable(answer, "id")
          // One that was made by hand has no id of ours.
          const ours = Protocol.refundIdIn(refund.metadata) === null ? null : refundId
          const state = ofRefund(answer, refund, { providerRef, refundId: ours }, reader)
          return Result.map(state, (state) => ({ _tag: "Found", state }))
        })
      )
    )
  }
  return find(ask, "refunds", {
    under: providerRef,
    since: null,
    sentBefore,
    mark: ["refund_id", refundId],
    read: (answer, entry) =>
      Result.flatMap(entryAs(Protocol.Refund, answer, entry), (refund) =>
        ofRefund(answer, refund, { providerRef, refundId }, reader)
      )
  })
}

/** All refunds of a payment, also those that were made in Mollie's dashboard. */
export const refundsOf = Effect.fnUntraced(function* (
  ask: Ask,
  providerRef: string
): Effect.fn.Return<ReadonlyArray<Protocol.Refund>, NotSent | Unanswered> {
  const refunds: Array<Protocol.Refund> = []
  let from: string | null = null
  for (let pages = 0; pages < pagesAtMost; pages++) {
    const page: Page = yield* askPage(ask, "refunds", { from, under: providerRef })
    for (const entry of page.entries) {
      refunds.push(yield* Effect.fromResult(entryAs(Protocol.Refund, page.answer, entry)))
    }
    if (page.next === null) return refunds
    from = page.next
  }
  return yield* new Unanswered({ reason: `the payment has more than ${pagesAtMost} pages of refunds` })
})

const notYet = { _tag: "NotFound", conclusive: false } as const

/** Mollie named the id itself: a missing object says that the key is of another account now, and nothing of the payment. */
const byId = <State>(answer: TransportAnswer, read: () => Read<Found<State>>): Read<Found<State>> =>
  answer.status === 404 && failureIn(answer) !== undefined ? Result.succeed(notYet) : onlySuccess(answer, read)

/** What is looked for in a list, from its newest entry on. */
interface Sought<State> {
  readonly under: string | null
  /** Epoch milliseconds: nothing older is it; `null` to go through the whole list. */
  readonly since: number | null
  /** Epoch milliseconds by our clock: Mollie was not asked after this. */
  readonly sentBefore: number
  readonly mark: readonly [name: string, ourId: string]
  readonly read: (answer: TransportAnswer, entry: Entry) => Read<State>
}

const find = Effect.fnUntraced(function* <State>(
  ask: Ask,
  name: ListName,
  { mark, read, sentBefore, since, under }: Sought<State>
): Effect.fn.Return<Found<State>, NotSent | Unanswered> {
  const [markName, ourId] = mark
  let from: string | null = null
  for (let pages = 0; pages < pagesAtMost; pages++) {
    const page: Page = yield* askPage(ask, name, { from, under })
    const found = page.entries.find(({ metadata }) => Protocol.markIn(metadata, markName) === ourId)
    if (found !== undefined) return { _tag: "Found", state: yield* Effect.fromResult(read(page.answer, found)) }
    const last = page.entries.at(-1)
    const isWhole = page.next === null || (since !== null && last !== undefined && last.created < since)
    if (isWhole) return { _tag: "NotFound", conclusive: isConclusive(page.answer, sentBefore) }
    from = page.next
  }
  return notYet
})

/** By the time that Mollie wrote on its answer; without one, never. */
const isConclusive = ({ headers }: TransportAnswer, sentBefore: number): boolean =>
  Date.parse(headers["date"] ?? "") >= sentBefore + conclusiveAfterMillis

const entryAs = <A>(schema: Schema.Decoder<A>, answer: TransportAnswer, { raw }: Entry): Read<A> =>
  readable(schema, { ...answer, body: JSON.stringify(raw) })
