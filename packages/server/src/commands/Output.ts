import { Console, Effect } from "effect"
import { Flag } from "effect/cli"

export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON document instead of text"),
  Flag.withDefault(false),
  Flag.withoutNegation
)

/** What was asked for goes to standard output; everything else that there is to say does not (`Console.error`). */
export const print = (json: boolean, document: unknown, text: string): Effect.Effect<void> =>
  json ? Console.log(JSON.stringify(document, null, 2)) : text === "" ? Effect.void : Console.log(text)
