/** Effect's command line over every command of `pointsman`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Option } from "effect"
import { CliOutput, Command } from "effect/cli"
import { pointsmanCommand } from "./commands/AllCommands.ts"
import { withAllMissing } from "./commands/MissingWords.ts"
import { commandName } from "./commands/Words.ts"
import { version } from "./Version.ts"

type Environment = Readonly<Record<string, string | undefined>>

export const runCommand = (environment: Environment, words: ReadonlyArray<string>) =>
  Command.runWith(pointsmanCommand(environment), { version })(words).pipe(
    Effect.provide(Layer.merge(NodeServices.layer, CliOutput.layerPresenter(presenter(environment, words))))
  )

/** One line for each error, and where the help is. All go to standard error: a program that reads the result finds it empty. */
const presenter = (environment: Environment, words: ReadonlyArray<string>): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag !== "InvalidInvocation") return yield* CliOutput.defaultPresenter.present(event)
    const { commandPath = [], flags } = event.helpDoc
    for (const error of withAllMissing(event.errors, event.helpDoc, words)) {
      const missing = error._tag === "MissingOption" ? flags.find(({ name }) => name === error.option) : undefined
      const meaning = Option.fromUndefinedOr(missing).pipe(Option.flatMap(({ description }) => description))
      yield* Console.error(`${error.message}${Option.match(meaning, { onNone: () => "", onSome: (is) => ` (${is})` })}`)
    }
    const command = [commandName(environment), ...commandPath.slice(1)].join(" ")
    yield* Console.error(`Its arguments and flags: ${command} --help`)
  })
})
