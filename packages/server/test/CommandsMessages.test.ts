/** `pointsman messages` beside a running server that takes messages of its provider. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { sendSigned } from "./support/Pay.ts"
import { openShop } from "./support/ShopHere.ts"

const secret = "whsec_of_main"

const charge = (eventId: string, attempt: string) =>
  JSON.stringify({
    id: eventId,
    type: "charge.updated",
    created: "2026-11-21T12:00:00Z",
    data: {
      attempt_id: attempt,
      provider_reference: "ch_1",
      status: "captured",
      captured_amount: 1999,
      currency: "EUR"
    }
  })

describe("pointsman messages", () => {
  it("messages of every kind are listed, shown and applied as they came", async () => {
    const { callsOf, create, data, folder, provider, read, run, server } = await openShop({
      configured: (provider) => {
        const connection = { ...connectionTo(provider), webhookSecret: secret }
        return configurationWith(connection)
      }
    })
    const messages = (...words: ReadonlyArray<string>) => run("messages", ...words)
    const deliver = async (body: string) =>
      assert.strictEqual((await sendSigned(server, "main", secret, body)).status, 200)
    provider.always("lookUpCharge", () => "drop")
    provider.next("charge", () => "drop")
    const id = await create("messages")
    assert.include((await messages("list")).stderr, "There is no such message.")

    const body = charge("msg_1", "att_of_nobody")
    await deliver(body)
    await deliver('{"id":"msg_2"}')
    const [unreadable, unmatched, ...others] = await data("messages", "list")
    assert.deepStrictEqual(others, [])
    assert.deepInclude(unreadable, { outcome: "unreadable", about: "unreadable" })
    assert.match(unreadable.message_id, /^sha256:[0-9a-f]{64}$/u)
    assert.notInclude(JSON.stringify(unreadable.reason), "msg_2")
    assert.deepInclude(unmatched, {
      connection_id: "main",
      message_id: "msg_1",
      workspace_id: "acme",
      environment: "production",
      outcome: "unmatched",
      about: "charge",
      subject_id: "att_of_nobody",
      payment_id: null,
      written_at: "2026-11-21T12:00:00.000Z"
    })
    const doctor = JSON.parse((await run("doctor", "--json")).stdout).data
    assert.deepInclude(doctor.checks, {
      check: "messages",
      verdict: "warning",
      says: "1 unreadable, 1 unmatched in the last 7 days: see `pointsman messages list --outcome unreadable`"
    })

    // By page, and by filter.
    const first = documentOf(await messages("list", "--limit", "1", "--json"))
    assert.isTrue(first.has_more)
    const rest = documentOf(await messages("list", "--limit", "1", "--before", first.next_cursor, "--json"))
    assert.deepStrictEqual([rest.data[0].message_id, rest.next_cursor], ["msg_1", null])
    assert.strictEqual((await messages("list", "--before", "nonsense")).code, 1)
    const text = await messages("list", "--outcome", "unmatched", "--workspace", "acme", "--environment", "production")
    assert.include(text.stdout, "msg_1")
    assert.notInclude(text.stdout, "sha256:")

    assert.strictEqual((await data("messages", "show", "main", "msg_1")).body, body)
    assertRefused(await messages("show", "main", "msg_3"), 'Connection "main" has no message "msg_3".')

    // As an older reader left it: what it could not read is read now.
    assert.strictEqual((await read(id)).status, "UNKNOWN")
    const db = new DatabaseSync(join(folder, ".pointsman/pointsman.db"))
    // The database alone shows nobody what a provider wrote.
    const kept = db.prepare("select body from messages where event_id = 'msg_1'").get()
    assert.notInclude(String(kept?.["body"]), "att_of_nobody")
    db.prepare(`insert into messages (workspace_id, environment, connection_id, event_id, about, subject_id, outcome, reason,
        written_at, received_at, body, is_sealed)
      values ('acme', 'production', 'main', 'sha256:0', 'unreadable', '', 'unreadable', 'at data', 1, 1, ?, 0)`).run(
      charge("msg_4", callsOf("charge")[0]?.body.attempt_id)
    )
    db.close()
    const applied = await data("messages", "apply", "main", "sha256:0")
    assert.deepInclude(applied, { outcome: "applied", reason: null, about: "charge", payment_id: id })
    assert.strictEqual((await read(id)).status, "CAPTURED")
    assertRefused(await messages("apply", "main", "sha256:0"), "Nothing was applied: it was applied already.")
    assertRefused(await messages("apply", "main", unreadable.message_id), "Nothing was applied: it cannot be read")
    assert.include((await messages("apply", "main", "msg_1")).stdout, "unmatched")
    assert.lengthOf(await data("messages", "list", "--payment", id), 1)
  })
})
