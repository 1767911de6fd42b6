/** `pointsman retention` beside a running server, on a SQLite file. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

describe("pointsman retention", () => {
  it("an old message's body leaves by retention, as status and a dry run said", async () => {
    const folder = temporaryFolder()
    const workspace = workspaceWith([connectionTo(await startProvider())])
    await startServerHere({
      folder,
      configuration: {
        retention: { payments: "10 years" },
        workspaces: [{ ...workspace, retention: { deliveries: "off" } }]
      }
    })
    const db = new DatabaseSync(join(folder, ".pointsman/pointsman.db"))
    db.prepare(`insert into messages (workspace_id, environment, connection_id, event_id, about, subject_id, outcome,
        written_at, received_at, body, is_sealed)
      values (?, 'production', 'first', 'msg_1', 'charge', 'att_1', 'applied', 1, 1, 'the body', 0)`).run(workspace.id)
    const bodyOf = () => db.prepare("select body from messages").get()?.["body"]
    const run = (...words: ReadonlyArray<string>) => runHere(folder, ["retention", ...words, "--json"])

    for (const words of [["status"], ["run", "--dry-run"]]) {
      const { data } = documentOf(await run(...words))
      assert.deepStrictEqual(data.tenants[1], {
        workspace_id: workspace.id,
        environment: "production",
        retention: { payments: "10 years", deliveries: "off", messages: "90 days" },
        payments: 0,
        deliveries: 0,
        message_bodies: 1,
        kept: {},
        oldest_payment: null,
        oldest_delivery: null,
        oldest_message_body: "1970-01-01T00:00:00.001Z"
      })
      assert.isTrue(data.dry_run)
      assert.strictEqual(bodyOf(), "the body")
    }
    const refused = await run("run", "--by", "Jo")
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stderr, /\(--config\): expected .* field `archive`.* or --without-archive/u)
    assert.strictEqual(bodyOf(), "the body")
    const { data } = documentOf(await run("run", "--without-archive", "--by", "Jo"))
    assert.strictEqual(data.tenants[1].message_bodies, 1)
    assert.isNull(data.tenants[1].oldest_message_body)
    assert.strictEqual(bodyOf(), "")
    const audit = documentOf(await runHere(folder, ["audit", "list", "--json"])).data
    assert.include(JSON.stringify(audit), "retention.sweeping")
    const unknown = await run("status", "--workspace", "nobody")
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "--workspace: expected one of")
    db.close()
  })
})
