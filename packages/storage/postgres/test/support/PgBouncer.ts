/** A PgBouncer in front of the tests' server, where this machine has one (`apt-get install pgbouncer`). */
import { spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Redacted } from "effect"
import { answers, freePort } from "./EmbeddedPostgres.ts"
import { isRoot, serverUser } from "./ServerFolder.ts"

/** Its path; `undefined` where there is none. */
export const findPgBouncer = (): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]
    .map((folder) => join(folder, "pgbouncer"))
    .find((path) => existsSync(path))

if (findPgBouncer() === undefined) {
  process.stderr.write("storage-postgres: tests with PgBouncer are left out: this machine has no pgbouncer\n")
}

export interface PgBouncerOptions {
  readonly poolMode: "session" | "transaction" | "statement"
  /** Sessions of each database and user: 100 unless set. */
  readonly poolSize?: number
  /** Whether it goes round its sessions instead of using the last one again: `false` unless set. */
  readonly roundRobin?: boolean
}

/** Our end of the pipe closes when this process ends, however it ends, and PgBouncer ends with it. */
const script = `"$@" >/dev/null 2>&1 &
pooler=$!
read -r _
kill $pooler
wait $pooler`

/** The URL of the same database, through a PgBouncer that ends with the scope. */
export const pooled = (target: Redacted.Redacted, { poolMode, poolSize = 100, roundRobin = false }: PgBouncerOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { hostname, port: serverPort, username } = new URL(Redacted.value(target))
        const folder = mkdtempSync(join(tmpdir(), "pointsman-pgbouncer-"))
        const port = await freePort()
        const settings = {
          listen_addr: "127.0.0.1",
          listen_port: port,
          unix_socket_dir: "",
          auth_type: "trust",
          auth_file: join(folder, "users.txt"),
          pool_mode: poolMode,
          max_client_conn: 200,
          default_pool_size: poolSize,
          server_round_robin: roundRobin ? 1 : 0
        }
        const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
        const databases = `[databases]\n* = host=${hostname} port=${serverPort}\n`
        const files = {
          "pgbouncer.ini": `${databases}[pgbouncer]\n${lines.join("\n")}\n`,
          "users.txt": `"${username}" ""\n`
        }
        for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
        if (isRoot) {
          const { gid = 0, uid = 0 }: { readonly gid?: number; readonly uid?: number } = serverUser
          for (const path of ["", ...Object.keys(files)]) chownSync(join(folder, path), uid, gid)
        }
        const path = findPgBouncer() ?? ""
        const shell = spawn("/bin/sh", ["-c", script, "sh", path, join(folder, "pgbouncer.ini")], {
          ...serverUser,
          cwd: folder,
          stdio: ["pipe", "ignore", "ignore"]
        })
        for (let turn = 0; !(await answers(port)); turn++) {
          if (turn === 500) throw new Error(`PgBouncer did not start on port ${port}`)
          await sleep(20)
        }
        return { folder, port, shell }
      }),
      ({ folder, shell }) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              shell.once("exit", () => {
                rmSync(folder, { recursive: true, force: true })
                resolve()
              })
              shell.stdin.end()
            })
        )
    ),
    ({ port }) => {
      const url = new URL(Redacted.value(target))
      url.hostname = "127.0.0.1"
      url.port = String(port)
      return Redacted.make(url.href)
    }
  )
