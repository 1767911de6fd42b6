/** `pointsman config`: the configuration file, checked before a server is started with it, or applied beside servers. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { readSettings } from "../Settings.ts"
import { CommandFailure, endWith } from "./CommandFailure.ts"
import { argument, commandGroup, settingFlags, switchFlag, textsOf, withHelp } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { databaseSettings } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"

const strictFlag = switchFlag(
  "strict",
  "Exit with 1 on findings too: entries that can never take effect, and providers without encryption"
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
    withHelp({
      short: "Check the configuration file",
      long:
        "Read the configuration file as the server does at startup, and report errors, routing entries " +
        "that can never take effect and production providers that are reached without encryption. Opens no database and needs no encryption key. Exits with 1 if the file " +
        "is invalid.",
      examples: {
        "pointsman config check --config pointsman.json": "Before starting the server",
        "pointsman config check --config pointsman.json --strict --json": "In a pipeline"
      }
    })
  )

const rollbackFlag = switchFlag("rollback", "Apply an older configuration again, as a new generation")

const apply = (environment: Readonly<Record<string, string | undefined>>) =>
  databaseCommand(
    {
      name: "apply",
      short: "Apply a configuration file",
      long:
        "Apply a configuration file to the database of running servers. Nothing is changed if the file is invalid, if " +
        "its generation was applied with other content, or if it is older than the configuration that is served; " +
        "--rollback applies an older one as a new generation.",
      examples: {
        "pointsman config apply pointsman.json": "Without a restart",
        "pointsman config apply previous.json --rollback": "Back to an older file"
      },
      isAudited: true,
      settings: [...databaseSettings, "claimWindowMillis", "providerTimeoutMillis"],
      flags: {
        file: argument("file", "Path of the configuration file"),
        rollback: rollbackFlag
      }
    },
    function* ({ file, rollback }, { json, settings }) {
      // The connectors are much of the program: the other commands begin sooner without them.
      const { applyFile } = yield* Effect.promise(() => import("../ApplyFile.ts"))
      const { document, text, warnings } = yield* applyFile(file, settings, environment, rollback)
      yield* print(json, { data: document }, text)
      yield* Effect.forEach(warnings, (warning) => Console.error(warning), { discard: true })
    }
  )

export const configCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  commandGroup(
    "config",
    {
      short: "Check or apply the configuration file",
      long:
        "Check the configuration file (whether a server would start with it, and which entries have no effect), or " +
        "apply it."
    },
    [check(environment), apply(environment)]
  )
