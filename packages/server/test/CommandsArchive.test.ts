/** `pointsman archive` and the server's answers about payments that left, on a SQLite file and a folder. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { openShop } from "./support/ShopHere.ts"

const eightYears = 8 * 366 * 24 * 60 * 60_000
const config = ["--config", "pointsman.json"]

/** A captured payment with a refund in part, and a process that looks at it eight years later. */
const setUp = async () => {
  const { configuration, create, folder, refund, server } = await openShop({
    configured: (provider, at) => ({
      archive: { folder: join(at, "archive") },
      workspaces: [workspaceWith([connectionTo(provider)])]
    })
  })
  const id = await create("1")
  assert.strictEqual((await refund(id, { amount: 499 }, "refund-archive")).status, 200)
  const answers = async (of: typeof server) => ({
    payment: (await of.request("GET", `/api/v1/payments/${id}`, { key: liveKey })).body,
    timeline: (await of.request("GET", `/api/v1/payments/${id}/events`, { key: liveKey })).body
  })
  const before = await answers(server)
  await server.stop()
  const run = (...words: ReadonlyArray<string>) =>
    runHere(folder, ["archive", ...words, ...config], {}, makeMovedClock(eightYears).clock)
  return {
    answers,
    before,
    folder,
    id,
    later: () => startServerHere({ folder, configuration, clockAheadMillis: eightYears }),
    run,
    data: async (...words: ReadonlyArray<string>) => documentOf(await run(...words, "--json")).data,
    doctor: async () => (await runHere(folder, ["doctor", ...config])).stdout,
    configure: (change: object) =>
      writeFileSync(join(folder, "pointsman.json"), JSON.stringify({ ...configuration, ...change }))
  }
}

const objectOf = (folder: string): string => {
  const entries = readdirSync(join(folder, "archive/payments"), { recursive: true, withFileTypes: true })
  const file = entries.find((entry) => entry.isFile())
  return file === undefined ? "" : join(file.parentPath, file.name)
}

describe("pointsman archive", () => {
  it("an archived old payment is listed, verified and read, and served as before", async () => {
    const { answers, before, data, folder, id, later, run } = await setUp()
    const tenant = { workspace_id: "acme", environment: "production" }
    const tenants = [{ ...tenant, payments: 1 }]
    assert.deepStrictEqual(await data("run", "--dry-run"), { dry_run: true, tenants })
    assert.strictEqual((await run("verify")).stderr, "No objects found.\n")
    assert.deepStrictEqual(await data("run"), { dry_run: false, tenants })
    assert.strictEqual((await run("run")).stderr, "No payments leave the store.\n")

    const [object] = await data("list")
    const sums = [{ currency: "EUR", payments: 1, authorized: 1999, captured: 1999, refunded: 499 }]
    assert.deepInclude(object, { format: 1, payments: 1, refunds: 1, first_payment_id: id, last_payment_id: id })
    assert.deepStrictEqual(object.sums, sums)
    assert.match((await run("list")).stdout, /\.jsonl\.gz {2}1 .*€19\.99 +€4\.99\n$/u)
    assert.deepStrictEqual(await data("verify"), [
      { ...tenant, objects: 1, payments: 1, sums, fault_count: 0, faults: [] }
    ])
    const shown = await data("read", id)
    assert.deepInclude(shown, { payment_id: id, reference: "1", captured_amount: 1999, refunded_amount: 499 })
    assert.strictEqual(shown.events.length, before.timeline.data.length)

    const server = await later()
    assert.deepStrictEqual(await answers(server), before)
    for (const [path, code] of [
      ["capture", "not_capturable"],
      ["void", "not_voidable"],
      ["refunds", "not_refundable"]
    ]) {
      const asked = { key: liveKey, idempotencyKey: "once more" }
      const refused = await server.request("POST", `/api/v1/payments/${id}/${path}`, asked)
      assert.deepStrictEqual([refused.status, refused.body.error.code], [409, code])
      assert.include(refused.body.error.message, "is in the archive")
    }
    const [bytes, path] = [readFileSync(objectOf(folder)), objectOf(folder)]
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(path, bytes)
    const damaged = await run("verify")
    assert.strictEqual(damaged.code, 1)
    assert.match(damaged.stdout, /: it cannot be decompressed \(Z_DATA_ERROR\)\n\n1 fault found\.\n$/u)
    // It may be there: that is not "not found".
    const unread = await server.request("GET", `/api/v1/payments/${id}`, { key: liveKey })
    assert.deepStrictEqual([unread.status, unread.body.error.code], [500, "internal_error"])
  })

  it("each command says what it expects without a correct archive; nothing leaves", async () => {
    const { configure, doctor, folder, id, run } = await setUp()
    configure({ archive: undefined })
    for (const words of [["list"], ["verify"], ["read", id], ["run"]]) {
      const { code, stderr } = await run(...words)
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
      configure({ archive })
      for (const ran of [run("run"), runHere(folder, ["config", "check", ...config])]) {
        const { code, stderr, stdout } = await ran
        assert.strictEqual(code, 1)
        assert.include(stderr + stdout, expected)
        assert.notInclude(stderr + stdout, "hush")
      }
    }
    configure({ archive: { folder: join(folder, "absent/archive") } })
    assert.match(await doctor(), /^wrong +archive +the folder does not exist \(ENOENT\)/mu)
    configure({})
    assert.strictEqual((await run("read", id)).stderr, `Payment "${id}" not found.\n`)
    assert.match(await doctor(), /^ok +archive +\/.*\/archive is created when the first payments are archived/mu)
    const unknown = await run("run", "--workspace", "nobody")
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "--workspace: expected one of")
    assert.strictEqual((await run("run")).code, 0)
    assert.match(await doctor(), /^ok +archive +\/.*\/archive can be reached/mu)
  })
})
