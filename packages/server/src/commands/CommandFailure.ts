/** How a command fails, and the number that its process ends with. */
import type { CardNumberFound } from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Context, Effect, Schema } from "effect"

/** What was asked for is not there, or cannot be done. The message is for the operator: no secret, no stack trace. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("pointsman/server/CommandFailure", {
  message: Schema.String
}) {}

/** `flags`: those that gave the texts. */
export const cardNumberFailure = (found: CardNumberFound, flags: Readonly<Record<string, string>>): CommandFailure =>
  new CommandFailure({ message: `${InProcess.cardNumberBody(found, flags).error.message} Nothing was recorded.` })

interface EndCode {
  readonly set: (code: number) => void
}

/** A program that runs a command inside itself keeps the number there; 0 unless it was set. */
export const EndCode = Context.Reference<EndCode>("pointsman/server/EndCode", {
  defaultValue: () => ({
    set: (code) => {
      process.exitCode = code
    }
  })
})

/** A command that did what it was asked for, and found something wrong, ends with 1 and prints all the same. */
export const endWith = (code: number): Effect.Effect<void> =>
  Effect.flatMap(EndCode, ({ set }) => Effect.sync(() => set(code)))
