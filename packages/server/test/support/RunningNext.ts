/** A new shop on Next, run by Next itself, over the packages as they were built: its bundler takes no links. */
import { cpSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runShop } from "./NewShop.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Gives the address at which it listens. */
export const startNext = async (folder: string): Promise<string> => {
  const copy = (from: string, name: string) =>
    cpSync(join(root, from), join(folder, "node_modules", name), { recursive: true })
  copy("examples/next/node_modules", "")
  copy("packages/node", "@pointsman/node")
  for (const name of ["@types/node", "undici-types", "typescript"]) copy(`node_modules/${name}`, name)
  const next = join(folder, "node_modules/next/dist/bin/next")
  const words = (port: number) => [next, "dev", "--hostname", "127.0.0.1", "--port", String(port)]
  const environment = { HOME: folder, NEXT_TELEMETRY_DISABLED: "1" }
  return (await runShop(folder, words, { environment, ready: /Ready in/u })).url
}
