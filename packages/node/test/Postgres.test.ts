/** The front door over PostgreSQL, on a server of this file's own. */
import { postgres } from "@pointsman/storage-postgres"
import { assert, describe, it, onTestFinished } from "vitest"
import { findBinaries, startPostgres } from "../../storage/postgres/test/support/EmbeddedPostgres.ts"
import { createPointsman, type PointsmanError } from "../src/index.ts"
import { encryptionKey, failureOf, open, order, otherEncryptionKey, shop } from "./support/Shop.ts"
import { slowProvider } from "./support/SlowProvider.ts"

const binaries = findBinaries()
if ("missing" in binaries) process.stderr.write(`node: its tests on PostgreSQL are skipped: ${binaries.missing}\n`)

const start = async () => {
  if ("missing" in binaries) throw new Error(binaries.missing)
  const server = await startPostgres(binaries.native)
  onTestFinished(server.stop)
  return server
}

const workspaces = [{ ...shop, connections: [{ id: "one", environment: "sandbox" as const, connector: "slow" }] }]

describe.skipIf("missing" in binaries)("over PostgreSQL", () => {
  it("an order at two on a crashing database is charged once, logged, and continued", async () => {
    const server = await start()
    const provider = slowProvider()
    const settings = {
      storage: postgres(server.url, { allowAsyncCommit: true, maxConnections: 4 }),
      connectors: [provider.definition],
      encryptionKey,
      environment: "sandbox" as const,
      background: false,
      workspaces
    }
    const [{ lines, pointsman: first }, { pointsman: second }] = await Promise.all([open(settings), open(settings)])
    const key = { idempotencyKey: "order-1001" }

    const paying = first.create(order, key)
    await provider.asked
    assert.deepInclude(await failureOf(second.create(order, key)), {
      code: "idempotency_in_progress",
      moneyMayHaveMoved: true
    })
    provider.answer()
    const { payment } = await paying
    assert.strictEqual(payment.status, "CAPTURED")
    assert.deepStrictEqual(await second.create(order, key), { payment, isReplay: true })

    await server.kill()
    assert.deepInclude(await failureOf(first.payment(payment.id)), {
      code: "internal_error",
      moneyMayHaveMoved: false
    })
    // A connection that is dead unnoticed may have taken the claim: then its payment is unknown, and may be a second try.
    const unclaimed = await failureOf(first.create(order, key))
    assert.deepInclude(unclaimed, { moneyMayHaveMoved: true })
    assert.include(["internal_error", "payment_result_unknown"], (unclaimed as PointsmanError).code)
    for (const again of [
      () => first.capture(payment.id),
      () => first.void(payment.id),
      () => first.refund(payment.id)
    ]) {
      assert.deepInclude(await failureOf(again()), { code: "internal_error", moneyMayHaveMoved: true })
    }
    assert.deepInclude(await failureOf(first.create(order)), { code: "internal_error", moneyMayHaveMoved: false })
    assert.match(lines.find(({ level }) => level === "error")?.cause ?? "", /^Error: \S/u)

    await server.restart()
    assert.strictEqual((await first.create(order, { idempotencyKey: "order-1002" })).isReplay, false)
    assert.deepStrictEqual(await second.create(order, key), { payment, isReplay: true })
    assert.strictEqual((await second.payments()).data.length, 2)

    await Promise.all([first.close(), second.close()])
    const refused = await failureOf(createPointsman({ ...settings, encryptionKey: otherEncryptionKey }))
    assert.deepInclude(refused, { code: "wrong_encryption_key" })
    const { pointsman: third } = await open({ ...settings, workspaces: undefined, workspace: "shop" } as object)
    assert.strictEqual((await third.payment(payment.id)).status, "CAPTURED")
  })
})
