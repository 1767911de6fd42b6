/** A database that went back to an earlier time, behind a running server: what is asked again goes out under the same ids. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"
const body = { amount: 1999, currency: "EUR", country: "NL", reference: "order 1" }

describe("a database that lost its last records", { timeout: 120_000 }, () => {
  it("given a charge and a refund that it lost, when their keys come again, then nothing moves twice", async () => {
    const provider = await startProvider()
    const folder = temporaryFolder()
    const configuration = { workspaces: [workspaceWith([connectionTo(provider)])] }
    const start = () => startServer({ folder, configuration })
    const file = (name: string) => join(folder, ".pointsman", name)
    const keep = (name: string) => copyFileSync(file("pointsman.db"), file(name))
    const goBackTo = (name: string) => {
      for (const suffix of ["-wal", "-shm"]) rmSync(file(`pointsman.db${suffix}`), { force: true })
      copyFileSync(file(name), file("pointsman.db"))
    }
    const create = (server: Awaited<ReturnType<typeof start>>) =>
      server.request("POST", path, { key: liveKey, idempotencyKey: "order-0001", body })
    const refund = (server: Awaited<ReturnType<typeof start>>, id: string) =>
      server.request("POST", `${path}/${id}/refunds`, {
        key: liveKey,
        idempotencyKey: "refund-0001",
        body: { amount: 500 }
      })

    await (await start()).stop()
    keep("before-the-charge.db")
    const first = await start()
    const created = await create(first)
    assert.strictEqual(created.body.data.payment_status, "CAPTURED")
    await first.stop()
    keep("before-the-refund.db")

    const second = await start()
    const { payment_id } = created.body.data
    assert.strictEqual((await refund(second, payment_id)).body.data.refunded_amount, 500)
    await second.stop()

    goBackTo("before-the-refund.db")
    const third = await start()
    assert.strictEqual((await refund(third, payment_id)).body.data.refunded_amount, 500)
    await third.stop()
    assert.deepStrictEqual([...(provider.charges[0]?.refunds.values() ?? [])], [500])

    goBackTo("before-the-charge.db")
    const fourth = await start()
    assert.strictEqual((await create(fourth)).body.data.payment_status, "CAPTURED")
    assert.lengthOf(provider.charges, 1)
    const sent = provider.calls.filter(({ operation }) => operation === "charge")
    assert.deepStrictEqual(
      sent.map(({ body, headers }) => [body.attempt_id, headers["idempotency-key"]]),
      [sent[0], sent[0]].map((call) => [call?.body.attempt_id, call?.body.attempt_id])
    )
    await fourth.stop()
  })
})
