/** `pointsman config`: the configuration file, looked at before a server is started with it. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { readSettings } from "../Settings.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { endWith } from "./EndWith.ts"
import { jsonFlag, print } from "./Output.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"

const strictFlag = Flag.Boolean("strict").pipe(
  Flag.withDescription("Exit with 1 on findings too: entries that can never take effect"),
  Flag.withDefault(false),
  Flag.withoutNegation
)

/** `environment`: what the configuration file may refer to. */
const check = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make(
    "check",
    {
      strict: strictFlag,
      json: jsonFlag,
      ...settingFlags(["configuration", "claimWindowMillis", "providerTimeoutMillis"])
    },
    Effect.fnUntraced(function* ({ json, strict, ...given }) {
      const settings = yield* readSettings(textsOf(given))
      if (settings.configuration === null) {
        return yield* new CommandFailure({
          message: "POINTSMAN_CONFIG (--config): expected the path of the configuration file to check."
        })
      }
      // The connectors are much of the program: the other commands begin sooner without them.
      const { checkFile } = yield* Effect.promise(() => import("../CheckFile.ts"))
      const { document, text } = yield* checkFile(settings.configuration, settings, environment)
      yield* print(json, document, text)
      if (document.mistakes.length > 0 || (strict && document.findings.length > 0)) yield* endWith(1)
    })
  ).pipe(
    Command.withDescription(
      "Read the configuration file as the server does at startup, and report errors and routing entries " +
        "that can never take effect. Opens no database and needs no encryption key. Exits with 1 if the file " +
        "is invalid."
    ),
    Command.withShortDescription("Check the configuration file"),
    Command.withExamples([
      { command: "pointsman config check --config pointsman.json", description: "Before starting the server" },
      { command: "pointsman config check --config pointsman.json --strict --json", description: "In a pipeline" }
    ])
  )

export const configCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make("config").pipe(
    Command.withDescription(
      "Check the configuration file: whether a server would start with it, and which entries have no effect."
    ),
    Command.withShortDescription("Check the configuration file"),
    Command.withSubcommands([check(environment)])
  )
