/** The entry as a bundler makes it: small, alone, and with nothing of Node. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { build } from "tsup"
import { assert, describe, it, onTestFinished } from "vitest"
import type { createClient } from "../src/index.ts"
import { serverOfFile } from "./support/World.ts"

const { settings } = serverOfFile()

const bundled = async (format: "esm" | "iife"): Promise<string> => {
  const outDir = mkdtempSync(join(tmpdir(), "pointsman-client-"))
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }))
  await build({
    config: false,
    silent: true,
    entry: { index: join(import.meta.dirname, "../src/index.ts") },
    outDir,
    format: [format],
    globalName: "pointsman",
    platform: "browser",
    target: "es2022",
    minify: true,
    dts: false,
    noExternal: [/./u]
  })
  return readFileSync(join(outDir, format === "esm" ? "index.mjs" : "index.global.js"), "utf8")
}

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
  it("given a minifier, when the entry is bundled and compressed, then it takes at most 12 KB and imports nothing", async () => {
    const text = await bundled("esm")
    assert.isAtMost(gzipSync(text).length, 12_000)
    assert.notMatch(text, /\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b/u)
  })

  it("given a platform without Node's globals, when it creates a payment, then it is charged", async () => {
    const context = createContext({ ...platform })
    runInContext(await bundled("iife"), context)
    const made: typeof createClient = runInContext("pointsman.createClient", context)
    const { payment } = await made(settings).create({ amount: 1999, currency: "EUR", country: "NL" })
    assert.strictEqual(payment.status, "CAPTURED")
  })
})
