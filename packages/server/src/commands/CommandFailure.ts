import { Schema } from "effect"

/** What was asked for is not there, or cannot be done. The message is for the operator: no secret, no stack trace. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("pointsman/server/CommandFailure", {
  message: Schema.String
}) {}
