/** A database that went back to an earlier time, behind a running server: what is asked again goes out under the same ids. */
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { keptFile, startRecovery } from "./support/RecoverHere.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { type JsonAnswer, startServer, temporaryFolder } from "./support/ServerProcess.ts"

type Server = Pick<ServerHere, "request">

/** A server over a file that a test keeps and goes back to, and a provider that outlives it. */
const setUp = async () => {
  const [provider, folder] = [await startProvider(), temporaryFolder()]
  const configuration = configurationWith(connectionTo(provider))
  return {
    ...{ provider, folder, ...keptFile(folder) },
    start: (environment = {}) => startServerHere({ folder, configuration, environment }),
    // In a process of its own: a process that closes a file gives up every lock that it has on it.
    startApart: () => startServer({ folder, configuration }),
    charged: () => provider.calls.filter(({ operation }) => operation === "charge")
  }
}

const create = (server: Server, reference: string, change: object = {}) =>
  pay(server, reference, { reference, ...change })

const refund = (server: Server, id: string) =>
  server.request("POST", `/api/v1/payments/${id}/refunds`, {
    ...{ key: liveKey, idempotencyKey: "refund-0001", body: { amount: 500 } }
  })

const ready = (server: Server) => server.request("GET", "/health/ready", { key: null })

const assertWaits = ({ body, headers, status }: JsonAnswer, code = "idempotency_in_progress") =>
  assert.deepStrictEqual([status, body.error.code, headers.get("retry-after")], [409, code, "60"])

describe("a database that lost its last records", () => {
  it("the keys of a lost charge and a lost refund move nothing twice", async () => {
    const { charged, keep, provider, restore, start } = await setUp()
    await (await start()).stop()
    keep("before-the-charge.db")
    const first = await start()
    const created = await create(first, "order-0001")
    assert.strictEqual(created.body.data.payment_status, "CAPTURED")
    await first.stop()
    keep("before-the-refund.db")

    const { payment_id } = created.body.data
    for (const isAgain of [false, true]) {
      if (isAgain) restore("before-the-refund.db")
      const server = await start()
      assert.strictEqual((await refund(server, payment_id)).body.data.refunded_amount, 500)
      await server.stop()
    }
    assert.deepStrictEqual([...(provider.charges[0]?.refunds.values() ?? [])], [500])

    restore("before-the-charge.db")
    const last = await start()
    assert.strictEqual((await create(last, "order-0001")).body.data.payment_status, "CAPTURED")
    assert.lengthOf(provider.charges, 1)
    const attempt = charged()[0]?.body.attempt_id
    assert.deepStrictEqual(
      charged().map(({ body, headers }) => [body.attempt_id, headers["idempotency-key"]]),
      [
        [attempt, attempt],
        [attempt, attempt]
      ]
    )
    await last.stop()
  })

  for (const how of ["moved into its place", "copied over it"] as const) {
    it(`a server whose backup is ${how} sends nothing, and knows the loss at restart`, async () => {
      const { keep, provider, restore, start, startApart } = await setUp()
      const first = await start()
      const kept = await create(first, "kept-order")
      await first.stop()
      keep()

      const second = await startApart()
      const before = Date.now()
      assert.strictEqual((await create(second, "lost-order")).status, 201)
      restore("backup.db", how === "moved into its place")
      const refused = await create(second, "next-order")
      // The background may have noticed it first, and then it is not admitted.
      assert.include([500, 503], refused.status)
      assert.strictEqual(refused.body.error.code, "internal_error")
      const unready = await ready(second)
      assert.strictEqual(unready.status, 503)
      assert.match(unready.body.reason, /^the database file was replaced while a server used it/u)
      assert.strictEqual((await create(second, "next-order")).status, 503)
      await second.stop()

      const third = await start()
      const { status, body: health } = await ready(third)
      assert.strictEqual(status, 200)
      assert.match(health.record_loss.reason, /^the database file lacks payments that a server had acknowledged/u)
      assert.isBelow(Date.parse(health.record_loss.since), before)
      for (const reference of ["lost-order", "next-order"]) assertWaits(await create(third, reference))
      assert.lengthOf(provider.charges, 2)
      assert.deepStrictEqual((await create(third, "kept-order")).body.data, kept.body.data)
      assertWaits(await refund(third, kept.body.data.id), "refund_pending")
      const metrics = await (await fetch(`${third.url}/metrics`)).text()
      assert.match(metrics, /^pointsman_record_loss(?:\{[^}]*\})? 1$/mu)
      await third.stop()

      // The same ids go out: the provider knows the charge.
      const serving = await start({ POINTSMAN_AFTER_RESTORE: "serve" })
      assert.strictEqual((await create(serving, "lost-order")).body.data.payment_status, "CAPTURED")
      assert.lengthOf(provider.charges, 2)
      await serving.stop()
    })
  }

  it("a server stopped during a restore sends nothing by a key in the recovery", async () => {
    const { charged, folder, keep, restore, start } = await setUp()
    await (await start()).stop()
    keep()
    const since = new Date(Date.now() - 60_000).toISOString()
    const first = await start()
    const lost = await create(first, "lost-order")
    assert.strictEqual(lost.status, 201)
    await first.stop()
    restore()
    const server = await start()

    const recovery = startRecovery(folder, ["--since", since])
    await recovery.waits()
    // A provider that has forgotten the key charges again: nothing may be sent.
    for (const _ of [1, 2, 3]) assertWaits(await create(server, "lost-order"))
    assert.lengthOf(charged(), 1)
    const ended = await recovery.goOn()
    assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr)

    const again = await create(server, "lost-order")
    assert.strictEqual(again.headers.get("idempotent-replay"), "true")
    const { payment_id } = lost.body.data
    assert.deepInclude(again.body.data, { payment_id, payment_status: "CAPTURED", recovered: true })
    const other = await create(server, "lost-order", { amount: 2000 })
    assert.strictEqual(other.body.error.code, "idempotency_key_reuse")
    assert.lengthOf(charged(), 1)
  })
})
