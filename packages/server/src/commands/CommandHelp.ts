/** What a command takes and says of itself: its help, its switches, and the settings as flags. */
import { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Flags, type SettingName, settingNames, variables } from "../Settings.ts"

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

/** A command that only leads to those below it. */
export const commandGroup = <const Name extends string, const Below extends ReadonlyArray<Command.Command.Any>>(
  name: Name,
  help: CommandHelp,
  below: Below
) => Command.make(name).pipe(withHelp(help), Command.withSubcommands(below))

export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))

/** An optional text. */
export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

/** A flag without a value, which is off unless it is given. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

/** What the help says of a setting. */
export const settingText = (name: SettingName): string => {
  const { meaning, variable, default: absent } = variables[name]
  return `${meaning} [${variable}, default: ${absent}]`
}

const flagOf = (name: SettingName) =>
  Flag.String(variables[name].flag).pipe(
    Flag.withMetavar("value"),
    Flag.withDescription(settingText(name)),
    Flag.optional
  )

export const settingFlags = <Name extends SettingName>(names: ReadonlyArray<Name>) =>
  Object.fromEntries(names.map((name) => [name, flagOf(name)])) as {
    readonly [N in Name]: ReturnType<typeof flagOf>
  }

/** The texts of those that were given. */
export const textsOf = (given: { readonly [Name in SettingName]?: Option.Option<string> }): Flags =>
  Object.fromEntries(settingNames.map((name) => [name, Option.getOrUndefined(given[name] ?? Option.none())]))
