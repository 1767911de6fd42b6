/** The image is built as the documentation says, started, found healthy, takes a payment, and is stopped. */
import { join } from "node:path"
import { assert, it } from "vitest"
import { buildImage, missingBuilder } from "./support/ContainerImage.ts"
import { jsonRequestsTo, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const missing = missingBuilder()
if (missing !== undefined) process.stderr.write(`server: the image is not built: ${missing}\n`)

it.skipIf(missing !== undefined)(
  "the image started twice is healthy, takes a payment, keeps it, and stops",
  { timeout: 900_000 },
  async () => {
    const folder = temporaryFolder()
    const image = await buildImage(folder)
    const container = image.container(join(folder, "data"))
    const start = async () => {
      const began = performance.now()
      const server = container.start({ PORT: "0" })
      const url = () => /^Pointsman listens on (\S+)\n/mu.exec(server.printed())?.[1]
      await until(
        () => `the server listens: ${server.printed()}`,
        () => url() !== undefined
      )
      return { ...server, url: url() as string, millis: performance.now() - began }
    }

    const first = await start()
    const key = /ps_test_[0-9A-Za-z]{38}/u.exec(first.printed())?.[0]
    const request = jsonRequestsTo(first.url, key)
    const { port } = new URL(first.url)
    const healthy = container.check({ PORT: port })
    assert.strictEqual(healthy.status, 0, healthy.stderr)
    const paid = await request("POST", "/api/v1/payments", {
      body: { amount: 1999, currency: "EUR", country: "NL", reference: "order" },
      idempotencyKey: "the-first-order"
    })
    assert.strictEqual(paid.status, 201)
    assert.strictEqual(await first.stop(), 0, first.printed())
    assert.notStrictEqual(container.check({ PORT: port }).status, 0)

    const second = await start()
    const kept = await jsonRequestsTo(second.url, key)("GET", `/api/v1/payments/${paid.body.data.id}`)
    assert.strictEqual(kept.status, 200)
    assert.strictEqual(await second.stop(), 0, second.printed())
    process.stderr.write(
      `image: ${image.megabytes} MB, of which its base is ${image.baseMegabytes} MB; first and second start ` +
        `${first.millis.toFixed(0)} and ${second.millis.toFixed(0)} ms, those of Buildah included\n`
    )
  }
)
