/** The `pointsman` command. */
import { readFileSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, ConfigProvider, Console, Effect, Exit, Layer, Logger, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { serve } from "./Serve.ts"
import { environmentProvider, type Flags, readSettings, type SettingName, variables } from "./Settings.ts"

const flagOf = (name: SettingName) => {
  const { flag, meaning, variable, default: absent, used } = variables[name]
  return Flag.String(flag).pipe(
    Flag.withMetavar("value"),
    Flag.withDescription(`${meaning} [${variable}, default: ${absent}]${used ? "" : " (checked, not in use yet)"}`),
    Flag.optional
  )
}

const flags = Object.fromEntries(
  (Object.keys(variables) as ReadonlyArray<SettingName>).map((name) => [name, flagOf(name)])
) as { readonly [Name in SettingName]: ReturnType<typeof flagOf> }

const serveCommand = Command.make(
  "serve",
  flags,
  Effect.fnUntraced(function* (given) {
    const texts: Flags = Object.fromEntries(
      Object.entries(given).map(([name, text]) => [name, Option.getOrUndefined(text)])
    )
    const settings = yield* readSettings(texts)
    return yield* serve(settings, process.env)
  })
).pipe(
  Command.withDescription(
    "Run the server. Every flag has an environment variable of the same meaning, named in brackets; the flag wins. " +
      "Without a configuration file it starts with a sandbox and prints a command that makes a first payment."
  ),
  Command.withShortDescription("Run the server"),
  Command.withExamples([
    { command: "pointsman serve", description: "A sandbox to try, kept in .pointsman" },
    {
      command: "pointsman serve --config pointsman.json --port 8080",
      description: "The workspaces and connections of a configuration file"
    }
  ])
)

const pointsman = Command.make("pointsman").pipe(
  Command.withDescription("Routes payments to your payment providers, and never moves money twice"),
  Command.withSubcommands([serveCommand])
)

const version = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
  .version

/** Runs the command line of this process, and ends the process. */
export const run = (): void =>
  Command.run(pointsman, { version }).pipe(
    Effect.catchTag("pointsman/server/StartFailure", (failure) =>
      Effect.andThen(
        Console.error(failure.message),
        Effect.sync(() => {
          process.exitCode = 1
        })
      )
    ),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        ConfigProvider.layer(environmentProvider(process.env)),
        // Standard output is for what was asked for.
        Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
      )
    ),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, end) => end(exitCode(exit))
    })
  )

/** A signal ends the server by interrupting it, once all is answered: that is a success. */
const exitCode = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return Number(process.exitCode ?? 0)
  const defect = Cause.squash(exit.cause)
  // The command line's own errors were told already, with the help that belongs to them.
  if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
    console.error(`Pointsman failed: ${defect instanceof Error ? defect.message : String(defect)}`)
  }
  return 1
}
