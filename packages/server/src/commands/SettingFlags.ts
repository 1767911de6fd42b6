/** The settings as flags of a command. */
import { Option } from "effect"
import { Flag } from "effect/cli"
import { type Flags, type SettingName, settingNames, variables } from "../Settings.ts"

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
