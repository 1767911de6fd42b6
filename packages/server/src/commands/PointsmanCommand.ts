import { Command } from "effect/cli"

/** Without the commands under it. */
export const pointsman = Command.make("pointsman").pipe(
  Command.withDescription("Routes payments to your payment providers and never moves money twice")
)
