import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { onTestFinished } from "vitest"

/** The receiver as its `npm start` runs it, on a free port. `kill`: without a chance to tidy up. */
export const startReceiver = async (main: string, file: string, secret: string) => {
  const child = spawn(process.execPath, ["--conditions=@pointsman/source", main], {
    env: { ...process.env, PORT: "0", ORDERS_FILE: file, WEBHOOK_SECRETS: secret },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await ended
  }
  onTestFinished(kill)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens on (http:\S+)$/u.exec(line)?.[1]
    if (url !== undefined) return { url, kill }
  }
  throw new Error("the receiver ended before it listened")
}
