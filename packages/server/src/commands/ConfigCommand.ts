/** `pointsman config`: the configuration file, looked at before a server is started with it. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { readSettings } from "../Settings.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { endWith } from "./EndWith.ts"
import { jsonFlag, print } from "./Output.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"

const strictFlag = Flag.Boolean("strict").pipe(
  Flag.withDescription("End with 1 also where nothing is wrong, and something can never come to anything"),
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
      "Read the configuration file as a start would, and say what is wrong with it and what of its routing can never " +
        "come to anything. Opens no database and needs no encryption key. Ends with 1 where something is wrong."
    ),
    Command.withShortDescription("Check the configuration file"),
    Command.withExamples([
      { command: "pointsman config check --config pointsman.json", description: "Before a start" },
      { command: "pointsman config check --config pointsman.json --strict --json", description: "In a pipeline" }
    ])
  )

export const configCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make("config").pipe(
    Command.withDescription(
      "The configuration file: whether a server would start with it, and what in it is of no use."
    ),
    Command.withShortDescription("Check the configuration file"),
    Command.withSubcommands([check(environment)])
  )
