/** The entry as a bundler makes it: small, alone, and with nothing of Node. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import type { createClient } from "../src/index.ts"
import { bundled } from "./support/Bundled.ts"
import { serverOfFile } from "./support/World.ts"

const { settings } = serverOfFile()

const entry = join(import.meta.dirname, "../src/index.ts")

/** What every platform of the web has, and nothing of Node's own. */
const platform = {
  fetch,
  crypto,
  performance,
  setTimeout,
  clearTimeout,
  URL,
  URLSearchParams,
  Headers,
  FormData,
  Blob,
  Response,
  AbortController,
  TextEncoder,
  TextDecoder
}

describe("the bundled entry", () => {
  it("the bundled and compressed entry takes at most 12 KB and imports nothing", async () => {
    const text = readFileSync(await bundled(entry, "esm"), "utf8")
    assert.isAtMost(gzipSync(text).length, 12_000)
    assert.notMatch(text, /\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b/u)
  })

  it("a platform without Node's globals creates a charged payment", async () => {
    const context = createContext({ ...platform })
    runInContext(readFileSync(await bundled(entry, "iife"), "utf8"), context)
    const made: typeof createClient = runInContext("pointsman.createClient", context)
    const { payment } = await made(settings).create({ amount: 1999, currency: "EUR", country: "NL" })
    assert.strictEqual(payment.status, "CAPTURED")
  })
})
