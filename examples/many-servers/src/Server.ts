/** One `pointsman serve`, in a process of its own. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Server {
  readonly url: string
  readonly port: number
  readonly apiKey: string
  /** Resolves once the process is gone. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<void>
}

/** The command `pointsman` of this clone, as `npm start` runs it. */
const main = fileURLToPath(new URL("../../../scripts/start.mjs", import.meta.url))

/** `signal` ends it, whatever it is at. */
export const startServer = (environment: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Server> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, "serve"], {
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      signal,
      killSignal: "SIGKILL"
    })
    const ended = new Promise<void>((gone) => child.once("exit", () => gone()))
    let told = ""
    const read = (chunk: Buffer) => {
      told += chunk.toString()
      const [, url = "", port = ""] = /^Pointsman listens on (\S+:(\d+))$/mu.exec(told) ?? []
      const [, apiKey = ""] = /^ {2}API key +(\S+)$/mu.exec(told) ?? []
      if (url === "") return
      resolve({
        url,
        port: Number(port),
        apiKey,
        end: async (signal) => {
          child.kill(signal)
          await ended
        }
      })
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.on("error", reject)
    child.once("exit", () => reject(new Error(`A server did not start.\n${told}`)))
  })
