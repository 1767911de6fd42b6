/** `pointsman erase` beside a running server, on a SQLite file. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay as create } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"

const reference = "order of Ada Lovelace"
const reason = "Ada changed her mind"

const setUp = async () => {
  const provider = await startProvider()
  const folder = temporaryFolder()
  const server = await startServerHere({
    folder,
    configuration: configurationWith(connectionTo(provider))
  })
  const pay = (of: string, idempotencyKey: string) => create(server, idempotencyKey, { reference: of })
  const refund = (id: string) =>
    server.request("POST", `/api/v1/payments/${id}/refunds`, {
      key: liveKey,
      idempotencyKey: "refund-erase",
      body: { amount: 10, reason }
    })
  /** Every row of every table, as text, but for uses of keys and success rates: the server writes them beside requests. */
  const stored = (): string => {
    const db = new DatabaseSync(join(folder, ".pointsman/pointsman.db"), { readOnly: true })
    try {
      const names = db
        .prepare(
          `select name from sqlite_schema where type = 'table' and name not in ('api_key_uses', 'success_rates')`
        )
        .all()
      return JSON.stringify(
        Object.fromEntries(names.map(({ name }) => [name, db.prepare(`select * from "${String(name)}"`).all()]))
      )
    } finally {
      db.close()
    }
  }
  /** The bytes of the database's files, free pages and the log included. */
  const bytes = (): string =>
    ["", "-wal"].map((end) => readFileSync(join(folder, `.pointsman/pointsman.db${end}`), "latin1")).join("")
  return {
    bytes,
    folder,
    pay,
    provider,
    refund,
    server,
    stored,
    erase: (...words: ReadonlyArray<string>) => runHere(folder, ["erase", "--by", "Jo", ...words])
  }
}

describe("pointsman erase", () => {
  it("an erased reference is in no table or file beside a server, nor in replays", async () => {
    const { bytes, erase, pay, provider, refund, server, stored } = await setUp()
    const first = await pay(reference, "order-erase")
    assert.strictEqual(first.status, 201, JSON.stringify(first.body))
    const other = await pay(`${reference} 2`, "order-other")
    const id: string = first.body.data.payment_id
    const refunded = await refund(id)
    assert.isBelow(refunded.status, 300, JSON.stringify(refunded.body))
    const asked = () =>
      provider.calls.filter(({ operation }) => operation === "charge" || operation === "refund").length
    assert.strictEqual(asked(), 3)
    const whole = stored()
    for (const text of [`"${reference}"`, reason]) assert.include(whole, text)
    for (const text of [reference, reason]) assert.include(bytes().replaceAll(`${reference} 2`, ""), text)

    const planned = await erase("--reference", reference, "--dry-run", "--json")
    assert.strictEqual(planned.code, 0)
    assert.deepStrictEqual(JSON.parse(stored()), JSON.parse(whole))
    const done = await erase("--reference", reference, "--json")
    assert.strictEqual(done.code, 0, done.stderr)
    assert.notInclude(done.stderr, reference)
    const { data } = documentOf(done)
    assert.deepStrictEqual({ ...data, dry_run: true }, documentOf(planned).data)
    assert.deepStrictEqual(each(data.payments, "payment_id"), [id])
    assert.deepInclude(data.payments[0], { environment: "production", refund_reasons: 1, stored_answers: 2 })

    const left = stored()
    assert.notInclude(left.replaceAll(`${reference} 2`, ""), reference)
    assert.notInclude(left, reason)
    for (const text of [reference, reason]) assert.notInclude(bytes().replaceAll(`${reference} 2`, ""), text)
    const again = await pay(reference, "order-erase")
    assert.deepStrictEqual([again.status, again.body.data.payment_id, again.body.data.reference], [201, id, null])
    assert.isBelow((await refund(id)).status, 300)
    assert.strictEqual(asked(), 3)
    const shown = await server.request("GET", `/api/v1/payments/${id}`, { key: liveKey })
    assert.deepInclude(shown.body.data, { payment_id: id, reference: null, refunded_amount: 10 })
    const kept = await server.request("GET", `/api/v1/payments/${other.body.data.payment_id}`, { key: liveKey })
    assert.strictEqual(kept.body.data.reference, `${reference} 2`)

    const none = await erase("--reference", reference)
    assert.deepStrictEqual([none.code, none.stdout], [0, "Erased: nothing.\n"])
    const refused = await erase("--reference", "")
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
  })
})
