/** A database that went back to an earlier time, behind a running server: what is asked again goes out under the same ids. */
import { randomUUID } from "node:crypto"
import { copyFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { pay, sendSigned } from "./support/Pay.ts"
import { recoverHere, startRecovery } from "./support/RecoverHere.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"
const body = { amount: 1999, currency: "EUR", country: "NL", reference: "order 1" }

/** A message of the connection `main` about a captured charge, signed as its provider signs it. */
const tell = async ({ url }: { readonly url: string }, attemptId: string, created: number): Promise<number> => {
  const data = { attempt_id: attemptId, provider_reference: "ch_told", status: "captured", captured_amount: 1999 }
  const text = JSON.stringify({
    id: randomUUID(),
    type: "charge.updated",
    created: new Date(created).toISOString(),
    data: { ...data, currency: "EUR" }
  })
  return (await sendSigned({ url }, "main", "whsec_of_main", text)).status
}

describe("a database that lost its last records", () => {
  it("the keys of a lost charge and a lost refund move nothing twice", async () => {
    const provider = await startProvider()
    const folder = temporaryFolder()
    const configuration = configurationWith(connectionTo(provider))
    const start = () => startServerHere({ folder, configuration })
    const file = (name: string) => join(folder, ".pointsman", name)
    const keep = (name: string) => copyFileSync(file("pointsman.db"), file(name))
    const goBackTo = (name: string) => {
      for (const suffix of ["-wal", "-shm"]) rmSync(file(`pointsman.db${suffix}`), { force: true })
      copyFileSync(file(name), file("pointsman.db"))
    }
    const create = (server: Awaited<ReturnType<typeof start>>) => pay(server, "order-0001", body)
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

  it("a message with a lost charge reveals a restore while no server ran", async () => {
    const claimWindowMillis = 60_000
    const { clock, push } = makeMovedClock()
    const provider = await startProvider()
    const folder = temporaryFolder()
    const connection = { ...connectionTo(provider), webhookSecret: "whsec_of_main" }
    const start = () =>
      startServerHere({
        folder,
        configuration: configurationWith(connection),
        environment: { POINTSMAN_CLAIM_WINDOW: "1 minute" },
        clock
      })
    const file = (name: string) => join(folder, ".pointsman", name)
    const create = (server: Awaited<ReturnType<typeof start>>, reference: string) =>
      pay(server, reference, { ...body, reference })
    const lossOf = async (server: Awaited<ReturnType<typeof start>>) =>
      (await server.request("GET", "/health/ready", { key: null })).body.record_loss

    const first = await start()
    const kept = await create(first, "kept-order")
    await first.stop()
    copyFileSync(file("pointsman.db"), file("backup.db"))
    const second = await start()
    const lost = await create(second, "lost-order")
    const chargedAt = Date.now()
    await second.stop()
    for (const suffix of ["-wal", "-shm"]) rmSync(file(`pointsman.db${suffix}`), { force: true })
    copyFileSync(file("backup.db"), file("pointsman.db"))

    const third = await start()
    assert.isUndefined(await lossOf(third))
    const lostAttempt = provider.charges[1]?.attemptId ?? ""
    push(claimWindowMillis + 1)
    // The account's other charges, and one that may just be stored.
    assert.strictEqual(await tell(third, randomUUID(), chargedAt), 200)
    assert.strictEqual(await tell(third, `att_${randomUUID()}`, chargedAt), 200)
    assert.strictEqual(await tell(third, lostAttempt, Date.now() + claimWindowMillis), 200)
    assert.isUndefined(await lossOf(third))
    assert.strictEqual((await create(third, "next-order")).status, 201)

    assert.strictEqual(await tell(third, lostAttempt, chargedAt), 200)
    const loss = await lossOf(third)
    assert.match(loss.reason, /^a verified message of connection main names a charge that is not stored/u)
    assert.isAtMost(Date.parse(loss.since), Date.parse(kept.body.data.created))
    const refused = await create(third, "lost-order")
    assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "idempotency_in_progress"])
    assert.lengthOf(provider.charges, 3)

    const recovered = await recoverHere(folder, [])
    assert.strictEqual(recovered.code, 0, recovered.stdout + recovered.stderr)
    const again = await create(third, "lost-order")
    assert.deepInclude(again.body.data, { payment_id: lost.body.data.payment_id, recovered: true })
    assert.lengthOf(provider.charges, 3)
  })

  for (const how of ["moved into its place", "copied over it"] as const) {
    it(`a server whose backup is ${how} sends nothing, and knows the loss at restart`, async () => {
      const provider = await startProvider()
      const folder = temporaryFolder()
      const configuration = configurationWith(connectionTo(provider))
      const start = (environment = {}) => startServerHere({ folder, configuration, environment })
      const file = (name: string) => join(folder, ".pointsman", name)
      const create = (server: Pick<Awaited<ReturnType<typeof start>>, "request">, reference: string) =>
        pay(server, reference, { ...body, reference })
      const ready = (server: Pick<Awaited<ReturnType<typeof start>>, "request">) =>
        server.request("GET", "/health/ready", { key: null })

      const first = await start()
      const kept = await create(first, "kept-order")
      await first.stop()
      copyFileSync(file("pointsman.db"), file("backup.db"))

      // In a process of its own: a process that closes a file gives up every lock that it has on it.
      const second = await startServer({ folder, configuration })
      const before = Date.now()
      assert.strictEqual((await create(second, "lost-order")).status, 201)
      for (const suffix of ["-wal", "-shm"]) rmSync(file(`pointsman.db${suffix}`), { force: true })
      if (how === "copied over it") copyFileSync(file("backup.db"), file("pointsman.db"))
      else renameSync(file("backup.db"), file("pointsman.db"))
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
      for (const reference of ["lost-order", "next-order"]) {
        const unsent = await create(third, reference)
        assert.deepStrictEqual([unsent.status, unsent.body.error.code], [409, "idempotency_in_progress"])
        assert.strictEqual(unsent.headers.get("retry-after"), "60")
      }
      assert.lengthOf(provider.charges, 2)
      assert.deepStrictEqual((await create(third, "kept-order")).body.data, kept.body.data)
      const refund = await third.request("POST", `${path}/${kept.body.data.id}/refunds`, {
        key: liveKey,
        idempotencyKey: "refund-0001",
        body: {}
      })
      assert.deepStrictEqual([refund.status, refund.body.error.code], [409, "refund_pending"])
      assert.strictEqual(refund.headers.get("retry-after"), "60")
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

  for (const when of ["stopped", "running"] as const) {
    it(`a server ${when} during a restore sends nothing by a key in the recovery`, async () => {
      const provider = await startProvider()
      const folder = temporaryFolder()
      const configuration = configurationWith(connectionTo(provider))
      const start = () => startServerHere({ folder, configuration })
      const file = (name: string) => join(folder, ".pointsman", name)
      const create = (server: Pick<Awaited<ReturnType<typeof start>>, "request">) => pay(server, "lost-order", body)
      // A provider that has forgotten the key charges again: nothing may be sent.
      const sent = () => provider.calls.filter(({ operation }) => operation === "charge").length
      const restore = () => {
        for (const suffix of ["-wal", "-shm"]) rmSync(file(`pointsman.db${suffix}`), { force: true })
        copyFileSync(file("backup.db"), file("pointsman.db"))
      }

      await (await start()).stop()
      copyFileSync(file("pointsman.db"), file("backup.db"))
      const since = new Date(Date.now() - 60_000).toISOString()
      // In a process of its own: a process that closes a file gives up every lock that it has on it.
      const first = await startServer({ folder, configuration })
      const lost = await create(first)
      assert.strictEqual(lost.status, 201)
      if (when === "stopped") await first.stop()
      restore()
      const beside = when === "stopped" ? await start() : first

      const recovery = startRecovery(folder, ["--since", since])
      await recovery.waits()
      // From the file that it has open it repeats what it knows, and sends nothing until it is restarted.
      const atOnce = await create(beside)
      assert.include(when === "stopped" ? [409] : [201, 500, 503], atOnce.status)
      assert.strictEqual(sent(), 1)
      if (when === "running") await first.stop()
      const server = when === "running" ? await start() : beside
      for (const _ of [1, 2]) {
        const refused = await create(server)
        assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "idempotency_in_progress"])
        assert.strictEqual(refused.headers.get("retry-after"), "60")
      }
      let ended = await recovery.goOn()
      if (when === "running") {
        // Meanwhile the restarted server noticed what the file lacks, and extended the loss.
        assert.strictEqual(ended.code, 1)
        assert.strictEqual((await create(server)).status, 409)
        ended = await recoverHere(folder, [])
      }
      assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr)

      const again = await create(server)
      assert.strictEqual(again.headers.get("idempotent-replay"), "true")
      const { payment_id } = lost.body.data
      assert.deepInclude(again.body.data, { payment_id, payment_status: "CAPTURED", recovered: true })
      const other = await pay(server, "lost-order", { ...body, amount: 2000 })
      assert.strictEqual(other.body.error.code, "idempotency_key_reuse")
      assert.strictEqual(sent(), 1)
      await server.stop()
    })
  }
})
