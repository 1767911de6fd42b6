import type { Event as EventRecord, Page } from "@pointsman/core"
import type { Event } from "./api/Event.ts"
import { timeView } from "./PaymentView.ts"

export const eventView = (event: EventRecord): Event => ({
  id: event.id,
  type: event.type,
  created: timeView(event.createdAt),
  data: event.data
})

/** The list envelope of a page. */
export const pageView = <Item extends { readonly id: string }, View>(page: Page<Item>, view: (item: Item) => View) => ({
  data: page.items.map(view),
  has_more: page.hasMore,
  next_cursor: page.hasMore ? (page.items.at(-1)?.id ?? null) : null
})
