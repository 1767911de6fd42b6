/** The audit trail: who did what by command line and configuration, and what `audit verify` detects. */
import { cpSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, type CommandEnd, documentOf } from "./support/CommandProcess.ts"
import { liveKey } from "./support/Configurations.ts"
import { environmentOn, newDatabase, postgresMissing, query, sharedPostgres } from "./support/PostgresServer.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const configuration = {
  workspaces: [{ id: "acme", keys: [{ environment: "production", secret: liveKey }] }, { id: "globex" }]
}

const createKey = ["keys", "create", "--workspace", "acme", "--environment", "sandbox"]

interface Entry {
  readonly number: number
  readonly actor: string
  readonly via: string
  readonly action: string
  readonly subject: string
  readonly details: { readonly hash?: string; readonly revoked_keys?: ReadonlyArray<string> }
}

interface Trail {
  readonly run: (...words: ReadonlyArray<string>) => Promise<CommandEnd>
  /** A statement of somebody who may change the database, with the triggers out of the way. */
  readonly tamper: (statement: string) => Promise<void>
  readonly copy: () => Promise<Trail>
}

const verifies = async ({ run }: Trail, ...flags: ReadonlyArray<string>) => {
  const { code, stdout } = await run("audit", "verify", ...flags)
  return `${code} ${stdout.trim().replace(/:[0-9a-f]{64}$/u, "")}`
}

const columns = "number, at, actor, via, action, subject, details, previous, hash"
const faults: ReadonlyArray<readonly [name: string, statements: ReadonlyArray<string>, says: string]> = [
  ["changed", ["update audit_entries set actor = 'Eve' where number = 3"], "1 Entry 3 was changed."],
  ["deleted", ["delete from audit_entries where number = 2"], "1 Entry 2 is missing: it was deleted."],
  [
    "inserted",
    [
      "update audit_entries set number = 5 where number = 4",
      `insert into audit_entries (${columns})
        select 4, at, actor, via, action, subject, details, previous, hash from audit_entries where number = 3`
    ],
    "1 Entry 4 was changed."
  ]
]

const checkFaults = async (whole: Trail) => {
  assert.strictEqual(await verifies(whole), "0 4 entries intact. Last: 4")
  for (const [name, statements, says] of faults) {
    const trail = await whole.copy()
    for (const statement of statements) await trail.tamper(statement)
    assert.strictEqual(await verifies(trail), says, name)
  }
  const trail = await whole.copy()
  const { last } = documentOf(await trail.run("audit", "verify", "--json")).data
  await trail.tamper("delete from audit_entries where number = 4")
  assert.strictEqual(await verifies(trail), "0 3 entries intact. Last: 3")
  assert.strictEqual(await verifies(trail, "--expect", last), "1 Entry 4 is missing: it was deleted.")
}

const trailIn = (folder: string): Trail => ({
  run: (...words) => runHere(folder, words),
  copy: async () => {
    const copy = temporaryFolder()
    cpSync(folder, copy, { recursive: true })
    return trailIn(copy)
  },
  tamper: async (statement) => {
    const db = new DatabaseSync(join(folder, ".pointsman", "pointsman.db"))
    assert.throws(() => db.exec("update audit_entries set actor = 'Eve'"), /only added/u)
    db.exec("drop trigger audit_entries_keep_update; drop trigger audit_entries_keep_delete")
    db.exec(statement)
    // For the next statement.
    for (const change of ["update", "delete"]) {
      db.exec(`create trigger audit_entries_keep_${change} before ${change} on audit_entries
        begin select raise(abort, 'entries of the audit trail are only added'); end`)
    }
    db.close()
  }
})

const trailOn = (url: string, folder: string): Trail => ({
  run: (...words) => runHere(folder, words, environmentOn(url)),
  copy: async () => trailOn(await newDatabase(sharedPostgres, new URL(url).pathname.slice(1)), folder),
  tamper: async (statement) => {
    await query(url, "alter table audit_entries disable trigger all")
    await query(url, statement)
    await query(url, "alter table audit_entries enable trigger all")
  }
})

/** The configuration that a server started with, and three keys: four entries. */
const fill = async (folder: string, trail: Trail, environment = {}) => {
  const server = await startServerHere({ folder, configuration, environment })
  for (const name of ["one", "two", "three"]) {
    const made = await trail.run(...createKey, "--name", name, "--by", "Ada Lovelace")
    assert.deepStrictEqual([made.code, made.stderr.split("\n").length], [0, 2])
  }
  await server.stop()
  return trail
}

describe("the audit trail", () => {
  const openSqlite = async (folder = temporaryFolder()) => fill(folder, trailIn(folder))
  const openPostgres = async () => {
    const [url, folder] = [await newDatabase(), temporaryFolder()]
    return fill(folder, trailOn(url, folder), environmentOn(url))
  }

  for (const [database, open] of Object.entries({ SQLite: openSqlite, PostgreSQL: openPostgres })) {
    it.skipIf(database === "PostgreSQL" && postgresMissing !== undefined)(
      `verify names the first entry changed, deleted or inserted in ${database}`,
      async () => checkFaults(await open())
    )
  }

  it("no key is created and no loss accepted if the trail cannot be written", async () => {
    const { run, tamper } = await openSqlite()
    const keys = async () => documentOf(await run("keys", "list", "--json")).data.length
    const before = await keys()
    await tamper(
      "create trigger refuse before insert on audit_entries begin select raise(abort, 'the trail is full'); end"
    )
    for (const words of [createKey, ["recover", "--accept-loss"]])
      assertRefused(await run(...words), "the trail is full")
    assert.strictEqual(await keys(), before)
  })

  it("the trail says who did what on a server and by commands, without secrets", async () => {
    const folder = temporaryFolder()
    const server = await startServerHere({ folder, configuration })
    const { run } = trailIn(folder)
    const made = documentOf(await run(...createKey, "--by", "Ada", "--json")).data
    await run("keys", "revoke", made.id)
    const next = join(folder, "next.json")
    writeFileSync(next, JSON.stringify({ workspaces: [{ id: "acme", name: "Acme" }, { id: "globex" }] }))
    documentOf(await run("config", "apply", next, "--by", "Grace", "--json"))
    await run("erase", "--reference", "nobody's order", "--workspace", "acme", "--by", "Jo", "--dry-run")
    await run("erase", "--reference", "nobody's order", "--workspace", "acme", "--environment", "sandbox", "--by", "Jo")
    await run("keys", "rotate-encryption")
    const listed = await run("audit", "list", "--json")
    const entries: ReadonlyArray<Entry> = documentOf(listed).data
    const hash = entries[0]?.details.hash
    assert.deepStrictEqual(
      entries.map(({ action, actor, number, via }) => [number, actor, via, action]),
      [
        [1, `configuration ${hash}`, "configuration", "configuration.applied"],
        [2, "Ada", "command", "key.created"],
        [3, userInfo().username, "command", "key.revoked"],
        [4, "Grace", "command", "configuration.applied"],
        [5, "Jo", "command", "payments.erasing"],
        [6, userInfo().username, "command", "encryption.rotating"]
      ]
    )
    assert.strictEqual(entries[1]?.subject, made.id)
    assert.lengthOf(entries[3]?.details.revoked_keys ?? [], 1)
    for (const secret of [made.key, liveKey, "nobody's order"]) assert.notInclude(listed.stdout, secret)
    assert.match(server.stderr(), /message=audit .*action=configuration\.applied/u)
  })
})
