/** `pointsman retention` beside a running server, on a SQLite file. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { assertRefused } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { openShop } from "./support/ShopHere.ts"

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
