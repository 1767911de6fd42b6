import { Effect } from "effect"
import { Command } from "effect/cli"
import { readSettings } from "../Settings.ts"
import { settingFlags, settingNames, textsOf } from "./SettingFlags.ts"

/** `environment`: what the configuration file may refer to. */
export const serveCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make(
    "serve",
    settingFlags(settingNames),
    Effect.fnUntraced(function* (given) {
      const settings = yield* readSettings(textsOf(given))
      // The server is most of the program: a command that does not serve begins in half the time without it.
      const { serve } = yield* Effect.promise(() => import("../Serve.ts"))
      return yield* serve(settings, environment)
    })
  ).pipe(
    Command.withDescription(
      "Run the server. Every flag has an equivalent environment variable, named in brackets; the flag " +
        "takes precedence. Without a configuration file, the server starts a sandbox and prints a command " +
        "that creates a first payment."
    ),
    Command.withShortDescription("Run the server"),
    Command.withExamples([
      { command: "pointsman serve", description: "A sandbox, stored in .pointsman" },
      {
        command: "pointsman serve --config pointsman.json --port 8080",
        description: "With a configuration file"
      }
    ])
  )
