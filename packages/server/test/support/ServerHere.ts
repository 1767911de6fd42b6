/**
 * A server in the test's own process, on the clock of this machine: what an operator's words and settings come to, but
 * for the start of a process, which takes as long as thirty requests. `ServerProcess.ts` is for signals, kills and what
 * only a process shows. Servers that run at the same time share a folder.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock, Context } from "effect"
import { onTestFinished } from "vitest"
import { type RunningCommand, startHere } from "./CommandInProcess.ts"
import type { CommandEnd } from "./CommandProcess.ts"
import { makeMovedClock } from "./MovedClock.ts"
import { greeting, type Listening, listeningAt, type ServerOptions, temporaryFolder } from "./ServerProcess.ts"

export type ServerHereOptions = Pick<
  ServerOptions,
  "folder" | "configuration" | "environment" | "flags" | "clockAheadMillis"
> & {
  /** The name of the configuration file in the folder: servers with files of their own share it. */
  readonly file?: string | undefined
  /** The server's clock. This machine's unless set, ahead by `clockAheadMillis`. */
  readonly clock?: Clock.Clock | undefined
  /** What else the server takes from its surroundings. */
  readonly services?: Context.Context<never> | undefined
}

export interface ServerHere extends Listening {
  /** As Ctrl-C does it. */
  readonly stop: () => Promise<CommandEnd>
}

/** Starts a server, which ends with the test, and waits until it listens; fails with all that it printed if it does not. */
export const startServerHere = async (options: ServerHereOptions = {}): Promise<ServerHere> => {
  const running = launch(options)
  const [, url = ""] = await running.printed(greeting)
  return { ...listeningAt(url, running), stop: running.stop }
}

/** `pointsman dev`, which ends with the test; with what it printed once it listens. */
export const startDevHere = async (folder: string, words: ReadonlyArray<string> = [], environment = {}) => {
  const dev = startHere(folder, ["dev", "--port", "0", ...words], environment)
  onTestFinished(async () => void (await dev.stop()))
  const [, url = ""] = await dev.printed(greeting)
  return { dev, ...listeningAt(url, dev) }
}

/** For a start that should end by itself, as one with a wrong setting does. */
export const runServerHere = (options: ServerHereOptions): Promise<CommandEnd> => launch(options).ended

const launch = (options: ServerHereOptions): RunningCommand => {
  const { clock, clockAheadMillis, configuration, environment, file = "pointsman.json", flags = [] } = options
  const { folder = temporaryFolder() } = options
  const settings: Record<string, string> = { PORT: "0", ...environment }
  if (configuration !== undefined) {
    const path = join(folder, file)
    writeFileSync(path, typeof configuration === "string" ? configuration : JSON.stringify(configuration))
    settings["POINTSMAN_CONFIG"] = path
  }
  const ahead = clockAheadMillis === undefined ? undefined : makeMovedClock(clockAheadMillis).clock
  const running = startHere(folder, ["serve", ...flags], settings, clock ?? ahead, options.services)
  onTestFinished(async () => void (await running.stop()))
  return running
}
