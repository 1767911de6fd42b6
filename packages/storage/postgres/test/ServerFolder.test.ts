/** Root starts the tests' server as another user, who may not be able to enter the folders of root. */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
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

describe.skipIf(leftOut !== undefined)("a server that root starts", { timeout: 60_000 }, () => {
  /** Only root may enter it. */
  let closed: string
  /** Others may enter it. */
  let open: string
  let native: string

  beforeAll(() => {
    if ("missing" in binaries) return
    closed = mkdtempSync(join(tmpdir(), "pointsman-closed-"))
    native = join(closed, "native")
    cpSync(binaries.native, native, { recursive: true, verbatimSymlinks: true })
    // Wherever a copy can be run on this machine: TMPDIR may be closed too.
    const { home } = newServerFolder(native)
    rmSync(home, { recursive: true })
    open = mkdtempSync(join(dirname(home), "pointsman-open-"))
    chmodSync(open, 0o755)
    // Copies of 60 MB, on a busy machine.
  }, 60_000)
  afterAll(() => {
    for (const folder of [closed, open]) rmSync(folder, { recursive: true, force: true })
  })

  it("given binaries below a folder that only root may enter, when several servers start at once, then each answers, again after a kill, and leaves nothing behind", async () => {
    // The control: without a copy, its user cannot run it.
    const refused = spawnSync(join(native, "bin", "initdb"), ["--version"], { ...serverUser, cwd: "/" })
    assert.include(String(refused.error), "EACCES")

    const servers = await Promise.all([1, 2, 3].map(() => startPostgres(native, { parents: [open] })))
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    for (const { url } of servers) assert.deepEqual(await answerOf(url), [{ one: 1 }])
    await servers[0]?.kill()
    await servers[0]?.restart()
    assert.deepEqual(await answerOf(servers[0]?.url ?? ""), [{ one: 1 }])
    await Promise.all(servers.map((server) => server.stop()))
    assert.deepEqual(readdirSync(open), [])
  })

  it("given binaries that its user can run, then they are not copied", () => {
    if ("missing" in binaries) return
    const reachable = join(open, "reachable")
    cpSync(binaries.native, reachable, { recursive: true, verbatimSymlinks: true })
    const folder = newServerFolder(reachable, [open])
    assert.strictEqual(folder.native, reachable)
    assert.deepEqual(readdirSync(folder.home), ["lib"])
    for (const one of [folder.home, reachable]) rmSync(one, { recursive: true })
  })

  it("given binaries that a umask keeps from everybody else, then its copy can be run", () => {
    const strict = join(open, "strict")
    mkdirSync(strict, { mode: 0o755 })
    cpSync(native, join(strict, "native"), { recursive: true, verbatimSymlinks: true })
    spawnSync("chmod", ["-R", "go-rwx", join(strict, "native")])
    const folder = newServerFolder(join(strict, "native"), [open])
    assert.strictEqual(folder.native, join(folder.home, "native"))
    for (const one of [folder.home, strict]) rmSync(one, { recursive: true })
  })

  it("given a TMPDIR that only root may enter, then the next folder is used", () => {
    const { home } = newServerFolder(native, [closed, open])
    assert.isTrue(home.startsWith(open))
    assert.deepEqual(readdirSync(closed), ["native"])
    rmSync(home, { recursive: true })
  })

  it("given no folder that its user may enter, then one line says what is wrong and what to do", async () => {
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
