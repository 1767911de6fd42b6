/** Root starts the tests' server as another user, who may not be able to enter the folders of root. */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { findBinaries, startPostgres } from "./support/EmbeddedPostgres.ts"
import { isRoot, newServerFolder, serverUser } from "./support/ServerFolder.ts"

const binaries = findBinaries()
const leftOut = isRoot ? ("missing" in binaries ? binaries.missing : undefined) : "only root runs it as another user"
if (leftOut !== undefined) {
  process.stderr.write(`storage-postgres: the server below a folder of root's is skipped: ${leftOut}\n`)
}

const answerOf = (url: string) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 1 }).pipe(
    Effect.flatMap((sql) => sql.unsafe("select 1 as one")),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

describe.skipIf(leftOut !== undefined)("a server that root starts", () => {
  /** Others may enter it. */
  let open: string
  /** Only root may enter it, unless a test opens it. */
  let closed: string
  let native: string

  beforeAll(() => {
    if ("missing" in binaries) return
    // Wherever the server's user can work on this machine: TMPDIR may be closed too.
    const { home } = newServerFolder(binaries.native)
    rmSync(home, { recursive: true })
    open = mkdtempSync(join(dirname(home), "pointsman-open-"))
    chmodSync(open, 0o755)
    closed = join(open, "closed")
    mkdirSync(closed, { mode: 0o700 })
    native = join(closed, "native")
    cpSync(binaries.native, native, { recursive: true, verbatimSymlinks: true })
    // Copies of 60 MB, on a busy machine.
  }, 60_000)
  afterAll(() => {
    if (open !== undefined) rmSync(open, { recursive: true, force: true })
  })

  /** Until the end of the test, others may run the binaries where they are. */
  const openBinaries = () => {
    chmodSync(closed, 0o755)
    onTestFinished(() => chmodSync(closed, 0o700))
  }

  it("binaries in a folder of root answer several starts, again after a kill, cleanly", async () => {
    // The control: without a copy, its user cannot run it.
    const refused = spawnSync(join(native, "bin", "initdb"), ["--version"], { ...serverUser, cwd: "/" })
    assert.include(String(refused.error), "EACCES")

    const servers = await Promise.all([1, 2].map(() => startPostgres(native, { parents: [open] })))
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    for (const { url } of servers) assert.deepEqual(await answerOf(url), [{ one: 1 }])
    await servers[0]?.kill()
    await servers[0]?.restart()
    assert.deepEqual(await answerOf(servers[0]?.url ?? ""), [{ one: 1 }])
    await Promise.all(servers.map((server) => server.stop()))
    assert.deepEqual(readdirSync(open), ["closed"])
  })

  it("binaries that the user can run are not copied", () => {
    openBinaries()
    const folder = newServerFolder(native, [open])
    assert.strictEqual(folder.native, native)
    assert.deepEqual(readdirSync(folder.home), ["lib"])
    rmSync(folder.home, { recursive: true })
  })

  it("the next folder is used if only root may enter TMPDIR", () => {
    openBinaries()
    const entered = join(open, "private")
    mkdirSync(entered, { mode: 0o700 })
    const { home } = newServerFolder(native, [entered, open])
    assert.strictEqual(dirname(home), open)
    assert.deepEqual(readdirSync(entered), [])
    for (const one of [home, entered]) rmSync(one, { recursive: true })
  })

  it("a copy of binaries that a umask keeps from others can be run", () => {
    openBinaries()
    spawnSync("chmod", ["-R", "go-rwx", native])
    onTestFinished(() => void spawnSync("chmod", ["-R", "go+rX", native]))
    const folder = newServerFolder(native, [open])
    assert.strictEqual(folder.native, join(folder.home, "native"))
    rmSync(folder.home, { recursive: true })
  })

  it("one line says what is wrong and what to do without a folder for the user", async () => {
    const missing = join(closed, "missing")
    const failure = await startPostgres(native, { parents: [closed, missing] }).then(
      () => "started",
      (cause: Error) => cause.message
    )
    assert.strictEqual(
      failure,
      `PostgreSQL cannot be started as root here: user 65534, who runs it, can neither run ${native}/bin nor a copy in ` +
        `${closed} (user 65534 cannot enter it) or ${missing} (ENOENT: no such file or directory, mkdtemp ` +
        `'${missing}/pointsman-postgres-XXXXXX'). Set TMPDIR to a folder that every user can enter and run programs in, ` +
        "run as another user than root, or set DATABASE_URL to a server of yours."
    )
    assert.isFalse(existsSync(missing))
    assert.deepEqual(readdirSync(closed), ["native"])
  })
})
