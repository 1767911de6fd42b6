/** The reference server, in a process of its own and as an operator starts it. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { formatApiKey } from "@pointsman/core"
import { ended, forked, nodeFlags } from "./Side.ts"

export interface ServerOptions {
  /** Its working folder: without a database URL, the database is in there. */
  readonly folder: string
  readonly databaseUrl?: string | undefined
  /** One workspace with its key for each: who asks for the provider at this URL. */
  readonly providers?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  /** Instead of one of `providers`: the configuration file. */
  readonly configuration?: object
  /** The bundle of another release; this one's unless set. */
  readonly main?: string
  /** The path of a snapshot, from which it starts instead. */
  readonly snapshot?: string | undefined
}

export interface Server {
  readonly url: string
  readonly pid: number
  /** From the start of the process to its word that it listens. */
  readonly startedMillis: number
  readonly stop: () => Promise<void>
}

/** The bundle, as its users run it; `run.ts` has it built. */
const main = fileURLToPath(new URL("../../../packages/server/dist/main.js", import.meta.url))

/** As the image and `npm start` set it. */
const serverFlags = ["--max-semi-space-size=4", "--max-old-space-size=1000"]

const keyOf = (number: number): string => formatApiKey("sandbox", new Uint8Array(64).fill(20 + number))

/** The key of each provider. */
export const keysOf = <Name extends string>(
  providers: Readonly<Record<Name, string>>
): Readonly<Record<Name, string>> =>
  Object.fromEntries(Object.keys(providers).map((name, number) => [name, keyOf(number)])) as Record<Name, string>

/** A workspace for each, with its provider and its key. */
export const configurationOf = (
  workspaces: ReadonlyArray<readonly [name: string, baseUrl: string, secret: string]>
): object => ({
  workspaces: workspaces.map(([name, baseUrl, secret]) => ({
    id: `bench-${name}`,
    name,
    country: "NL",
    keys: [{ environment: "sandbox", secret }],
    connections: [
      {
        id: `to-${name}`,
        environment: "sandbox",
        connector: "http",
        credentials: { baseUrl, apiKey: "provider-api-key" }
      }
    ],
    routing: { sandbox: { mode: "failover", order: [`to-${name}`] } }
  }))
})

export const startServer = async (options: ServerOptions): Promise<Server> => {
  const { databaseUrl, environment, folder, providers } = options
  const asked = Object.entries(providers ?? {}).map(([name, url], number) => [name, url, keyOf(number)] as const)
  const configuration = options.configuration ?? (asked.length === 0 ? undefined : configurationOf(asked))
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
  const variables: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    PORT: "0",
    POINTSMAN_RATE_LIMIT: "off",
    ...environment
  }
  if (databaseUrl !== undefined) {
    variables["POINTSMAN_DATABASE_URL"] = databaseUrl
    variables["POINTSMAN_ENCRYPTION_KEY"] = createHash("sha256").update("bench").digest("base64")
  }
  if (configuration !== undefined) {
    const path = join(folder, "pointsman.json")
    writeFileSync(path, JSON.stringify(configuration))
    variables["POINTSMAN_CONFIG"] = path
  }
  const began = performance.now()
  const program =
    options.snapshot === undefined
      ? { file: options.main ?? main, args: ["serve"], flags: [] }
      : { file: "serve", args: [], flags: ["--snapshot-blob", options.snapshot] }
  const child = forked(program.file, {
    args: program.args,
    environment: variables,
    flags: [...nodeFlags, ...serverFlags, ...program.flags],
    folder,
    output: "pipe"
  })
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text
      const found = /^Pointsman listens on (\S+)\n/mu.exec(printed)
      if (found?.[1] !== undefined) resolve(found[1])
    })
    child.once("exit", (code, signal) => reject(new Error(`the server ended (${code ?? signal})\n${printed}`)))
  })
  const startedMillis = performance.now() - began
  return {
    url,
    pid: child.pid as number,
    startedMillis,
    stop: async () => {
      child.kill("SIGTERM")
      await ended(child)
    }
  }
}

/** Of a process, what it holds of the machine's memory; NaN where the system does not say. */
export const residentMegabytes = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024
  } catch {
    return Number.NaN
  }
}
