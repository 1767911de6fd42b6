/**
 * A PostgreSQL that acknowledges commits before they are on its disk: the server does not start on it, `pointsman doctor`
 * says so, and a role's own settings do not weaken what the server commits.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it, onTestFinished } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import {
  environmentOn,
  newDatabase,
  postgresMissing,
  query,
  sharedPostgres,
  startPostgresServer
} from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { runServer, startServer, temporaryFolder } from "./support/ServerProcess.ts"

/** One with `fsync=off`: that of all tests, unless another one was named for them. */
const withoutFsync = async () => {
  const [row] = await query(sharedPostgres.url, "show fsync")
  if (row?.["fsync"] === "off") return sharedPostgres
  const own = await startPostgresServer()
  onTestFinished(own.stop)
  return own
}

describe.skipIf(postgresMissing !== undefined)("durability of PostgreSQL", () => {
  it("fsync=off stops a start; a role's synchronous_commit=off stays on for commits", async () => {
    const [postgres, provider] = await Promise.all([withoutFsync(), startProvider()])
    const url = new URL(await newDatabase(postgres))
    const role = `role_${randomUUID().replaceAll("-", "")}`
    await query(postgres.url, `create role ${role} login superuser`)
    onTestFinished(async () => {
      await query(postgres.url, `drop database ${url.pathname.slice(1)} with (force)`)
      await query(postgres.url, `drop role ${role}`)
    })
    await query(postgres.url, `alter role ${role} set synchronous_commit = off`)
    url.username = role
    const [setting] = await query(url.href, "show synchronous_commit")
    assert.deepStrictEqual(setting, { synchronous_commit: "off" })

    const folder = temporaryFolder()
    const environment = environmentOn(url.href)
    const strict = { ...environment, POINTSMAN_ALLOW_ASYNC_COMMIT: "false" }
    const refused = await runServer({ folder, environment: strict })
    assert.strictEqual(refused.code, 1)
    assert.include(refused.stderr, "fsync is off in the database")
    assert.notInclude(refused.stdout, "Pointsman listens")

    const server = await startServer({ folder, environment, configuration: configurationWith(connectionTo(provider)) })
    const checkup = await runHere(folder, ["doctor", "--json"], strict)
    assert.strictEqual(checkup.code, 1)
    const durability = JSON.parse(checkup.stdout).data.checks.filter(
      ({ check }: { readonly check: string }) => check === "durability"
    )
    assert.strictEqual(durability[0]?.verdict, "wrong")
    assert.match(durability[0]?.says, /^fsync is off in the database: .* POINTSMAN_ALLOW_ASYNC_COMMIT/u)

    for (const statement of [
      "create table commits_seen (setting text)",
      `create function see_commit() returns trigger language plpgsql as $$
         begin insert into commits_seen values (current_setting('synchronous_commit')); return null; end $$`,
      "create trigger see_commits after insert or update on payments for each row execute function see_commit()"
    ]) {
      await query(url.href, statement)
    }
    const { status } = await pay(server, "order-0001")
    assert.strictEqual(status, 201)
    assert.deepStrictEqual(await query(url.href, "select setting from commits_seen"), [
      { setting: "on" },
      { setting: "on" }
    ])
    await server.stop()
  })
})
