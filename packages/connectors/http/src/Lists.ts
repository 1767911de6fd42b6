/** The adapter's lists of charges, refunds and disputes, for recovery. What is not a page in the protocol's words is no list. */
import {
  type Clean,
  fieldOf,
  isCurrency,
  type ListedCharge,
  type ListedDispute,
  type ListedPage,
  type ListedRefund,
  type ListRequest,
  money,
  segment,
  type TransportAnswer,
  type UnreadableEntry
} from "@pointsman/core/connector"
import { Result, Schema } from "effect"
import { onlySuccess, type Read, readable, toldCharge, toldRefund, unreadable, unsupported } from "./Answers.ts"
import { detailsOf, verdictOf } from "./Disputes.ts"
import * as Protocol from "./Protocol.ts"

/** `what`: `charges`, `refunds` or `disputes`. */
export const pathOf = (what: string, { createdBefore, createdFrom, cursor }: ListRequest): string => {
  const [since, until] = [createdFrom, createdBefore].map((time) => segment(new Date(time).toISOString()))
  const page = cursor === null ? "" : `&cursor=${segment(cursor)}`
  return `/${what}?created_from=${since}&created_before=${until}${page}`
}

const readDispute = Schema.decodeUnknownResult(Protocol.ListedDispute)
const readCharge = Schema.decodeUnknownResult(Protocol.ListedCharge)
const readRefund = Schema.decodeUnknownResult(Protocol.ListedRefund)
const readChargeName = Schema.decodeUnknownResult(
  Schema.Struct({ reference: Protocol.Charge.fields.provider_reference })
)

export const chargesAnswer = (
  answer: TransportAnswer,
  request: ListRequest,
  clean: Clean
): Read<ListedPage<ListedCharge>> =>
  onlyList(answer, "list of charges", () =>
    Result.flatMap(readable(Protocol.ChargePage, answer), ({ charges, next_cursor }) =>
      pageOf(answer, request, { entries: charges, next: next_cursor ?? null }, clean, {
        read: chargeOf,
        name: "provider_reference"
      })
    )
  )

export const refundsAnswer = (
  answer: TransportAnswer,
  request: ListRequest,
  clean: Clean
): Read<ListedPage<ListedRefund>> =>
  onlyList(answer, "list of refunds", () =>
    Result.flatMap(readable(Protocol.RefundPage, answer), ({ next_cursor, refunds }) =>
      pageOf(answer, request, { entries: refunds, next: next_cursor ?? null }, clean, {
        read: refundOf,
        name: "provider_refund_id"
      })
    )
  )

/** An adapter may have been written before there was this list: then its path does not exist. */
const withoutPath: ReadonlySet<number> = new Set([404, 405])

export const disputesAnswer = (
  answer: TransportAnswer,
  request: ListRequest,
  clean: Clean
): Read<ListedPage<ListedDispute>> => {
  const what = "list of disputes"
  if (withoutPath.has(answer.status)) return unsupported(what, answer.status)
  return onlyList(answer, what, () =>
    Result.flatMap(readable(Protocol.DisputePage, answer), ({ disputes, next_cursor }) =>
      pageOf(answer, request, { entries: disputes, next: next_cursor ?? null }, clean, {
        read: disputeOf,
        name: "dispute_id"
      })
    )
  )
}

const onlyList = <A>(answer: TransportAnswer, what: string, read: () => Read<A>): Read<A> => {
  if (answer.status === 501) return unsupported(what)
  return onlySuccess(answer, read)
}

/** An item, or where it cannot be read. */
type Entry<Item> = { readonly item: Item } | { readonly wrongAt: string }

interface Kind<Item> {
  readonly read: (entry: unknown, clean: Clean) => Entry<Item>
  /** The field with the adapter's own name for it. */
  readonly name: string
}

const pageOf = <Item>(
  answer: TransportAnswer,
  { cursor }: ListRequest,
  { entries, next }: { readonly entries: ReadonlyArray<unknown>; readonly next: string | null },
  clean: Clean,
  { name, read }: Kind<Item>
): Read<ListedPage<Item>> => {
  // The same page again would never end.
  if (next !== null && (next === cursor || clean.shows(next))) return unreadable(answer, "next_cursor")
  const items: Array<Item> = []
  const unreadableOnes: Array<UnreadableEntry> = []
  for (const entry of entries) {
    const found = read(entry, clean)
    if ("item" in found && !clean.shows(JSON.stringify(entry))) items.push(found.item)
    else {
      const why = "item" in found ? "it shows a secret" : `it is not as the protocol says at ${found.wrongAt}`
      unreadableOnes.push({ reference: nameOf(entry, name, clean), reason: why })
    }
  }
  return Result.succeed({ items, unreadable: unreadableOnes, nextCursor: next })
}

const nameOf = (entry: unknown, name: string, clean: Clean): string | null => {
  const read = readChargeName({ reference: (entry as Readonly<Record<string, unknown>> | null)?.[name] })
  return Result.isSuccess(read) && !clean.shows(read.success.reference) ? read.success.reference : null
}

const chargeOf = (entry: unknown, clean: Clean): Entry<ListedCharge> => {
  const read = readCharge(entry)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const charge = read.success
  if (!isCurrency(charge.currency)) return { wrongAt: "currency" }
  const asked = money(charge.amount, charge.currency)
  const state = toldCharge(charge, asked, clean)
  if (state === undefined) return { wrongAt: "decline" }
  return {
    item: {
      attemptId: charge.attempt_id,
      paymentId: charge.payment_id ?? null,
      idempotencyKey: charge.idempotency_key ?? null,
      reference: charge.reference ?? null,
      country: charge.country ?? null,
      method: charge.method ?? null,
      cardBrand: charge.card_brand ?? null,
      initiator: charge.initiator ?? null,
      capture: charge.capture ?? null,
      money: asked,
      state,
      created: Date.parse(charge.created)
    }
  }
}

const refundOf = (entry: unknown, clean: Clean): Entry<ListedRefund> => {
  const read = readRefund(entry)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const refund = read.success
  if (!isCurrency(refund.currency)) return { wrongAt: "currency" }
  const asked = money(refund.amount, refund.currency)
  return {
    item: {
      refundId: refund.refund_id ?? null,
      providerRef: refund.provider_reference,
      money: asked,
      state: toldRefund(refund, asked, clean),
      created: Date.parse(refund.created)
    }
  }
}

const disputeOf = (entry: unknown, clean: Clean): Entry<ListedDispute> => {
  const read = readDispute(entry)
  if (Result.isFailure(read)) return { wrongAt: fieldOf(read.failure) }
  const { attempt_id, dispute_id, provider_reference, status, updated } = read.success
  const attemptId = attempt_id ?? undefined
  const providerRef = provider_reference ?? undefined
  if (attemptId === undefined && providerRef === undefined) return { wrongAt: "attempt_id" }
  return {
    item: {
      charge: attemptId === undefined ? { providerRef: providerRef ?? "" } : { attemptId },
      disputeId: dispute_id,
      ...verdictOf("dispute.updated", status),
      ...detailsOf(entry as Readonly<Record<string, unknown>>, clean),
      at: Date.parse(updated)
    }
  }
}
