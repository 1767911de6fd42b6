import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { nodeFault } from "../src/NodeVersion.ts"

describe("the Node version", () => {
  it.each([
    ["24.21.0", true],
    ["22.19.0", true],
    ["23.0.0", true],
    ["22.18.9", false],
    ["20.20.2", false],
    ["18.0.0", false],
    ["9.11.2", false]
  ])("Node %s is good enough: %s", (version, isGood) => {
    const fault = nodeFault(version)
    assert.strictEqual(fault === undefined, isGood)
    if (fault !== undefined)
      assert.match(fault, /requires Node\.js 22\.19 or newer, but this is \d+.*Install Node\.js 24/u)
  })

  it("an old Node is refused with what to install, and nothing else is loaded", () => {
    const pretend =
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } });" +
      "import { registerHooks } from 'node:module';" +
      "registerHooks({ load(url, context, next) { console.log('loads ' + url); return next(url, context) } })"
    const run = spawnSync(
      process.execPath,
      [
        "--import",
        `data:text/javascript,${encodeURIComponent(pretend)}`,
        fileURLToPath(new URL("../src/main.ts", import.meta.url))
      ],
      { encoding: "utf8" }
    )
    assert.strictEqual(run.status, 1)
    assert.match(
      run.stderr,
      /^Pointsman requires Node\.js 22\.19 or newer, but this is 20\.11\.1\. Install Node\.js 24 from \S+\.\n$/u
    )
    assert.deepStrictEqual(
      run.stdout
        .trim()
        .split("\n")
        .filter((line) => line.startsWith("loads file:"))
        .map((line) => line.split("/").at(-1)),
      ["main.ts", "NodeVersion.ts"]
    )
  })
})
