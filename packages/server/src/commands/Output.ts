import { Console, Context, Effect } from "effect"
import { Flag, TerminalCapabilities } from "effect/cli"
import type { Text } from "./Table.ts"

export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON document instead of text"),
  Flag.withDefault(false),
  Flag.withoutNegation
)

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
