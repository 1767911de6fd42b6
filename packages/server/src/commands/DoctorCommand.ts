/** `pointsman doctor`: all that an operator would check before asking for help. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { settingNames } from "../Settings.ts"
import { checkupDocument, checkupText } from "./Checkup.ts"
import { endWith } from "./CommandFailure.ts"
import { settingFlags, textsOf, withHelp } from "./CommandHelp.ts"
import { endInterrupted } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { counted } from "./Words.ts"

const urlFlag = Flag.String("url").pipe(
  Flag.withMetavar("url"),
  Flag.withDescription(
    "Base URL of the server to look at [default: that of PORT and HOST, or of a running `pointsman dev`]"
  ),
  Flag.filter(
    (text) => /^https?:$/u.test(URL.parse(text)?.protocol ?? ""),
    () => "an absolute http or https URL"
  ),
  Flag.optional
)

/** `environment`: what the configuration file may refer to. */
export const doctorCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make(
    "doctor",
    { url: urlFlag, json: jsonFlag, ...settingFlags(settingNames) },
    Effect.fnUntraced(
      function* ({ json, url, ...given }) {
        // Connectors and storages are much of the program: the other commands begin sooner without them.
        const { examine } = yield* Effect.promise(() => import("./Doctor.ts"))
        const document = checkupDocument(yield* examine(textsOf(given), environment, url))
        yield* print(json, { data: document }, checkupText(document.checks))
        if (!json) yield* Console.error(`${document.wrong} wrong, ${counted(document.warnings, "warning")}.`)
        if (document.wrong > 0) yield* endWith(1)
      },
      Effect.provide(NodeCrypto.layer),
      Effect.onInterrupt(() => endInterrupted)
    )
  ).pipe(
    withHelp({
      short: "Check the installation for problems",
      long:
        "Check the settings, the server, the configuration file, the database and its contents, and print each problem " +
        "with its remedy. Changes nothing, and sends nothing to any provider. Exits with 1 if something is " +
        "wrong. Run it with the server's environment.",
      examples: { "pointsman doctor": "With the server's environment", "pointsman doctor --json": "As JSON" }
    })
  )
