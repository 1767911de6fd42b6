import { Command } from "effect/cli"
import { startServer } from "../ServeLine.ts"
import { settingNames } from "../Settings.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"

/** `environment`: what the configuration file may refer to. */
export const serveCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make("serve", settingFlags(settingNames), (given) => startServer(textsOf(given), environment)).pipe(
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
