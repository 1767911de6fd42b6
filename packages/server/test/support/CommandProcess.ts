/**
 * One command of `pointsman` in a process of its own, as an operator types it:
 *
 * ```ts
 * const { code, stdout } = await runCommand(folder, ["webhooks", "list", "--environment", "production"])
 * ```
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert } from "vitest"
import { bundledMain } from "./Bundle.ts"

export interface CommandEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Most of a command's time goes into reading the same sources again: Node keeps what it made of them. */
const compileCache = fileURLToPath(new URL("../../../../node_modules/.cache/commands", import.meta.url))

/** Longer than a command takes on a busy machine; one that hangs is killed. */
const endsWithinMillis = 120_000

/** Nothing of this process's environment is passed on besides `PATH`. */
export const runCommand = (
  folder: string,
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<CommandEnd> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: compileCache, ...environment }
    execFile(
      process.execPath,
      [bundledMain, ...words],
      { cwd: folder, env, timeout: endsWithinMillis, killSignal: "SIGKILL" },
      (failure, stdout, stderr) => {
        if (failure === null) return resolve({ code: 0, stdout, stderr })
        if (typeof failure.code === "number") return resolve({ code: failure.code, stdout, stderr })
        reject(new Error(`pointsman ${words.join(" ")} was ended by ${failure.signal}\n${stdout}${stderr}`))
      }
    )
  })

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
