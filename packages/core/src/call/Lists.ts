/** Walks a provider's lists of charges, refunds and disputes, page after page, oldest first. It only reads. */
import { Effect } from "effect"
import type { Connection } from "../model/Connection.ts"
import { type NotSent, Unanswered } from "../model/ProviderStatement.ts"
import type { Connector } from "../ports/Connector.ts"
import type { ListedCharge, ListedDispute, ListedPage, ListedRefund, ListRequest } from "../ports/ProviderLists.ts"
import { callProvider } from "./CallProvider.ts"

/** Epoch milliseconds by the provider's clock: from `from` on, and before `before`. */
export interface ListWindow {
  readonly from: number
  readonly before: number
}

/** How a walk ended: `NoList` where the provider has none, `Failed` where a page was not the provider's own word. */
export type ListEnd =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "NoList" }
  | { readonly _tag: "Failed"; readonly reason: string }

type ListMethod<Item> = (
  connector: Connector
) => ((request: ListRequest) => Effect.Effect<ListedPage<Item>, NotSent | Unanswered>) | undefined

export const chargeList: ListMethod<ListedCharge> = ({ listCharges }) => listCharges
export const refundList: ListMethod<ListedRefund> = ({ listRefunds }) => listRefunds
export const disputeList: ListMethod<ListedDispute> = ({ listDisputes }) => listDisputes

/** A connector may refuse a window that holds too many entries: what is asked at once, and the least that is asked. */
const longestMillis = 24 * 60 * 60_000
const shortestMillis = 60_000

/** Of one window: a provider that always names a further page must not hold the walk for ever. */
const pagesAtMost = 10_000

/** Gives each page to `take`, in order. A window that is not answered is asked again in halves. */
export const walkList = Effect.fnUntraced(function* <Item, E, R>(
  connection: Connection,
  method: ListMethod<Item>,
  { before, from }: ListWindow,
  take: (page: ListedPage<Item>) => Effect.Effect<void, E, R>
) {
  const windows: Array<ListWindow> = []
  for (let start = from; start < before; start += longestMillis) {
    windows.push({ from: start, before: Math.min(before, start + longestMillis) })
  }
  for (let window = windows.shift(); window !== undefined; window = windows.shift()) {
    const failure = yield* walkWindow(connection, method, window, take)
    if (failure === undefined) continue
    // By its tag: a connector may have its own copy of the class.
    const isUnanswered = failure._tag === "pointsman/Unanswered"
    if (isUnanswered && failure.isUnsupported === true) return { _tag: "NoList" } satisfies ListEnd
    const { before, from } = window
    if (!isUnanswered || before - from <= shortestMillis) {
      return { _tag: "Failed", reason: failure.reason } satisfies ListEnd
    }
    const middle = Math.floor((from + before) / 2)
    windows.unshift({ from, before: middle }, { from: middle, before })
  }
  return { _tag: "Complete" } satisfies ListEnd
})

const walkWindow = Effect.fnUntraced(function* <Item, E, R>(
  connection: Connection,
  method: ListMethod<Item>,
  window: ListWindow,
  take: (page: ListedPage<Item>) => Effect.Effect<void, E, R>
) {
  let cursor: string | null = null
  for (let pages = 0; pages < pagesAtMost; pages++) {
    const request: ListRequest = { createdFrom: window.from, createdBefore: window.before, cursor }
    const page: ListedPage<Item> | NotSent | Unanswered = yield* callProvider<ListedPage<Item>>(
      connection,
      (connector) => method(connector)?.(request) ?? Effect.fail(noList)
    )
    if ("_tag" in page) return page
    yield* take(page)
    if (page.nextCursor === null) return undefined
    if (page.nextCursor === cursor) return new Unanswered({ reason: "the provider named the same page again" })
    cursor = page.nextCursor
  }
  return new Unanswered({ reason: `the window has more than ${pagesAtMost} pages` })
})

const noList = new Unanswered({ reason: "the connector has no list", isUnsupported: true })
