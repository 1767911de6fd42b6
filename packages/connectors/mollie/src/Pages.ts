/**
 * Pages of Mollie's lists (https://docs.mollie.com/reference/pagination). A list has no dates to ask by: it is read from its
 * newest entry, or from one that is named on.
 */
import { type NotSent, segment, type TransportAnswer, type Unanswered } from "@pointsman/core/connector"
import { type Effect, Result } from "effect"
import { onlySuccess, type Read, readable, unreadable } from "./Answers.ts"
import * as Protocol from "./Protocol.ts"

/** What Mollie gives at most. */
export const entriesOfPage = 250

export type ListName = "payments" | "refunds" | "captures" | "chargebacks"

/** Sends a GET, and reads its answer. */
export type Ask = <A>(
  path: string,
  read: (answer: TransportAnswer) => Read<A>
) => Effect.Effect<A, NotSent | Unanswered>

export interface Entry {
  readonly id: string
  /** Epoch milliseconds by Mollie's clock. */
  readonly created: number
  /** As anybody may have written it. */
  readonly metadata: unknown
  /** As Mollie wrote it. */
  readonly raw: unknown
}

export interface Page {
  /** In the list's own order. */
  readonly entries: ReadonlyArray<Entry>
  /** The entry at which the next page begins; `null` for the last page. */
  readonly next: string | null
  readonly answer: TransportAnswer
}

const lists = {
  payments: Protocol.listOf("payments"),
  refunds: Protocol.listOf("refunds"),
  captures: Protocol.listOf("captures"),
  chargebacks: Protocol.listOf("chargebacks")
}

/** `under`: the payment whose refunds or captures are listed; `null` for all of the profile. */
export const askPage = (
  ask: Ask,
  name: ListName,
  { from, sort, under }: { readonly from: string | null; readonly sort?: "asc" | "desc"; readonly under: string | null }
): Effect.Effect<Page, NotSent | Unanswered> => {
  const path = under === null ? `/v2/${name}` : `/v2/payments/${segment(under)}/${name}`
  const order = sort === undefined ? "" : `&sort=${sort}`
  return ask(`${path}?limit=${entriesOfPage}${order}${from === null ? "" : `&from=${segment(from)}`}`, (answer) =>
    pageIn(answer, name)
  )
}

const pageIn = (answer: TransportAnswer, name: ListName): Read<Page> =>
  onlySuccess(answer, () =>
    Result.flatMap(readable(lists[name], answer), (list): Read<Page> => {
      const entries = list._embedded[name] ?? []
      const raws: ReadonlyArray<unknown> = JSON.parse(answer.body)._embedded[name]
      if (list.count !== entries.length) return unreadable(answer, "count")
      const next = list._links.next === null ? null : nextIn(list._links.next.href)
      if (next === undefined) return unreadable(answer, "_links.next.href")
      return Result.succeed({
        answer,
        next,
        entries: entries.map(({ createdAt, id, metadata }, at) => ({
          id,
          created: Date.parse(createdAt),
          metadata,
          raw: raws[at]
        }))
      })
    })
  )

/** The address is not followed: it may lead anywhere, and our key would go with it. */
export const nextIn = (href: string): string | undefined => {
  const from = URL.canParse(href) ? new URL(href).searchParams.get("from") : null
  return from === null || from === "" || from.length > 255 ? undefined : from
}
