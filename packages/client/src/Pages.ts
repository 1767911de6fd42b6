/** Lists, page by page. */
import type { Page } from "./Contract.ts"

/** `for await` reads all items, one page at a time, and each reading begins anew. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** The page that the query asks for, and no other. */
  readonly page: () => Promise<Page<Item>>
}

/** `fetchPage`: the page after a cursor, or the first one. */
export const pagesOf = <Item>(fetchPage: (cursor: string | undefined) => Promise<Page<Item>>): Pages<Item> => ({
  page: () => fetchPage(undefined),
  async *[Symbol.asyncIterator]() {
    let cursor: string | undefined
    do {
      const { data, has_more, next_cursor } = await fetchPage(cursor)
      yield* data
      cursor = has_more ? (next_cursor ?? undefined) : undefined
    } while (cursor !== undefined)
  }
})

export type Query = Readonly<Record<string, string | number | Readonly<Record<string, string>> | undefined>>

/** `?a=1&metadata[order]=1001`, or nothing. */
export const queryText = (query: Query): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === "object") {
      for (const [field, text] of Object.entries(value)) parameters.append(`${name}[${field}]`, text)
    } else if (value !== undefined) parameters.append(name, String(value))
  }
  return parameters.size === 0 ? "" : `?${parameters}`
}
