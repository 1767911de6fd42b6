/** A new shop on Next, run by Next itself, over the packages as they were built: its bundler takes no links. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { freePort } from "./NewShop.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Gives the address at which it listens. */
export const startNext = async (folder: string): Promise<string> => {
  const copy = (from: string, name: string) =>
    cpSync(join(root, from), join(folder, "node_modules", name), { recursive: true })
  copy("examples/next/node_modules", "")
  copy("packages/node", "@pointsman/node")
  for (const name of ["@types/node", "undici-types", "typescript"]) copy(`node_modules/${name}`, name)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const next = join(folder, "node_modules/next/dist/bin/next")
  const child = spawn(process.execPath, [next, "dev", "--hostname", "127.0.0.1", "--port", String(port)], {
    cwd: folder,
    env: {
      ...{ PATH: process.env["PATH"] ?? "", HOME: folder, NEXT_TELEMETRY_DISABLED: "1" },
      ...{ SHOP_URL: url, SHOP_WEBHOOK_URL: `${url}/webhooks` }
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGTERM")
    await ended
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes("Ready in")) continue
    child.stdout.resume()
    return url
  }
  throw new Error("Next ended before it was ready")
}
