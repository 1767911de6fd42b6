import type { CardNumberFound } from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Schema } from "effect"

/** What was asked for is not there, or cannot be done. The message is for the operator: no secret, no stack trace. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("pointsman/server/CommandFailure", {
  message: Schema.String
}) {}

/** `flags`: those that gave the texts. */
export const cardNumberFailure = (found: CardNumberFound, flags: Readonly<Record<string, string>>): CommandFailure =>
  new CommandFailure({ message: `${InProcess.cardNumberBody(found, flags).error.message} Nothing was recorded.` })
