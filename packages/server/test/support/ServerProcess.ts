/**
 * A server in a process of its own, as an operator starts it. Everything that a test starts ends with the test, also
 * when it fails. A killed server is started again with `startServer` and the same folder:
 *
 * ```ts
 * const folder = temporaryFolder()
 * const server = await startServer({ folder })
 * await server.kill("SIGKILL")
 * const again = await startServer({ folder })
 * ```
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { bundledMain } from "./Bundle.ts"
import { untilAnswer } from "./Until.ts"

export interface ServerOptions {
  /** The working folder, a new one unless set: without a database URL, the database is `<folder>/.pointsman/pointsman.db`. */
  readonly folder?: string | undefined
  /** Written to `<folder>/pointsman.json` and applied; text is written as it is. */
  readonly configuration?: object | string | undefined
  /** Besides `PATH`, a cache of compiled code, and a port that is free. Nothing of this process's environment is passed on. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** A command that runs the command which follows it, in its own place. */
  readonly under?: ReadonlyArray<string> | undefined
  /** The server's clock goes ahead of this machine's by so many milliseconds, as if it had been off for so long. */
  readonly clockAheadMillis?: number | undefined
  /** `serve` unless set. */
  readonly command?: string | undefined
  /** The path of a snapshot, which then runs instead of the bundle. */
  readonly snapshot?: string | undefined
  /** Flags of the command. */
  readonly flags?: ReadonlyArray<string> | undefined
}

export interface Exited {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A server that listens, in whatever process. */
export interface Listening {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** What was printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** The key and the command of a start without configuration. */
  readonly sandboxKey: string | undefined
  readonly curl: string | undefined
  /** The key is the sandbox key unless another is given. */
  readonly request: JsonRequest
}

export interface ServerProcess extends Listening {
  readonly pid: number
  readonly exited: Promise<Exited>
  /** Sends the signal and waits for the process's end. */
  readonly kill: (signal: NodeJS.Signals) => Promise<Exited>
  /** As a supervisor does it: SIGTERM, and then all the time that it takes. */
  readonly stop: () => Promise<Exited>
}

export const greeting = /^Pointsman listens on (\S+)\n/mu

/** By what a server printed until it listened. */
export const listeningAt = (url: string, { stderr, stdout }: Pick<Listening, "stdout" | "stderr">): Listening => {
  const sandboxKey = /ps_test_[0-9A-Za-z]{38}/u.exec(stdout())?.[0]
  const curl = /^curl .*$/mu.exec(stdout())?.[0]
  return { url, stdout, stderr, sandboxKey, curl, request: jsonRequestsTo(url, sandboxKey) }
}

/** A JSON request with the key; `null` for none. */
export type JsonRequest = (
  method: string,
  path: string,
  options?: {
    readonly key?: string | null | undefined
    readonly body?: unknown
    readonly idempotencyKey?: string | undefined
  }
) => Promise<JsonAnswer>

export interface JsonAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it reads.
  readonly body: any
}

/** One field of each row of an answer. */
export const each = <Field extends string, Value>(
  rows: ReadonlyArray<Readonly<Record<Field, Value>>>,
  field: Field
): Array<Value> => rows.map((row) => row[field])

const clockAhead = new URL("./ClockAhead.ts", import.meta.url).href
/** What Node compiled stays for the next server: a start takes a third less time. */
const compiled = fileURLToPath(new URL("../../../../node_modules/.cache/node-compiled", import.meta.url))

/** How long a start may take on a busy machine. */
const readyWithinMillis = 120_000

/** An empty folder that is gone when the test is. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a server and waits until it listens; fails with all that it printed if it does not. */
export const startServer = async (options: ServerOptions = {}): Promise<ServerProcess> => {
  const running = launch(options)
  let ended: Exited | undefined
  running.exited.then((exited) => {
    ended = exited
  })
  const [, url = ""] = await untilAnswer(
    "the server listens",
    () => {
      if (ended === undefined) return greeting.exec(running.stdout()) ?? []
      throw new Error(`the server did not start (${ended.code ?? ended.signal})\n${ended.stdout}${ended.stderr}`)
    },
    ({ length }) => length > 0
  )
  const kill = (signal: NodeJS.Signals) => {
    running.child.kill(signal)
    return running.exited
  }
  return {
    ...listeningAt(url, running),
    pid: running.child.pid as number,
    exited: running.exited,
    kill,
    stop: () => kill("SIGTERM")
  }
}

export const jsonRequestsTo =
  (url: string, usualKey?: string | undefined): JsonRequest =>
  async (method, path, { key = usualKey, body, idempotencyKey } = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key == null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }

/** For a start that should end by itself, as one with a wrong setting does. */
export const runServer = async (options: ServerOptions): Promise<Exited> => {
  const running = launch(options)
  const timer = setTimeout(() => running.child.kill("SIGKILL"), readyWithinMillis)
  try {
    return await running.exited
  } finally {
    clearTimeout(timer)
  }
}

/** Starts a server and kills it at the given moment, wherever its start has come by then. */
export const startAndKill = async (options: ServerOptions, moment: () => Promise<unknown>): Promise<Exited> => {
  const running = launch(options)
  await moment()
  running.child.kill("SIGKILL")
  return running.exited
}

interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly exited: Promise<Exited>
}

const launch = (options: ServerOptions): Running => {
  const { configuration, folder = temporaryFolder() } = options
  const environment: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    NODE_COMPILE_CACHE: compiled,
    PORT: "0",
    ...options.environment
  }
  if (options.clockAheadMillis !== undefined) {
    environment["NODE_OPTIONS"] = `--import=${clockAhead}`
    environment["CLOCK_AHEAD_MILLIS"] = String(options.clockAheadMillis)
  }
  if (configuration !== undefined) {
    const path = join(folder, "pointsman.json")
    writeFileSync(path, typeof configuration === "string" ? configuration : JSON.stringify(configuration))
    environment["POINTSMAN_CONFIG"] = path
  }
  const program = options.snapshot === undefined ? [bundledMain] : ["--snapshot-blob", options.snapshot]
  const words = [process.execPath, ...program, options.command ?? "serve", ...(options.flags ?? [])]
  const [command = "", ...rest] = [...(options.under ?? []), ...words]
  const child = spawn(command, rest, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const exited = new Promise<Exited>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await exited
  })
  return { child, stdout: () => stdout, stderr: () => stderr, exited }
}
