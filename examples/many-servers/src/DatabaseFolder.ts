/**
 * The folder that the database of this program works in, and the binaries that it is started from.
 *
 * PostgreSQL refuses to run as root, so root starts it as an unprivileged user. That user may be unable to enter the folder
 * of node_modules (below /root, say) or TMPDIR. Then another folder takes the data, and a copy of the binaries: 60 MB, which
 * go away with the data.
 */
import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"

export interface DatabaseFolder {
  readonly home: string
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string
  /** `LD_LIBRARY_PATH` of the binaries. */
  readonly libraries: string
}

/** A user that every system has. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

/** Who runs the database. */
export const unprivileged = isRoot ? { uid: nobody, gid: nobody } : {}

export const newDatabaseFolder = (native: string): DatabaseFolder => {
  for (const parent of isRoot ? [tmpdir(), "/tmp", "/var/tmp"] : [tmpdir()]) {
    const home = mkdtempSync(join(parent, "pointsman-example-"))
    const folder = { home, native, libraries: linkLibraries(native, join(home, "lib")) }
    if (!isRoot) return folder
    chownSync(home, nobody, nobody)
    if (canRun(folder)) return folder
    const copy = join(home, "native")
    run(`cp -RP "$1" "$2" && chown -hR ${nobody}:${nobody} "$2"`, [native, copy])
    const copied = { home, native: copy, libraries: linkLibraries(copy, join(home, "copied")) }
    if (canRun(copied)) return copied
    rmSync(home, { recursive: true })
  }
  throw new Error(
    `Root runs PostgreSQL as user ${nobody}, who can neither run ${native} nor a copy in ${tmpdir()}, /tmp or /var/tmp. ` +
      "Run this as another user, or set DATABASE_URL to a PostgreSQL of yours."
  )
}

const canRun = ({ home, libraries, native }: DatabaseFolder): boolean => {
  try {
    const script = 'test -w "$1" && test -r "$2/share/postgresql/postgres.bki" && "$2/bin/postgres" --version'
    run(script, [home, native], { ...unprivileged, env: { LD_LIBRARY_PATH: libraries } })
    return true
  } catch {
    return false
  }
}

const run = (script: string, args: ReadonlyArray<string>, options: object = {}) =>
  execFileSync("/bin/sh", ["-c", script, "sh", ...args], { cwd: "/", stdio: "ignore", ...options })

/** npm may have installed without scripts: the names that the libraries ask for are links that a script makes. */
const linkLibraries = (native: string, folder: string): string => {
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8")
  )
  mkdirSync(folder)
  if (isRoot) chownSync(folder, nobody, nobody)
  for (const { source, target } of links) {
    const link = join(folder, basename(target))
    if (dirname(target) === "native/lib" && !existsSync(link)) symlinkSync(join(native, "lib", basename(source)), link)
  }
  return `${folder}:${join(native, "lib")}`
}
