import { Schema } from "effect"

/** The server cannot start or go on. The message is for the operator: whole sentences, no secret, no stack trace. */
export class StartFailure extends Schema.TaggedError<StartFailure>()("pointsman/server/StartFailure", {
  message: Schema.String
}) {}
