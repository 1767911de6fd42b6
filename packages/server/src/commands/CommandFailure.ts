import * as InProcess from "@pointsman/http/in-process"
import { Effect, Schema } from "effect"
import type { Settings } from "../Settings.ts"

/** What was asked for is not there, or cannot be done. The message is for the operator: no secret, no stack trace. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("pointsman/server/CommandFailure", {
  message: Schema.String
}) {}

/** By the flags that gave the texts. They are stored, as those of requests are. */
export const refuseCardNumbers = (
  { cardNumbers }: Pick<Settings, "cardNumbers">,
  texts: Parameters<typeof InProcess.refuseCardNumbers>[0]
): Effect.Effect<void, CommandFailure> =>
  InProcess.refuseCardNumbers(texts).pipe(
    Effect.mapError(({ error }) => new CommandFailure({ message: `${error.message} Nothing was recorded.` })),
    Effect.provide(InProcess.cardNumbersLayer({ bare: cardNumbers }))
  )
