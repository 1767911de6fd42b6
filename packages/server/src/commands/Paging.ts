/** Lists are read in pages, as the API's are. */
import { Flag } from "effect/cli"

export const limitFlag = Flag.Int("limit").pipe(
  Flag.withDescription("Maximum number of rows, 1 to 100"),
  Flag.filter(
    (limit) => limit >= 1 && limit <= 100,
    () => "a whole number from 1 to 100"
  ),
  Flag.withDefault(50)
)

/** The id to go on from; `null` where nothing follows. */
export const nextCursor = (rows: ReadonlyArray<{ readonly id: string }>, hasMore: boolean): string | null =>
  hasMore ? (rows.at(-1)?.id ?? null) : null

export const pageDocument = <Row extends { readonly id: string }>(data: ReadonlyArray<Row>, hasMore: boolean) => ({
  data,
  has_more: hasMore,
  next_cursor: nextCursor(data, hasMore)
})
