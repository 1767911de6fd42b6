import { Console, Context, Effect } from "effect"
import { Flag, TerminalCapabilities } from "effect/cli"
import { switchFlag } from "./CommandHelp.ts"
import type { Text } from "./Table.ts"

export const jsonFlag = switchFlag("json", "Print one JSON document instead of text")

/** How wide the terminal on standard output is; `undefined` where it is none: a file or another program gets all. */
export const TerminalColumns = Context.Reference<number | undefined>("pointsman/server/TerminalColumns", {
  // A terminal that does not tell its width says 0.
  defaultValue: () => (process.stdout.isTTY === true ? process.stdout.columns || undefined : undefined)
})

/** What was asked for goes to standard output; everything else that there is to say does not (`Console.error`). */
export const print = Effect.fnUntraced(function* (json: boolean, document: unknown, text: string | Text) {
  if (json) return yield* Console.log(JSON.stringify(document, null, 2))
  if (text === "") return
  const columns = yield* TerminalColumns
  // `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`, as for the help; but never into a file.
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const screen = { columns: columns ?? Number.POSITIVE_INFINITY, isColoured: columns !== undefined && canColor }
  yield* Console.log(typeof text === "string" ? text : text(screen))
})

// Lists are read in pages, as the API's are.

export const limitFlag = Flag.Int("limit").pipe(
  Flag.withDescription("Maximum number of rows, 1 to 100"),
  Flag.filter(
    (limit) => limit >= 1 && limit <= 100,
    () => "a whole number from 1 to 100"
  ),
  Flag.withDefault(50)
)

/** The id to continue from; `null` where nothing follows. */
export const nextCursor = (rows: ReadonlyArray<{ readonly id: string }>, hasMore: boolean): string | null =>
  hasMore ? (rows.at(-1)?.id ?? null) : null

export const pageDocument = <Row extends { readonly id: string }>(data: ReadonlyArray<Row>, hasMore: boolean) => ({
  data,
  has_more: hasMore,
  next_cursor: nextCursor(data, hasMore)
})

// How far long work has come: one line on standard error that is written over, for who sits before it. Where standard
// error is no terminal, and beside `--json`, nothing is written.

interface ProgressTo {
  readonly write: (text: string) => void
}

export const ProgressTo = Context.Reference<ProgressTo | undefined>("pointsman/server/ProgressTo", {
  defaultValue: () => (process.stderr.isTTY === true ? { write: (text) => process.stderr.write(text) } : undefined)
})

/** Without control characters; it takes the place of the line before. */
export type Tell = (line: string) => Effect.Effect<void>

/** The line is gone when the work is over, however it ended. */
export const withProgress = <A, E, R>(json: boolean, work: (tell: Tell) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(ProgressTo, (to) => {
    if (to === undefined || json) return work(() => Effect.void)
    const over = (line: string) => Effect.sync(() => to.write(`\r\u001b[2K${line}`))
    return Effect.ensuring(work(over), over(""))
  })
