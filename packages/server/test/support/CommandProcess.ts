/**
 * One command of `pointsman` in a process of its own, as an operator types it:
 *
 * ```ts
 * const { code, stdout } = await runCommand(folder, ["webhooks", "list", "--environment", "production"])
 * ```
 */
import { assert } from "vitest"
import { runServer } from "./ServerProcess.ts"

export interface CommandEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Nothing of this process's environment is passed on besides `PATH`. One that hangs is killed. */
export const runCommand = async (
  folder: string,
  [command, ...flags]: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<CommandEnd> => {
  const { code, signal, stderr, stdout } = await runServer({ folder, command, flags, environment })
  if (code === null) throw new Error(`pointsman ${command} was ended by ${signal}\n${stdout}${stderr}`)
  return { code, stdout, stderr }
}

/** The document of a command that succeeded. */
// biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it reads.
export const documentOf = ({ code, stderr, stdout }: CommandEnd): any => {
  if (code !== 0) throw new Error(`the command ended with ${code}\n${stderr}`)
  return JSON.parse(stdout)
}

/** A command that was refused: it ended with 1, printed nothing but the reason, and no stack trace or key. */
export const assertRefused = ({ code, stderr, stdout }: CommandEnd, said: RegExp | string): void => {
  assert.deepStrictEqual([code, stdout], [1, ""])
  if (typeof said === "string") assert.include(stderr, said)
  else assert.match(stderr, said)
  assert.notMatch(stderr, /\n\s+at |ps_(?:live|test)_[0-9A-Za-z]/u)
}
