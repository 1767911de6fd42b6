/**
 * Where a PostgreSQL server of the tests keeps its data, and the binaries that it is started from.
 *
 * PostgreSQL refuses to run as root, so root starts it as another user. That user may be unable to enter the folder of
 * `node_modules`, below `/root` for example, or the folder that TMPDIR names. Then the data go to another folder, and the
 * binaries are copied into it: 60 MB, which are removed with the data. A copy belongs to one server, so that servers which
 * start or stop at the same time need no agreement.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"

/** An unprivileged user that every system has. */
const nobody = 65_534

export const isRoot = process.getuid?.() === 0

/** Who runs the server. */
export const serverUser = isRoot ? { uid: nobody, gid: nobody } : {}

export interface ServerFolder {
  readonly home: string
  /** The folder with `bin`, `lib` and `share`, which the server's user can reach. */
  readonly native: string
  /** `LD_LIBRARY_PATH` of the binaries. */
  readonly libraries: string
}

/** The second and third are on every system; a private TMPDIR comes before them. */
const temporaryFolders = (): ReadonlyArray<string> => (isRoot ? [tmpdir(), "/tmp", "/var/tmp"] : [tmpdir()])

/** Makes a new folder. Throws one sentence that says what to do when the server's user can run the server in none. */
export const newServerFolder = (native: string, parents = temporaryFolders()): ServerFolder => {
  const refusals: Array<string> = []
  for (const parent of new Set(parents)) {
    const made = newFolderIn(parent, native)
    if (typeof made !== "string") return made
    refusals.push(`${parent} (${made})`)
  }
  throw new Error(
    `PostgreSQL cannot be started as root here: user ${nobody}, who runs it, can neither run ${join(native, "bin")} nor ` +
      `a copy in ${refusals.join(" or ")}. Set TMPDIR to a folder that every user can enter and run programs in, run as ` +
      "another user than root, or set DATABASE_URL to a server of yours."
  )
}

/** The folder, or what is in its way. */
const newFolderIn = (parent: string, native: string): ServerFolder | string => {
  let home: string | undefined
  try {
    home = mkdtempSync(join(parent, "pointsman-postgres-"))
    chmodSync(home, 0o700)
    const inPlace = { home, native, libraries: linkLibraries(native, join(home, "lib")) }
    if (!isRoot) return inPlace
    chownSync(home, nobody, nobody)
    if (asServerUser('test -w "$1"', [home]) !== undefined) throw new Error(`user ${nobody} cannot enter it`)
    if (refusalToRun(inPlace) === undefined) return inPlace
    const copied = copyInto(home, native)
    const refusal = refusalToRun(copied)
    if (refusal === undefined) return copied
    throw new Error(refusal)
  } catch (cause) {
    if (home !== undefined) rmSync(home, { recursive: true, force: true })
    return cause instanceof Error ? lastLine(cause.message) : String(cause)
  }
}

const copyInto = (home: string, native: string): ServerFolder => {
  const copy = join(home, "native")
  // They become the server user's own: it removes them, and a umask of root's may have kept them from everybody else.
  const script = `cp -RP "$1" "$2" && chown -hR ${nobody}:${nobody} "$2"`
  execFileSync("/bin/sh", ["-c", script, "sh", native, copy], { stdio: ["ignore", "ignore", "pipe"] })
  rmSync(join(home, "lib"), { recursive: true })
  return { home, native: copy, libraries: linkLibraries(copy, join(home, "lib")) }
}

/** What the system says when the server's user runs the binaries; `undefined` when they run. */
const refusalToRun = ({ libraries, native }: ServerFolder): string | undefined =>
  asServerUser(
    // A system's package keeps `share` elsewhere.
    '{ [ ! -e "$1/share" ] || test -r "$1/share/postgresql/postgres.bki"; } && "$1/bin/initdb" --version && "$1/bin/postgres" --version',
    [native],
    { LD_LIBRARY_PATH: libraries }
  )

const asServerUser = (script: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): string | undefined => {
  const { error, status, stderr } = spawnSync("/bin/sh", ["-c", script, "sh", ...args], {
    ...serverUser,
    cwd: "/",
    env: { ...process.env, LC_ALL: "C", ...env },
    encoding: "utf8"
  })
  return status === 0 ? undefined : lastLine(error?.message ?? stderr) || `status ${status}`
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? ""

/** npm may have installed without scripts: the names that the libraries ask for are links that a script makes. */
const linkLibraries = (native: string, folder: string): string => {
  const list = join(native, "pg-symlinks.json")
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = existsSync(list)
    ? JSON.parse(readFileSync(list, "utf8"))
    : []
  mkdirSync(folder)
  if (isRoot) chownSync(folder, nobody, nobody)
  for (const { source, target } of links) {
    if (dirname(target) !== "native/lib") continue
    const link = join(folder, basename(target))
    // The copy of the binaries has another name than the folder that the list speaks of.
    if (!existsSync(link)) symlinkSync(join(native, source.slice("native/".length)), link)
  }
  return `${folder}:${join(native, "lib")}`
}
