/** Effect's command line over every command of `pointsman`. */
import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer } from "effect"
import { CliOutput, Command } from "effect/cli"
import { pointsmanCommand } from "./commands/AllCommands.ts"
import { withAllMissing } from "./commands/MissingWords.ts"

export const runCommand = (environment: Readonly<Record<string, string | undefined>>, words: ReadonlyArray<string>) =>
  Command.runWith(pointsmanCommand(environment), { version })(words).pipe(
    Effect.provide(Layer.merge(NodeServices.layer, CliOutput.layerPresenter(presenter(words))))
  )

const version = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
  .version

/** The error comes first, then the help. Both go to standard error: a program that reads the result finds it empty. */
const presenter = (words: ReadonlyArray<string>): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag !== "InvalidInvocation") return yield* CliOutput.defaultPresenter.present(event)
    const formatter = yield* CliOutput.Formatter
    yield* Console.error(formatter.formatErrors(withAllMissing(event.errors, event.helpDoc, words)).trim())
    yield* Console.error(`\n${formatter.formatHelpDoc(event.helpDoc)}`)
  })
})
