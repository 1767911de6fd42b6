/** `pointsman doctor`: all that an operator would look at before asking somebody. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { checkupDocument, checkupText } from "./Checkup.ts"
import { endWith } from "./EndWith.ts"
import { endInterrupted } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { settingFlags, settingNames, textsOf } from "./SettingFlags.ts"
import { counted } from "./Words.ts"

/** `environment`: what the configuration file may refer to. */
export const doctorCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make(
    "doctor",
    { json: jsonFlag, ...settingFlags(settingNames) },
    Effect.fnUntraced(
      function* ({ json, ...given }) {
        // Connectors and storages are much of the program: the other commands begin sooner without them.
        const { examine } = yield* Effect.promise(() => import("./Doctor.ts"))
        const document = checkupDocument(yield* examine(textsOf(given), environment))
        yield* print(json, { data: document }, checkupText(document.checks))
        if (!json) yield* Console.error(`${document.wrong} wrong, ${counted(document.warnings, "warning")}.`)
        if (document.wrong > 0) yield* endWith(1)
      },
      Effect.provide(NodeCrypto.layer),
      Effect.onInterrupt(() => endInterrupted)
    )
  ).pipe(
    Command.withDescription(
      "Look at the settings, the configuration file, the database and what is in it, and say of each whether it is as it " +
        "should be and what to do. Changes nothing, asks no provider and sends nothing. Ends with 1 where something is " +
        "wrong. Give it the server's environment."
    ),
    Command.withShortDescription("Look whether all is as it should be"),
    Command.withExamples([
      { command: "pointsman doctor", description: "With the server's environment" },
      { command: "pointsman doctor --json", description: "For a program" }
    ])
  )
