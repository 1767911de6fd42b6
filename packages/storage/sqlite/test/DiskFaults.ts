/**
 * A disk that fails on demand, below a process of the tests. SQLite is linked into Node, and `node:sqlite` has no hook
 * below it, so a few lines of C (DiskFaults.c) are compiled into a temporary folder and preloaded under the process.
 *
 * ```ts
 * const disk = diskFaults(join(folder, "pointsman.db"))
 * // start a process with `disk.environment`
 * disk.fail({ call: "sync", file: "-wal", code: "broken" })
 * disk.heal()
 * ```
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface DiskFault {
  /** `write` includes the change of a file's length. */
  readonly call: "write" | "sync" | "any"
  /** What comes after the database's path; `-`: the database itself, `*`: any of them. */
  readonly file: "-" | "-wal" | "-shm" | "*"
  readonly code: keyof typeof codes
  /** How many such calls go well first; none unless set. */
  readonly after?: number
  /** How many fail then; all unless set. */
  readonly times?: number
  /** A sync that fails takes back what was written since the last one, as some kernels do. */
  readonly isLost?: boolean
}

const codes = { full: constants.errno.ENOSPC, broken: constants.errno.EIO } as const

export interface DiskFaults {
  /** For the environment of the process whose disk it is. */
  readonly environment: Readonly<Record<string, string>>
  /** From now on, instead of what was to fail so far. */
  readonly fail: (fault: DiskFault) => void
  readonly heal: () => void
  /** `sync -wal`: what has failed since this was asked last. */
  readonly failed: () => ReadonlyArray<string>
}

let library: { readonly path: string } | { readonly missing: string } | undefined

const compile = () => {
  if (process.platform !== "linux")
    return { missing: `the disk of a process cannot be replaced on ${process.platform}` }
  const folder = mkdtempSync(join(tmpdir(), "pointsman-disk-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "disk.so")
  const source = fileURLToPath(new URL("DiskFaults.c", import.meta.url))
  const { error, status, stderr } = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", path, source, "-ldl", "-pthread"])
  if (error !== undefined) return { missing: "there is no C compiler (cc) on this machine" }
  return status === 0 ? { path } : { missing: `the C compiler (cc) failed: ${String(stderr)}` }
}

const compiled = () => {
  library ??= compile()
  return library
}

/** Why this machine cannot do it, for the name of a test that is skipped; `undefined` where it can. */
export const diskFaultsMissing = (): string | undefined => {
  const made = compiled()
  return "missing" in made ? made.missing : undefined
}

let serial = 0

/** For the process that has this database, whose folder is there. The control lies beside it. */
export const diskFaults = (database: string): DiskFaults => {
  const made = compiled()
  if ("missing" in made) throw new Error(made.missing)
  // The files that are open show their real path.
  const folder = realpathSync(dirname(database))
  const control = join(folder, "disk-faults")
  const told = `${control}.failed`
  return {
    environment: {
      LD_PRELOAD: made.path,
      DISK_FAULTS_DATABASE: join(folder, basename(database)),
      DISK_FAULTS_CONTROL: control
    },
    fail: ({ call, file, code, after = 0, times = -1, isLost = false }) => {
      serial += 1
      // In one step: the process reads it at every call.
      writeFileSync(
        `${control}.new`,
        `${serial} ${call} ${file} ${codes[code]} ${after} ${times} ${isLost ? "lost" : "kept"}`
      )
      renameSync(`${control}.new`, control)
    },
    heal: () => rmSync(control, { force: true }),
    failed: () => {
      const lines = existsSync(told) ? readFileSync(told, "utf8").split("\n").slice(0, -1) : []
      rmSync(told, { force: true })
      return lines
    }
  }
}
