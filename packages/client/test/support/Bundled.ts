/** What a bundler makes of an entry, in a folder that goes with the test. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, type Options } from "tsup"
import { onTestFinished } from "vitest"

/** The path of the one file. */
export const bundled = async (
  entry: string,
  format: "esm" | "iife",
  esbuildPlugins: NonNullable<Options["esbuildPlugins"]> = []
): Promise<string> => {
  const outDir = mkdtempSync(join(tmpdir(), "pointsman-client-"))
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }))
  await build({
    config: false,
    silent: true,
    entry: { index: entry },
    outDir,
    format: [format],
    globalName: "pointsman",
    platform: "browser",
    target: "es2022",
    minify: true,
    dts: false,
    noExternal: [/./u],
    esbuildPlugins
  })
  return join(outDir, format === "esm" ? "index.mjs" : "index.global.js")
}
