import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { failureOf, folder, inFiles, open, order, shop } from "./support/Shop.ts"

/** A recovery waits until what was sent before has ended. */
const connections = (shop.connections ?? []).map((connection) => ({ ...connection, timeout: "1 second" as const }))
const quickly = (place: string) => ({ ...inFiles(place), workspaces: [{ ...shop, connections }] })

describe("recover", () => {
  it("a payment and its refund are back once a copied file recovers", async () => {
    const place = folder()
    const [file, copy] = [join(place, "payments.db"), join(place, "copy.db")]
    await (await open(inFiles(place))).pointsman.close()
    copyFileSync(file, copy)
    const { pointsman: first } = await open(inFiles(place))
    const { payment } = await first.create(order, { idempotencyKey: "order-1001" })
    const { payment: refunded } = await first.refund(payment.id, { amount: 500 }, { idempotencyKey: "refund-1001" })
    await first.close()
    for (const suffix of ["-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true })
    copyFileSync(copy, file)

    const { pointsman } = await open(quickly(place))
    const since = new Date(Date.now() - 60_000)
    const { connections, loss } = await pointsman.recover({ since })
    const [one] = connections
    assert.deepInclude(one, { result: "complete", listed: 2, reason: null, changed: [], reviewed: [], kept: 0 })
    assert.deepStrictEqual(one?.payments, [{ currency: "EUR", count: 1, amount: 1999 }])
    assert.deepStrictEqual(one?.refunds, [{ currency: "EUR", count: 1, amount: 500 }])
    assert.strictEqual(loss?.ended?.outcome, "recovered")
    // The provider dates its charge, and it began a little later than the payment.
    const { created, refunds, ...recovered } = await pointsman.payment(payment.id)
    const { created: before, ...lost } = refunded
    assert.isAtLeast(Date.parse(created), Date.parse(before))
    assert.deepInclude(refunds?.[0], { origin: "api", amount: 500, status: "succeeded" })
    assert.deepStrictEqual(recovered, { ...lost, recovered: true })
    assert.isTrue((await pointsman.create(order, { idempotencyKey: "order-1001" })).isReplay)
    assert.isNull(await pointsman.acceptLoss())
  })

  it("creates at an unrecovered connection are refused, or sent if set so", async () => {
    const place = folder()
    const { pointsman: refusing } = await open(quickly(place))
    const { loss } = await refusing.recover({ since: new Date(Date.now() - 60_000), connection: "first" })
    assert.deepStrictEqual([loss?.recovered, loss?.ended], [["first"], null])
    const failure = await failureOf(refusing.create(order, { idempotencyKey: "order-1001" }))
    assert.deepInclude(failure, { code: "idempotency_in_progress" })
    await refusing.close()
    const { pointsman: serving } = await open({ ...inFiles(place), afterRestore: "serve" })
    const { isReplay, payment } = await serving.create(order, { idempotencyKey: "order-1001" })
    assert.deepStrictEqual([isReplay, payment.status], [false, "CAPTURED"])
  })

  it("the error of a malformed order names the field", async () => {
    const { pointsman } = await open(inFiles(folder()))
    for (const [wrong, message] of [
      [{ since: "yesterday" }, "`since` must be a date."],
      [{ dryRun: 1 }, "`dryRun` must be a boolean."],
      [{ connection: 1 }, "`connection` must be the id of a connection."],
      [{ dry_run: true }, "`dry_run` is not known."],
      [{}, "since: expected a time, because no loss of records is known."],
      [{ since: new Date(0), connection: "none" }, "connection: expected the id of a connection."]
    ] as const) {
      assert.strictEqual(((await failureOf(pointsman.recover(wrong as never))) as Error).message, message)
    }
  })
})
