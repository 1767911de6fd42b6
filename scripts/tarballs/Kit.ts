/** What the checks of the packed packages share: a folder that goes with the process, and processes that are watched. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import process from "node:process"

export const root = resolve(import.meta.dirname, "../..")
export const tool = (...command: ReadonlyArray<string>) =>
  run(process.execPath, [join(root, "scripts/tool.mjs"), ...command], root)
const began = Date.now()
export const told = (what: string) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${what}`)

export const work = mkdtempSync(join(tmpdir(), "pointsman-tarballs-"))
process.on("exit", () => rmSync(work, { recursive: true, force: true }))

export const run = (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
  environment: Readonly<Record<string, string>> = {}
): string => {
  const env = { ...process.env, ...environment }
  try {
    return execFileSync(command, args, {
      cwd,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 300_000
    })
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout?: string; readonly stderr?: string }
    console.error(`${command} ${args.join(" ")} failed in ${cwd}:\n${stdout ?? ""}${stderr ?? ""}`)
    process.exit(1)
  }
}

/** A process of Node, once it has printed what is waited for. */
export const started = (
  words: ReadonlyArray<string>,
  cwd: string,
  until: RegExp,
  environment: Readonly<Record<string, string>> = {}
): Promise<{ readonly child: ChildProcess; readonly found: RegExpExecArray }> => {
  const env = { ...process.env, ...environment }
  const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
  process.on("exit", () => child.kill("SIGKILL"))
  return new Promise((done, fail) => {
    let output = ""
    const end = (what: string) => fail(new Error(`${words.join(" ")} ${what}: ${output}`))
    const waiting = setTimeout(() => end("said nothing to build on"), 60_000)
    const early = (code: number | null) => end(`ended with ${code}`)
    child.on("exit", early)
    child.stdout.on("data", (chunk) => {
      output += String(chunk)
      const found = until.exec(output)
      if (found === null) return
      clearTimeout(waiting)
      child.off("exit", early)
      child.stdout.removeAllListeners("data").resume()
      done({ child, found })
    })
  })
}

export const insist = (isSo: boolean, message: string) => {
  if (isSo) return
  console.error(message)
  process.exit(1)
}

export const install = (folder: string): void => {
  run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], folder)
}

/** Runs a program of Node, which says what came of it. */
export const expectWord = (program: string, folder: string, word: string): void =>
  insist(run(process.execPath, [program], folder) === `${word}\n`, `${program} was not ${word}`)
