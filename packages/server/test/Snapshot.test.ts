/** A server that starts from a snapshot of its loaded code, as the image does. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

const script = fileURLToPath(new URL("../../../scripts/build/Snapshot.ts", import.meta.url))

describe("a snapshot", () => {
  const built = mkdtempSync(join(tmpdir(), "pointsman-snapshot-"))
  const snapshot = join(built, "server.blob")
  beforeAll(() => void execFileSync(process.execPath, [script, built]))
  afterAll(() => rmSync(built, { recursive: true }))

  it("takes payments through a provider and serves the pages that load late", async () => {
    const folder = temporaryFolder()
    const provider = await startProvider()
    const configuration = configurationWith(connectionTo(provider))
    const server = await startServer({ folder, configuration, snapshot })
    const paid = await pay(server, "first-order")
    assert.deepStrictEqual([paid.status, paid.body.data.status], [201, "CAPTURED"])
    for (const path of ["/", "/docs", "/api/v1/openapi.json"])
      assert.strictEqual((await fetch(server.url + path)).status, 200)
    await server.kill("SIGKILL")

    const again = await startServer({ folder, configuration, snapshot })
    const replayed = await pay(again, "first-order")
    assert.deepStrictEqual([replayed.status, replayed.body.data.id], [201, paid.body.data.id])
    assert.lengthOf(provider.chargesOf(paid.body.data.id), 1)
    assert.strictEqual((await again.stop()).code, 0)
  })

  it("runs the other commands from the bundle", () => {
    const run = (...words: ReadonlyArray<string>) =>
      execFileSync(process.execPath, ["--snapshot-blob", snapshot, ...words], { encoding: "utf8" })
    assert.match(run("--version"), /\d+\.\d+\.\d+/u)
    assert.include(run("serve", "--help"), "--database-url")
  })
})
