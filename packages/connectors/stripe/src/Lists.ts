/**
 * Stripe's lists of payments, refunds and disputes, oldest first, for recovery. Disputes are listed by their creation
 * (https://docs.stripe.com/api/disputes/list).
 *
 * Stripe lists the newest first (https://docs.stripe.com/api/pagination). So the first page of a window is found by going
 * through all of it once, and from there `ending_before` leads back to the newest, a page at a time. An entry is ours by
 * its metadata; other entries are those of other programs of the account.
 */
import {
  type ChargeState,
  type Clean,
  fieldOf,
  type ListEntry,
  type ListedCharge,
  type ListedDispute,
  type ListedRefund,
  type ListRequest,
  listedPage,
  markedCharge,
  type NotSent,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { fromStripe } from "./Amounts.ts"
import { onlySuccess, type Read, readable, stateOf, stateOfToldRefund, unreadable } from "./Answers.ts"
import { statedIn } from "./Disputes.ts"
import * as Protocol from "./Protocol.ts"
import type { Form } from "./Requests.ts"

/** Of one window, to find its beginning: 20,000 entries, one request after the other. */
const pagesAtMost = 200

export type Send = (path: string, form: Form) => Effect.Effect<TransportAnswer, NotSent | Unanswered>

export const charges = (send: Send, request: ListRequest, clean: Clean) =>
  Effect.map(oldestFirst(send, "payment_intents", request), (raw) => pageOf(raw, clean, chargeIn))

export const refunds = (send: Send, request: ListRequest, clean: Clean) =>
  Effect.map(oldestFirst(send, "refunds", request), (raw) => pageOf(raw, clean, refundIn))

export const disputes = (send: Send, request: ListRequest, clean: Clean) =>
  Effect.map(oldestFirst(send, "disputes", request), (raw) => pageOf(raw, clean, disputeIn))

/** As Stripe wrote them, newest first. */
interface RawPage {
  readonly entries: ReadonlyArray<unknown>
  readonly nextCursor: string | null
}

export const oldestFirst = Effect.fnUntraced(function* (
  send: Send,
  path: string,
  { createdBefore, createdFrom, cursor }: ListRequest,
  more: Form = []
): Effect.fn.Return<RawPage, NotSent | Unanswered> {
  const window: Form = [
    ["created[gte]", String(Math.max(0, Math.floor(createdFrom / 1000)))],
    ["created[lt]", String(Math.ceil(createdBefore / 1000))],
    ["limit", "100"],
    ...more
  ]
  const ask = (from: Form) =>
    Effect.flatMap(send(path, [...window, ...from]), (answer) => Effect.fromResult(listed(answer, path)))
  if (cursor !== null) {
    const page = yield* ask([["ending_before", cursor]])
    return { entries: page.entries, nextCursor: page.hasMore ? page.newest : null }
  }
  let page = yield* ask([])
  for (let pages = 1; page.hasMore; pages++) {
    if (pages === pagesAtMost) {
      return yield* new Unanswered({ reason: `the window holds more than ${pagesAtMost * 100} entries; ask for less` })
    }
    const older = yield* ask([["starting_after", page.oldest ?? ""]])
    page = { ...older, isPart: true }
  }
  return { entries: page.entries, nextCursor: page.isPart ? page.newest : null }
})

interface Listed {
  readonly entries: ReadonlyArray<unknown>
  readonly newest: string | null
  readonly oldest: string | null
  readonly hasMore: boolean
  /** Newer pages came before it. */
  readonly isPart: boolean
}

export const listed = (answer: TransportAnswer, path: string): Read<Listed> =>
  onlySuccess(answer, () =>
    Result.flatMap(readable(Protocol.List, answer), ({ data, has_more, url }): Read<Listed> => {
      if (url !== `/v1/${path}`) return unreadable(answer, "url")
      // More to come, and no cursor.
      if (has_more && data.length === 0) return unreadable(answer, "data")
      const { data: entries }: { readonly data: ReadonlyArray<unknown> } = JSON.parse(answer.body)
      const [newest, oldest] = [data[0]?.id ?? null, data.at(-1)?.id ?? null]
      return Result.succeed({ entries, newest, oldest, hasMore: has_more, isPart: false })
    })
  )

const pageOf = <Item>(
  { entries, nextCursor }: RawPage,
  clean: Clean,
  entryOf: (entry: unknown, clean: Clean) => ListEntry<Item>
) =>
  listedPage({ entries: entries.toReversed(), nextCursor }, clean, {
    read: (entry) => entryOf(entry, clean),
    name: (entry) => (entry as { readonly id: string }).id,
    complaint: (wrongAt) => `it is not to be understood, ${wrongAt === null ? "it shows a secret" : `at ${wrongAt}`}`
  })

const readPaymentIntent = Schema.decodeUnknownResult(Protocol.ListedPaymentIntent)
const readRefund = Schema.decodeUnknownResult(Protocol.ListedRefund)
const readDispute = Schema.decodeUnknownResult(Protocol.Dispute)

const chargeIn = (entry: unknown, clean: Clean): ListEntry<ListedCharge> => {
  const marks = marksOf(entry)
  const attemptId = textAt(marks, "attempt_id")
  if (attemptId === null) return undefined
  const read = readPaymentIntent(entry)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const paymentIntent = read.success
  const money = fromStripe(paymentIntent.amount, paymentIntent.currency)
  const state = chargeState(paymentIntent, textAt(marks, "checkout") === "true", clean)
  if (typeof state === "string" || money === undefined) return { wrongAt: typeof state === "string" ? state : "amount" }
  return {
    item: {
      attemptId,
      ...markedCharge((name) => textAt(marks, name)),
      capture: captureMethods.get(paymentIntent.capture_method) ?? null,
      money,
      state,
      created: paymentIntent.created * 1000
    }
  }
}

/** https://docs.stripe.com/api/payment_intents/object#payment_intent_object-capture_method */
const captureMethods: ReadonlyMap<string, boolean> = new Map([
  ["automatic", true],
  ["automatic_async", true],
  ["manual", false]
])

/** On a page a refusal is not the end: the customer may try again there. */
const chargeState = (
  paymentIntent: typeof Protocol.ListedPaymentIntent.Type,
  isOnPage: boolean,
  clean: Clean
): ChargeState | string =>
  isOnPage && paymentIntent.status === "requires_payment_method"
    ? { _tag: "NeedsCustomer", providerRef: paymentIntent.id }
    : stateOf(paymentIntent, clean)

const refundIn = (entry: unknown, clean: Clean): ListEntry<ListedRefund> => {
  const read = readRefund(entry)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const refund = read.success
  if (refund.payment_intent === null || refund.payment_intent === undefined) return undefined
  const money = fromStripe(refund.amount, refund.currency)
  const state = stateOfToldRefund(refund, clean)
  if (typeof state === "string" || money === undefined) return { wrongAt: typeof state === "string" ? state : "amount" }
  return {
    item: {
      refundId: Protocol.refundIdIn(refund.metadata),
      providerRef: refund.payment_intent,
      money,
      state,
      created: refund.created * 1000
    }
  }
}

/** It names its payment alone, and has no time of its last change: its status is that of the moment. */
const disputeIn = (entry: unknown): ListEntry<ListedDispute> => {
  const read = readDispute(entry)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const { id: disputeId, payment_intent: providerRef } = read.success
  if (providerRef === null || providerRef === undefined) return undefined
  const stated = statedIn(read.success)
  return stated === undefined
    ? { wrongAt: "status" }
    : { item: { charge: { providerRef }, disputeId, ...stated, at: null } }
}

const marksOf = (entry: unknown): Protocol.AnyMetadata =>
  (entry as { readonly metadata?: Protocol.AnyMetadata | null }).metadata ?? {}

/** `null` for what we never write there: another program has names of its own, and anybody may change it by hand. */
const textAt = (metadata: Protocol.AnyMetadata, name: string): string | null => {
  const text = Object.hasOwn(metadata, name) ? metadata[name] : null
  return typeof text === "string" && text !== "" && text.isWellFormed() && !/\p{Cc}/u.test(text) ? text : null
}
