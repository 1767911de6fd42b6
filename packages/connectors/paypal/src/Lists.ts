/**
 * PayPal's list of disputes, for recovery (https://developer.paypal.com/api/customer-disputes/v1/disputes-list): those that
 * changed in a window. The list has summaries, which name no payment, so that each dispute is read after it
 * (https://developer.paypal.com/api/customer-disputes/v1/disputes-get). Charges and refunds have no list that is complete.
 *
 * "update_time_after must be within the last 180 days": of what is older nothing is listed.
 */
import {
  type Clean,
  fieldOf,
  fromJson,
  isSuccess,
  type ListedDispute,
  type ListedPage,
  type ListRequest,
  type NotSent,
  segment,
  type TransportAnswer,
  Unanswered,
  type UnreadableEntry
} from "@pointsman/core/connector"
import { Clock, Effect, Result } from "effect"
import * as Answers from "./Answers.ts"
import type { Call } from "./Caller.ts"
import { attemptIn, disputeIn } from "./Messages.ts"
import * as Protocol from "./Protocol.ts"

/** What PayPal gives at most; each entry is one request more. */
const entriesOfPage = 50
const listedMillis = 180 * 24 * 60 * 60_000

interface Summaries {
  readonly ids: ReadonlyArray<string>
  readonly next: string | null
}

/** `undefined`: it is no charge of ours. */
type Read = { readonly item: ListedDispute } | { readonly unreadable: UnreadableEntry } | undefined

export const disputes = Effect.fnUntraced(function* (
  call: Call,
  { createdBefore, createdFrom, cursor }: ListRequest
): Effect.fn.Return<ListedPage<ListedDispute>, NotSent | Unanswered> {
  if (createdFrom <= (yield* Clock.currentTimeMillis) - listedMillis) return yield* tooOld
  const [after, before] = [createdFrom, createdBefore].map((time) => segment(new Date(time).toISOString()))
  const window = `update_time_after=${after}&update_time_before=${before}&page_size=${entriesOfPage}`
  const path = `/v1/customer/disputes?${window}${cursor === null ? "" : `&${cursor}`}`
  const { ids, next } = yield* call({ method: "GET", path }, summariesIn)
  if (next !== null && next === cursor) return yield* samePage
  const items: Array<ListedDispute> = []
  const unreadable: Array<UnreadableEntry> = []
  for (const id of ids) {
    const read = yield* call({ method: "GET", path: `/v1/customer/disputes/${segment(id)}` }, (answer, clean) =>
      disputeOf(answer, id, clean)
    )
    if (read === undefined) continue
    if ("item" in read) items.push(read.item)
    else unreadable.push(read.unreadable)
  }
  return { items, unreadable, nextCursor: next }
})

const tooOld = Effect.fail(
  new Unanswered({ reason: "PayPal lists the disputes of the last 180 days", isUnsupported: true })
)
const samePage = Effect.fail(new Unanswered({ reason: "PayPal named the same page again" }))

const summariesIn = (answer: TransportAnswer): Answers.Read<Summaries> => {
  // "When you create an app, enable Disputes in the App feature options": without it no dispute is ever listed.
  if (answer.status === 403) return Result.fail(refused)
  if (!isSuccess(answer)) return Answers.unsettling(answer)
  return Result.flatMap(Answers.readable(Protocol.DisputePage, answer), ({ items, links }): Answers.Read<Summaries> => {
    // An empty page has no entries, and what is no page of disputes has neither.
    if ((items ?? undefined) === undefined && (links ?? undefined) === undefined) {
      return Answers.unreadable(answer, "items")
    }
    const href = links?.find(({ rel }) => rel === "next")?.href
    const next = href === undefined ? null : pageNamed(href)
    return next === undefined
      ? Answers.unreadable(answer, "links")
      : Result.succeed({ ids: (items ?? []).map(({ dispute_id }) => dispute_id), next })
  })
}

const refused = new Unanswered({
  reason: "the app may not read disputes (status 403): enable Disputes in its features",
  isUnsupported: true
})

/** The address is not followed: it may lead anywhere, and our token would go with it. */
const pageNamed = (href: string): string | undefined => {
  const query = URL.canParse(href) ? new URL(href).searchParams : undefined
  for (const name of ["next_page_token", "page"]) {
    const value = query?.get(name) ?? ""
    if (value !== "" && value.length <= 255) return `${name}=${segment(value)}`
  }
  return undefined
}

/** Told as an update tells it: as it is now. */
const disputeOf = (answer: TransportAnswer, id: string, clean: Clean): Answers.Read<Read> => {
  if (!isSuccess(answer)) return Answers.unsettling(answer)
  const read = fromJson(Protocol.ListedDispute, answer.body)
  const unreadable = (reason: string): Answers.Read<Read> =>
    Result.succeed({ unreadable: { reference: clean.shows(id) ? null : id, reason } })
  if (Result.isFailure(read)) return unreadable(`it is not to be understood at ${fieldOf(read.failure)}`)
  const dispute = read.success
  if (dispute.dispute_id !== id) return Answers.unreadable(answer, "dispute_id")
  const told = disputeIn("CUSTOMER.DISPUTE.UPDATED", dispute)
  if (typeof told === "string") {
    const isOurs = dispute.disputed_transactions.some((one) => attemptIn(one) !== undefined)
    return isOurs ? unreadable(told.replaceAll("resource.", "")) : Result.succeed(undefined)
  }
  const item: ListedDispute = { ...told, at: Date.parse(dispute.update_time) }
  return clean.shows(JSON.stringify(item)) ? unreadable("it shows a secret") : Result.succeed({ item })
}
