import { Command, Flag } from "effect/cli"

/** What the help says of a command: in its parent's list, on its own page, and each example by its command line. */
export interface CommandHelp {
  readonly short: string
  readonly long: string
  readonly examples?: Readonly<Record<string, string>>
}

export const withHelp =
  ({ examples = {}, long, short }: CommandHelp) =>
  <Name extends string, Input, Context, E, R>(command: Command.Command<Name, Input, Context, E, R>) =>
    command.pipe(
      Command.withDescription(long),
      Command.withShortDescription(short),
      Command.withExamples(Object.entries(examples).map(([line, description]) => ({ command: line, description })))
    )

/** A flag without a value, which is off unless it is given. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)
