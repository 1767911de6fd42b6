import { type Event as EventRecord, type Page, viewOfEvent } from "@pointsman/core"
import type { Event } from "./api/Event.ts"

export const eventView = (event: EventRecord): Event => viewOfEvent(event)

/** The list envelope of a page. */
export const pageView = <Item extends { readonly id: string }, View>(page: Page<Item>, view: (item: Item) => View) => ({
  data: page.items.map(view),
  has_more: page.hasMore,
  next_cursor: page.hasMore ? (page.walkedTo ?? page.items.at(-1)?.id ?? null) : null,
  ...(page.walkedTo === undefined ? {} : { search_incomplete: true as const })
})
