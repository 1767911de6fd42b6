/** Lists whose search, filters and page are in the address. */
import { InProcess } from "@pointsman/http"
import type { Html } from "./Layout.ts"

const { html } = InProcess

export const pageSize = 50

/** The query without the named fields and without fields that were left empty. */
export const queryWithout = (query: URLSearchParams, ...names: ReadonlyArray<string>): URLSearchParams =>
  new URLSearchParams([...query].filter(([name, value]) => value !== "" && !names.includes(name)))

/** With a question mark, if there is any field. */
export const queryText = (query: URLSearchParams): string => (query.size === 0 ? "" : `?${query}`)

/** The part of the query that names the page of the list. */
const cursors = ["before", "after"] as const

interface Rest {
  /** The address of the list, without its query. */
  readonly here: string
  readonly query: URLSearchParams
  readonly by: (typeof cursors)[number]
  /** Of the next page; `null` on the last one. */
  readonly cursor: string | null | undefined
  readonly text: string
}

/** To the next page of the same list. */
export const nextPage = ({ by, cursor, here, query, text }: Rest): Html | undefined => {
  if (cursor === null || cursor === undefined) return undefined
  const next = queryWithout(query, ...cursors)
  next.set(by, cursor)
  return html`<a class="button" href="${here}${queryText(next)}">${text}</a>`
}
