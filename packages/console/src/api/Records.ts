/** What the records of all areas share. */
import { InProcess } from "@pointsman/http"
import { Schema } from "effect"

export const described = (description: string) => ({ description })
export const Text = Schema.String
export const TextOrNull = Schema.NullOr(Schema.String)

/** RFC 3339, of epoch milliseconds. */
export const timeOrNull = (at: number | null): string | null => (at === null ? null : InProcess.timeView(at))

/** `next`: the cursor of the next page; `null` on the last one. */
export const pageView = <Item>(data: ReadonlyArray<Item>, next: string | null) => ({
  data,
  has_more: next !== null,
  next_cursor: next
})

/** The cursor of lists that are continued from the id of their last item, or from where a search ended. */
export const nextId = <Item extends { readonly id: string }>(page: {
  readonly hasMore: boolean
  readonly items: ReadonlyArray<Item>
  readonly walkedTo?: string
}): string | null => (page.hasMore ? (page.walkedTo ?? page.items.at(-1)?.id ?? null) : null)
