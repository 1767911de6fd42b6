/** The setting `archive`. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { type Archive, InternalError, NotFoundError, StartError } from "../src/index.ts"
import { failureOf, open } from "./support/Shop.ts"

describe("archive", () => {
  it("an opened folder or bucket reaches nothing, and payments continue", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pointsman-node-archive-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const bucket = { bucket: "payments", region: "eu-central-1", endpoint: "http://127.0.0.1:9" }
    for (const archive of [{ folder }, { s3: bucket }] satisfies ReadonlyArray<Archive>) {
      const { pointsman } = await open({ archive })
      const { payment } = await pointsman.create({ amount: 1999, currency: "EUR", country: "NL" })
      assert.strictEqual((await pointsman.payment(payment.id)).id, payment.id)
    }
  })

  it("an old id with an archive that cannot be reached is a failure, not an absence", async () => {
    const s3 = { bucket: "payments", region: "eu-central-1", endpoint: "http://127.0.0.1:9" }
    const { pointsman } = await open({ archive: { s3: { ...s3, accessKeyId: "AKIA", secretAccessKey: "hush" } } })
    const failure = await failureOf(pointsman.payment("01697a1c-7e48-7c64-8f5e-2f6d9f1f0a01"))
    assert.instanceOf(failure, InternalError)
    const { pointsman: without } = await open()
    const absence = await failureOf(without.payment("01697a1c-7e48-7c64-8f5e-2f6d9f1f0a01"))
    assert.instanceOf(absence, NotFoundError)
  })

  it("wrong settings are each named", async () => {
    for (const [archive, field] of [
      [{}, "archive"],
      [{ folder: "/here", s3: { bucket: "payments", region: "eu" } }, "archive"],
      [{ folder: "here" }, "archive.folder"],
      [{ s3: { bucket: "UPPER", region: "eu" } }, "archive.s3.bucket"],
      [{ folder: { $env: "POINTSMAN_NOT_SET" } }, "archive.folder"]
    ] as const) {
      const failure = await failureOf(open({ archive: archive as unknown as Archive }))
      assert(failure instanceof StartError)
      assert.deepStrictEqual(
        failure.mistakes.map((mistake) => mistake.field),
        [field]
      )
    }
  })
})
