/**
 * `pointsman recover` in the test's own process, without the time that it waits for what was sent before; and a database that
 * goes back to an earlier time.
 */
import { copyFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { startHere } from "./CommandInProcess.ts"
import type { CommandEnd } from "./CommandProcess.ts"
import { makeMovedClock } from "./MovedClock.ts"

/** Five seconds until a claim is sent, and the time-out of `connectionTo`. */
const waitMillis = 10_000

export const startRecovery = (
  folder: string,
  flags: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
) => {
  const { clock, hold, push, slept } = makeMovedClock()
  // What is declared now waits for the whole time.
  hold()
  const command = startHere(folder, ["recover", "--json", ...flags], environment, clock)
  let isOver = false
  const end = () => {
    isOver = true
  }
  command.ended.then(end, end)
  return {
    /** Resolves when the loss is declared, and nothing is listed yet. */
    waits: async () => {
      while (!isOver && slept(waitMillis) === 0) await sleep(10)
    },
    goOn: (): Promise<CommandEnd> => {
      push(waitMillis)
      return command.ended
    }
  }
}

export const recoverHere = async (...started: Parameters<typeof startRecovery>): Promise<CommandEnd> => {
  const recovery = startRecovery(...started)
  await recovery.waits()
  return recovery.goOn()
}

/** Copies of the database in a server's folder, and what puts one in its place. */
export const keptFile = (folder: string) => {
  const file = (name: string) => join(folder, ".pointsman", name)
  return {
    keep: (name = "backup.db") => copyFileSync(file("pointsman.db"), file(name)),
    restore: (name = "backup.db", isMoved = false) => {
      for (const suffix of ["-wal", "-shm"]) rmSync(file(`pointsman.db${suffix}`), { force: true })
      const put = isMoved ? renameSync : copyFileSync
      put(file(name), file("pointsman.db"))
    }
  }
}
