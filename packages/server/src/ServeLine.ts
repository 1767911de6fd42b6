/** The line that starts a server: the word `serve` and flags with their values. */
import { Effect } from "effect"
import { type Flags, readSettings, type SettingName, settingNames, variables } from "./Settings.ts"

/**
 * The flags of a line that has one meaning: `--port 8080` or `--port=8080`, each once. `undefined` for every other line,
 * which Effect's command line reads: help, completions, its own flags, and mistakes.
 */
export const readServeLine = ([command, ...words]: ReadonlyArray<string>): Flags | undefined => {
  if (command !== "serve") return undefined
  const flags: { -readonly [Name in keyof Flags]: Flags[Name] } = {}
  while (words.length > 0) {
    const [flag = "", ...within] = (words.shift() ?? "").split("=")
    const name = namesByFlag.get(flag)
    const value = within.length > 0 ? within.join("=") : words.shift()
    if (name === undefined || name in flags || !value || value.startsWith("-")) return undefined
    flags[name] = value
  }
  return flags
}

const namesByFlag: ReadonlyMap<string, SettingName> = new Map(
  settingNames.map((name) => [`--${variables[name].flag}`, name])
)

/** `environment`: what the configuration file may refer to. */
export const startServer = Effect.fnUntraced(function* (
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>>
) {
  const settings = yield* readSettings(flags)
  // The server is most of the program: a command that does not serve begins in half the time without it.
  const { serve } = yield* Effect.promise(() => import("./Serve.ts"))
  return yield* serve(settings, environment)
})
