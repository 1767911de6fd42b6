/** `pointsman erase` beside a running server, on a SQLite file. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { documentOf } from "./support/CommandProcess.ts"
import { pay as create } from "./support/Pay.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"

const reference = "order of Ada Lovelace"
const reason = "Ada changed her mind"

const setUp = async () => {
  const { folder, read, refund, run, server, callsOf } = await openShop()
  const database = join(folder, ".pointsman/pointsman.db")
  /** Every row of every table, as text, but for uses of keys and success rates: the server writes them beside requests. */
  const stored = (): string => {
    const db = new DatabaseSync(database, { readOnly: true })
    const names = db
      .prepare(`select name from sqlite_schema where type = 'table' and name not in ('api_key_uses', 'success_rates')`)
      .all()
    const rows = names.map(({ name }) => [name, db.prepare(`select * from "${String(name)}"`).all()])
    db.close()
    return JSON.stringify(rows)
  }
  return {
    asked: () => callsOf("charge").length + callsOf("refund").length,
    /** The bytes of the database's files, free pages and the log included. */
    bytes: (): string => ["", "-wal"].map((end) => readFileSync(`${database}${end}`, "latin1")).join(""),
    pay: (of: string, idempotencyKey: string) => create(server, idempotencyKey, { reference: of }),
    read,
    refund: (id: string) => refund(id, { amount: 10, reason }, "refund-erase"),
    stored,
    erase: (...words: ReadonlyArray<string>) => run("erase", "--by", "Jo", ...words)
  }
}

describe("pointsman erase", () => {
  it("an erased reference is in no table or file beside a server, nor in replays", async () => {
    const { asked, bytes, erase, pay, read, refund, stored } = await setUp()
    const first = await pay(reference, "order-erase")
    assert.strictEqual(first.status, 201, JSON.stringify(first.body))
    const other = await pay(`${reference} 2`, "order-other")
    const id: string = first.body.data.payment_id
    const refunded = await refund(id)
    assert.isBelow(refunded.status, 300, JSON.stringify(refunded.body))
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
    assert.deepInclude(await read(id), { payment_id: id, reference: null, refunded_amount: 10 })
    assert.strictEqual((await read(other.body.data.payment_id)).reference, `${reference} 2`)

    const none = await erase("--reference", reference)
    assert.deepStrictEqual([none.code, none.stdout], [0, "Erased: nothing.\n"])
    const refused = await erase("--reference", "")
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
  })
})
