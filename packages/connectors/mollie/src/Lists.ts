/**
 * Mollie's lists of payments, refunds and chargebacks (https://docs.mollie.com/reference/list-all-chargebacks), oldest first,
 * for recovery. They take no dates, so that the first page of a window is
 * found by going from the newest entry back to the window's beginning; from there `sort=asc` leads on, a page at a time. An
 * entry is ours by its metadata; other entries are those of other programs of the profile.
 */
import {
  type ChargeState,
  fieldOf,
  type ListEntry,
  type ListedCharge,
  type ListedDispute,
  type ListedRefund,
  type ListRequest,
  listedPage,
  markedCharge,
  type NotSent,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { fromMollie } from "./Amounts.ts"
import { isOnPage, type Reader, stateOf, stateOfRefund } from "./Answers.ts"
import { chargebackIn } from "./Messages.ts"
import { type Ask, askPage, type Entry, type Page } from "./Pages.ts"
import * as Protocol from "./Protocol.ts"

/** From the newest entry back to the beginning of the window: 50,000 entries, one request after the other. */
const pagesAtMost = 200

export const charges = (ask: Ask, request: ListRequest, reader: Reader) =>
  Effect.map(oldestFirst(ask, "payments", request), (window) => pageOf(window, reader, chargeIn))

export const refunds = (ask: Ask, request: ListRequest, reader: Reader) =>
  Effect.map(oldestFirst(ask, "refunds", request), (window) => pageOf(window, reader, refundIn))

export const disputes = (ask: Ask, request: ListRequest, reader: Reader) =>
  Effect.map(oldestFirst(ask, "chargebacks", request), (window) => pageOf(window, reader, disputeIn))

interface Window {
  /** Oldest first. */
  readonly entries: ReadonlyArray<Entry>
  readonly nextCursor: string | null
}

const oldestFirst = Effect.fnUntraced(function* (
  ask: Ask,
  name: "payments" | "refunds" | "chargebacks",
  { createdBefore, createdFrom, cursor }: ListRequest
): Effect.fn.Return<Window, NotSent | Unanswered> {
  const isInside = ({ created }: Entry) => created >= createdFrom && created < createdBefore
  const onFrom = Effect.fnUntraced(function* (from: string) {
    const { entries, next }: Page = yield* askPage(ask, name, { from, sort: "asc", under: null })
    const isOver = entries.some(({ created }) => created >= createdBefore)
    return { entries: entries.filter(isInside), nextCursor: isOver ? null : next } satisfies Window
  })
  if (cursor !== null) return yield* onFrom(cursor)
  let oldest: string | null = null
  let from: string | null = null
  for (let pages = 0; pages < pagesAtMost; pages++) {
    const page: Page = yield* askPage(ask, name, { from, sort: "desc", under: null })
    const inside = page.entries.filter(isInside)
    oldest = inside.at(-1)?.id ?? oldest
    const isWhole = page.next === null || page.entries.some(({ created }) => created < createdFrom)
    // The whole window is on the first page.
    if (isWhole && pages === 0) return { entries: inside.toReversed(), nextCursor: null }
    if (isWhole) return oldest === null ? { entries: [], nextCursor: null } : yield* onFrom(oldest)
    from = page.next
  }
  const reason = `the window begins more than ${pagesAtMost} pages back in Mollie's list`
  return yield* new Unanswered({ reason })
})

const pageOf = <Item>(window: Window, reader: Reader, itemIn: (entry: Entry, reader: Reader) => ListEntry<Item>) =>
  listedPage(window, reader.clean, {
    read: (entry) => itemIn(entry, reader),
    name: ({ id }) => id,
    complaint: (wrongAt) => (wrongAt === null ? "it shows a secret" : `it cannot be read at ${wrongAt}`)
  })

const readPayment = Schema.decodeUnknownResult(Protocol.ListedPayment)
const readRefund = Schema.decodeUnknownResult(Protocol.ListedRefund)
const readChargeback = Schema.decodeUnknownResult(Protocol.Chargeback)

const chargeIn = ({ created, metadata, raw }: Entry, reader: Reader): ListEntry<ListedCharge> => {
  const mark = (name: string) => Protocol.markIn(metadata, name)
  const attemptId = mark("attempt_id")
  if (attemptId === null) return undefined
  const read = readPayment(raw)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const money = fromMollie(read.success.amount)
  const state = stateOf(read.success, reader)
  if (typeof state === "string" || money === undefined) return { wrongAt: typeof state === "string" ? state : "amount" }
  return {
    item: {
      attemptId,
      ...markedCharge(mark),
      // "By default, Mollie captures payments automatically" (https://docs.mollie.com/reference/create-capture).
      capture: read.success.captureMode !== "manual",
      money,
      state: onPage(read.success, state),
      created
    }
  }
}

/** While a page is open, its customer may still pay. */
const onPage = ({ id, metadata, status }: Protocol.Payment, state: ChargeState): ChargeState =>
  status === "open" && isOnPage(metadata) ? { _tag: "NeedsCustomer", providerRef: id } : state

const refundIn = ({ created, metadata, raw }: Entry, reader: Reader): ListEntry<ListedRefund> => {
  const read = readRefund(raw)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const money = fromMollie(read.success.amount)
  const state = stateOfRefund(read.success, reader)
  if (typeof state === "string" || money === undefined) return { wrongAt: typeof state === "string" ? state : "amount" }
  return {
    item: {
      refundId: Protocol.refundIdIn(metadata),
      providerRef: read.success.paymentId,
      money,
      state,
      created
    }
  }
}

/** It names its payment alone, by Mollie's id of it. */
const disputeIn = ({ raw }: Entry): ListEntry<ListedDispute> => {
  const read = readChargeback(raw)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const { createdAt, reversedAt } = read.success
  return { item: { ...chargebackIn(read.success), at: Date.parse(reversedAt ?? createdAt) } }
}
