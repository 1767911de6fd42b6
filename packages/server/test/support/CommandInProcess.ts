/**
 * One command of `pointsman` in the test's own process, with what it prints and the number that it ends with:
 *
 * ```ts
 * const { code, stdout } = await runHere(folder, ["webhooks", "list", "--environment", "production"])
 * ```
 *
 * It takes the same path as an operator's, from the words to the exit code, but for the start of a process, which
 * `CommandProcess.ts` is for: a second and more for each.
 */
import { Cause, Clock, Console, Context, Effect, Exit, Fiber, identity, Metric } from "effect"
import { commandLine } from "../../src/CommandLine.ts"
import { EndCode } from "../../src/commands/CommandFailure.ts"
import type { CommandEnd } from "./CommandProcess.ts"

export interface RunningCommand {
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with what a part of the output matched, once it is there; fails when the command ends before. */
  readonly printed: (pattern: RegExp, on?: "stdout" | "stderr") => Promise<RegExpExecArray>
  /** As Ctrl-C does it. */
  readonly stop: () => Promise<CommandEnd>
  readonly ended: Promise<CommandEnd>
}

// Each command listens for the end of the input, and ten at once are no leak.
process.stdin.setMaxListeners(100)

/** Paths on a command line are those of its working folder, of which a process has one. */
let here: { readonly folder: string; readonly before: string; commands: number } | undefined

const enter = (folder: string): (() => void) => {
  if (here === undefined) {
    here = { folder, before: process.cwd(), commands: 0 }
    process.chdir(folder)
  }
  if (here.folder !== folder) throw new Error(`a command is still running in ${here.folder}`)
  const entered = here
  entered.commands += 1
  return () => {
    entered.commands -= 1
    if (entered.commands > 0) return
    process.chdir(entered.before)
    here = undefined
  }
}

/**
 * Starts a command that goes on until it is stopped. Nothing of this process's environment is passed on, and its metrics
 * are its own. A server whose clock is ahead does not compare it with that of PostgreSQL: `setDatabaseAhead` moves that.
 */
export const startHere = (
  folder: string,
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  clock?: Clock.Clock | undefined,
  services: Context.Context<never> = Context.empty()
): RunningCommand => {
  const leave = enter(folder)
  const told = { stdout: "", stderr: "" }
  const waiting = new Set<() => void>()
  const write = (to: "stdout" | "stderr", text: unknown) => {
    told[to] += `${String(text)}\n`
    for (const look of waiting) look()
  }
  const console: Console.Console = Object.assign(Object.create(globalThis.console), {
    log: (text: unknown) => write("stdout", text),
    error: (text: unknown) => write("stderr", text)
  })
  let code = 0
  const fiber = Effect.runFork(
    commandLine(environment, words).pipe(
      Effect.provideService(Console.Console, console),
      clock === undefined ? identity : Effect.provideService(Clock.Clock, clock),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideContext(services),
      Effect.provideService(EndCode, {
        set: (ends) => {
          code = ends
        }
      })
    )
  )
  const ended = Effect.runPromise(Fiber.await(fiber)).then((exit): CommandEnd => {
    leave()
    for (const look of waiting) look()
    if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) throw Cause.squash(exit.cause)
    const isGood = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
    return { code: isGood ? code : 1, ...told }
  })
  // A caller that waits for the end sees its failure; a test that does not must not be ended by it.
  ended.catch(() => {})
  return {
    stdout: () => told.stdout,
    stderr: () => told.stderr,
    printed: (pattern, on = "stdout") =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(told[on])
          if (found === null && fiber.pollUnsafe() === undefined) return
          waiting.delete(look)
          if (found === null) reject(new Error(`the command ended without it\n${told.stdout}${told.stderr}`))
          else resolve(found)
        }
        waiting.add(look)
        look()
      }),
    stop: () => Effect.runPromise(Fiber.interrupt(fiber)).then(() => ended),
    ended
  }
}

/** Runs a command to its end. Several may run at once, in one folder. */
export const runHere = (
  folder: string,
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  clock?: Clock.Clock | undefined
): Promise<CommandEnd> => startHere(folder, words, environment, clock).ended
