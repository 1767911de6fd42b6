/** `pointsman archive` and the server's answers about payments that left, on a SQLite file and a folder. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const eightYears = 8 * 366 * 24 * 60 * 60_000
const config = ["--config", "pointsman.json"]

/** A captured payment with a refund in part, and a process that looks at it eight years later. */
const setUp = async () => {
  const provider = await startProvider()
  const folder = temporaryFolder()
  const configuration = {
    archive: { folder: join(folder, "archive") },
    workspaces: [workspaceWith([connectionTo(provider)])]
  }
  const server = await startServerHere({ folder, configuration })
  const created = await pay(server, "order-archive", { reference: "order-1" })
  const id: string = created.body.data.payment_id
  const refunded = await server.request("POST", `/api/v1/payments/${id}/refunds`, {
    key: liveKey,
    idempotencyKey: "refund-archive",
    body: { amount: 499 }
  })
  assert.strictEqual(refunded.status, 200, JSON.stringify(refunded.body))
  const read = (path = "") => ({ key: liveKey, path: `/api/v1/payments/${id}${path}` })
  const answers = async (of: typeof server) => ({
    payment: (await of.request("GET", read().path, { key: liveKey })).body,
    timeline: (await of.request("GET", read("/events").path, { key: liveKey })).body
  })
  const before = await answers(server)
  await server.stop()
  return {
    answers,
    before,
    configuration,
    folder,
    id,
    later: () => startServerHere({ folder, configuration, clockAheadMillis: eightYears }),
    run: (...words: ReadonlyArray<string>) =>
      runHere(folder, ["archive", ...words], {}, makeMovedClock(eightYears).clock)
  }
}

const objectOf = (folder: string): string => {
  const entries = readdirSync(join(folder, "archive/payments"), { recursive: true, withFileTypes: true })
  const file = entries.find((entry) => entry.isFile())
  return file === undefined ? "" : join(file.parentPath, file.name)
}

describe("pointsman archive", () => {
  it("an archived old payment is listed, verified and read, and served as before", async () => {
    const { answers, before, folder, id, later, run } = await setUp()
    const rows = [{ workspace_id: "acme", environment: "production", payments: 1 }]
    const dry = documentOf(await run("run", ...config, "--dry-run", "--json"))
    assert.deepStrictEqual(dry, { data: { dry_run: true, tenants: rows } })
    assert.strictEqual((await run("verify", ...config)).stderr, "No objects found.\n")
    assert.deepStrictEqual(documentOf(await run("run", ...config, "--json")), {
      data: { dry_run: false, tenants: rows }
    })
    assert.strictEqual((await run("run", ...config)).stderr, "No payments leave the store.\n")

    const [object] = documentOf(await run("list", ...config, "--json")).data
    const sum = { currency: "EUR", payments: 1, authorized: 1999, captured: 1999, refunded: 499 }
    assert.deepInclude(object, { format: 1, payments: 1, refunds: 1, first_payment_id: id, last_payment_id: id })
    assert.deepStrictEqual(object.sums, [sum])
    assert.match((await run("list", ...config)).stdout, /\.jsonl\.gz {2}1 .*€19\.99 +€4\.99\n$/u)
    assert.deepStrictEqual(documentOf(await run("verify", ...config, "--json")).data, [
      {
        workspace_id: "acme",
        environment: "production",
        objects: 1,
        payments: 1,
        sums: [sum],
        fault_count: 0,
        faults: []
      }
    ])
    const shown = documentOf(await run("read", id, ...config, "--json")).data
    assert.deepInclude(shown, { payment_id: id, reference: "order-1", captured_amount: 1999, refunded_amount: 499 })
    assert.strictEqual(shown.events.length, before.timeline.data.length)

    const server = await later()
    assert.deepStrictEqual(await answers(server), before)
    for (const [path, code] of [
      ["capture", "not_capturable"],
      ["void", "not_voidable"],
      ["refunds", "not_refundable"]
    ]) {
      const refused = await server.request("POST", `/api/v1/payments/${id}/${path}`, {
        key: liveKey,
        idempotencyKey: "once more"
      })
      assert.deepStrictEqual([refused.status, refused.body.error.code], [409, code])
      assert.include(refused.body.error.message, "is in the archive")
    }
    const [bytes, path] = [readFileSync(objectOf(folder)), objectOf(folder)]
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(path, bytes)
    const damaged = await run("verify", ...config)
    assert.strictEqual(damaged.code, 1)
    assert.match(damaged.stdout, /: it cannot be decompressed \(Z_DATA_ERROR\)\n\n1 fault found\.\n$/u)
    // It may be there: that is not "not found".
    const unread = await server.request("GET", `/api/v1/payments/${id}`, { key: liveKey })
    assert.deepStrictEqual([unread.status, unread.body.error.code], [500, "internal_error"])
  })

  it("each command says what it expects without a correct archive; nothing leaves", async () => {
    const { configuration, folder, id, run } = await setUp()
    const without = { ...configuration, archive: undefined }
    writeFileSync(join(folder, "pointsman.json"), JSON.stringify(without))
    for (const words of [["list"], ["verify"], ["read", id], ["run"]]) {
      const { code, stderr } = await run(...words, ...config)
      assert.strictEqual(code, 1)
      assert.match(stderr, /POINTSMAN_CONFIG \(--config\): expected .* with the field `archive`/u)
    }
    const both = { folder: "/archive", s3: { bucket: "Wrong Bucket", region: "eu", secretAccessKey: "hush" } }
    for (const [archive, expected] of [
      [{ folder: "archive" }, "archive.folder: expected an absolute path"],
      [{}, "archive: expected either `folder` or `s3`"],
      [both, "archive.s3.bucket: expected the name of a bucket"],
      [{ s3: { ...both.s3, bucket: "right" } }, "archive.s3: expected `accessKeyId` and `secretAccessKey` together"],
      [{ s3: { bucket: "right", region: { $env: "NOT_SET" } } }, "archive.s3.region: the environment variable NOT_SET"]
    ] as const) {
      writeFileSync(join(folder, "pointsman.json"), JSON.stringify({ ...configuration, archive }))
      for (const words of [
        ["archive", "run", ...config],
        ["config", "check", ...config]
      ]) {
        const { code, stderr, stdout } = await runHere(folder, words)
        assert.strictEqual(code, 1)
        assert.include(stderr + stdout, expected)
        assert.notInclude(stderr + stdout, "hush")
      }
    }
    writeFileSync(join(folder, "pointsman.json"), JSON.stringify(configuration))
    const missing = await run("read", id, ...config)
    assert.strictEqual(missing.stderr, `Payment "${id}" not found.\n`)
    const doctor = await runHere(folder, ["doctor", ...config])
    assert.match(doctor.stdout, /^ok +archive +\/.*\/archive is created when the first payments are archived/mu)
    const beneath = { folder: join(folder, "absent/archive") }
    writeFileSync(join(folder, "pointsman.json"), JSON.stringify({ ...configuration, archive: beneath }))
    const wrong = await runHere(folder, ["doctor", ...config])
    assert.match(wrong.stdout, /^wrong +archive +the folder does not exist \(ENOENT\)/mu)
    writeFileSync(join(folder, "pointsman.json"), JSON.stringify(configuration))
    const unknown = await run("run", ...config, "--workspace", "nobody")
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "--workspace: expected one of")
    assert.strictEqual((await run("run", ...config)).code, 0)
    assert.match((await runHere(folder, ["doctor", ...config])).stdout, /^ok +archive +\/.*\/archive can be reached/mu)
  })
})
