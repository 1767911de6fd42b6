/** `pointsman erase` and `pointsman retention` beside a running server: what leaves its SQLite file. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
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
    assertRefused(await erase("--reference", ""), "--reference")
  })
})

describe("pointsman retention", () => {
  it("an old message's body leaves by retention, as status and a dry run said", async () => {
    const { data, folder, run } = await openShop({
      configured: (provider) => ({
        retention: { payments: "10 years" },
        workspaces: [{ ...workspaceWith([connectionTo(provider)]), retention: { deliveries: "off" } }]
      })
    })
    const db = new DatabaseSync(join(folder, ".pointsman/pointsman.db"))
    db.exec(`insert into messages (workspace_id, environment, connection_id, event_id, about, subject_id, outcome,
        written_at, received_at, body, is_sealed)
      values ('acme', 'production', 'first', 'msg_1', 'charge', 'att_1', 'applied', 1, 1, 'the body', 0)`)
    const bodyOf = () => db.prepare("select body from messages").get()?.["body"]
    const nothing = { payments: 0, deliveries: 0, kept: {}, oldest_payment: null, oldest_delivery: null }
    for (const words of [["status"], ["run", "--dry-run"]]) {
      const { dry_run, tenants } = await data("retention", ...words)
      assert.deepStrictEqual(tenants[1], {
        ...nothing,
        workspace_id: "acme",
        environment: "production",
        retention: { payments: "10 years", deliveries: "off", messages: "90 days" },
        message_bodies: 1,
        oldest_message_body: "1970-01-01T00:00:00.001Z"
      })
      assert.isTrue(dry_run)
      assert.strictEqual(bodyOf(), "the body")
    }
    const refused = await run("retention", "run", "--by", "Jo")
    assertRefused(refused, /\(--config\): expected .* field `archive`.* or --without-archive/u)
    assert.strictEqual(bodyOf(), "the body")
    const { tenants } = await data("retention", "run", "--without-archive", "--by", "Jo")
    assert.deepInclude(tenants[1], { message_bodies: 1, oldest_message_body: null })
    assert.strictEqual(bodyOf(), "")
    assert.include(JSON.stringify(await data("audit", "list")), "retention.sweeping")
    assertRefused(await run("retention", "status", "--workspace", "nobody"), "--workspace: expected one of")
    db.close()
  })
})
