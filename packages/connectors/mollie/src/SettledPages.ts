/** Pages of Mollie's settlements, and of what is in one (https://docs.mollie.com/reference/list-settlement-payments). */
import { segment, type TransportAnswer, Unanswered } from "@pointsman/core/connector"
import { Result, Schema } from "effect"
import { type Read, readable, unreadable } from "./Answers.ts"
import { type Ask, entriesOfPage, nextIn } from "./Pages.ts"
import * as Protocol from "./Protocol.ts"

/** In the order in which they are read. */
export const settledLists = ["payments", "captures", "refunds", "chargebacks"] as const
export type SettledList = (typeof settledLists)[number]

interface SettledPage<Entry> {
  readonly entries: ReadonlyArray<Entry>
  /** The entry at which the next page begins; `null` for the last page. */
  readonly next: string | null
}

const queryFrom = (from: string | null): string =>
  `?limit=${entriesOfPage}${from === null ? "" : `&from=${segment(from)}`}`

export const askSettlements = (ask: Ask, from: string | null) =>
  ask(`/v2/settlements${queryFrom(from)}`, (answer) => pageIn(answer, "settlements", settlements))

export const askSettled = (ask: Ask, settlementId: string, list: SettledList, from: string | null) =>
  ask(`/v2/settlements/${segment(settlementId)}/${list}${queryFrom(from)}`, (answer) =>
    pageIn(answer, list, pages[list])
  )

const settlements = Protocol.pageOf("settlements", Protocol.Settlement)
/** Entries are read one by one. */
const pages = {
  payments: Protocol.pageOf("payments", Schema.Unknown),
  captures: Protocol.pageOf("captures", Schema.Unknown),
  refunds: Protocol.pageOf("refunds", Schema.Unknown),
  chargebacks: Protocol.pageOf("chargebacks", Schema.Unknown)
}

const pageIn = <Entry>(
  answer: TransportAnswer,
  name: string,
  page: Schema.Decoder<Protocol.Page<Entry>>
): Read<SettledPage<Entry>> => {
  const { status } = answer
  if (status === 401 || status === 403) return Result.fail(refused(status))
  if (status < 200 || status > 299)
    return Result.fail(new Unanswered({ reason: `Mollie responded with status ${status}` }))
  return Result.flatMap(readable(page, answer), ({ _embedded, _links, count }): Read<SettledPage<Entry>> => {
    const entries = _embedded[name] ?? []
    if (count !== entries.length) return unreadable(answer, "count")
    const next = _links.next === null ? null : nextIn(_links.next.href)
    return next === undefined ? unreadable(answer, "_links.next.href") : Result.succeed({ entries, next })
  })
}

const refused = (status: number): Unanswered =>
  new Unanswered({
    reason:
      `Mollie refuses the settlements (status ${status}): expected an organization access token with settlements.read ` +
      "and payments.read in credentials.reportToken"
  })
