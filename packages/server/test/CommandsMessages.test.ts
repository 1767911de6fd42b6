/** `pointsman messages` beside a running server that takes messages of its provider. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay, sendSigned } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const secret = "whsec_of_main"

const setUp = async () => {
  const provider = await startProvider()
  const folder = temporaryFolder()
  const connection = { ...connectionTo(provider), webhookSecret: secret }
  const server = await startServerHere({ folder, configuration: configurationWith(connection) })
  provider.always("lookUpCharge", () => "drop")
  provider.next("charge", () => "drop")
  const made = await pay(server, "order-messages")
  assert.strictEqual(made.status, 201)
  const id: string = made.body.data.payment_id
  const database = join(folder, ".pointsman/pointsman.db")
  const inDatabase = <A>(act: (db: DatabaseSync) => A): A => {
    const db = new DatabaseSync(database)
    try {
      return act(db)
    } finally {
      db.close()
    }
  }
  const attemptId: string = made.body.data.routing.attempts[0].attempt_id
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
  const deliver = async (body: string) =>
    assert.strictEqual((await sendSigned(server, "main", secret, body)).status, 200)
  return {
    id,
    attemptId,
    charge,
    deliver,
    inDatabase,
    run: (...words: ReadonlyArray<string>) => runHere(folder, ["messages", ...words]),
    doctor: () => runHere(folder, ["doctor", "--json"]),
    status: async () =>
      (await server.request("GET", `/api/v1/payments/${id}`, { key: liveKey })).body.data.payment_status
  }
}

describe("pointsman messages", () => {
  it("messages of every kind are listed, shown and applied as they came", async () => {
    const { attemptId, charge, deliver, doctor, id, inDatabase, run, status } = await setUp()
    assert.include((await run("list")).stderr, "There is no such message.")

    const body = charge("msg_1", "att_of_nobody")
    await deliver(body)
    await deliver('{"id":"msg_2"}')
    const listed = documentOf(await run("list", "--json"))
    assert.deepStrictEqual(
      listed.data.map((one: { outcome: string; about: string }) => [one.outcome, one.about]),
      [
        ["unreadable", "unreadable"],
        ["unmatched", "charge"]
      ]
    )
    assert.deepInclude(listed.data[1], {
      connection_id: "main",
      message_id: "msg_1",
      workspace_id: "acme",
      environment: "production",
      subject_id: "att_of_nobody",
      payment_id: null,
      written_at: "2026-11-21T12:00:00.000Z"
    })
    const { checks } = JSON.parse((await doctor()).stdout).data
    assert.deepInclude(checks, {
      check: "messages",
      verdict: "warning",
      says: "1 unreadable, 1 unmatched in the last 7 days: see `pointsman messages list --outcome unreadable`"
    })
    assert.match(listed.data[0].message_id, /^sha256:[0-9a-f]{64}$/u)
    assert.notInclude(JSON.stringify(listed.data[0].reason), "msg_2")

    // By page, and by filter.
    const first = documentOf(await run("list", "--limit", "1", "--json"))
    assert.isTrue(first.has_more)
    const rest = documentOf(await run("list", "--limit", "1", "--before", first.next_cursor, "--json"))
    assert.deepStrictEqual([rest.data[0].message_id, rest.next_cursor], ["msg_1", null])
    assert.strictEqual((await run("list", "--before", "nonsense")).code, 1)
    const text = await run("list", "--outcome", "unmatched", "--workspace", "acme", "--environment", "production")
    assert.include(text.stdout, "msg_1")
    assert.notInclude(text.stdout, "sha256:")

    const shown = documentOf(await run("show", "main", "msg_1", "--json")).data
    assert.strictEqual(shown.body, body)
    // The database alone shows nobody what a provider wrote.
    const kept = inDatabase((db) =>
      String(db.prepare("select body from messages where event_id = 'msg_1'").get()?.["body"])
    )
    assert.notInclude(kept, "att_of_nobody")
    const missing = await run("show", "main", "msg_3")
    assert.deepStrictEqual([missing.code, missing.stdout], [1, ""])
    assert.include(missing.stderr, 'Connection "main" has no message "msg_3".')

    // As an older reader left it: what it could not read is read now.
    assert.strictEqual(await status(), "UNKNOWN")
    inDatabase((db) =>
      db
        .prepare(`insert into messages (workspace_id, environment, connection_id, event_id, about, subject_id, outcome, reason,
            written_at, received_at, body, is_sealed)
          values ('acme', 'production', 'main', 'sha256:0', 'unreadable', '', 'unreadable', 'at data', 1, 1, ?, 0)`)
        .run(charge("msg_4", attemptId))
    )
    const applied = documentOf(await run("apply", "main", "sha256:0", "--json")).data
    assert.deepInclude(applied, { outcome: "applied", reason: null, about: "charge", payment_id: id })
    assert.strictEqual(await status(), "CAPTURED")
    const again = await run("apply", "main", "sha256:0")
    assert.strictEqual(again.code, 1)
    assert.include(again.stderr, "Nothing was applied: it was applied already.")
    const still = await run("apply", "main", listed.data[0].message_id)
    assert.deepStrictEqual([still.code, still.stdout], [1, ""])
    assert.include(still.stderr, "Nothing was applied: it cannot be read")
    assert.include((await run("apply", "main", "msg_1")).stdout, "unmatched")
    assert.strictEqual(documentOf(await run("list", "--payment", id, "--json")).data.length, 1)
  })
})
