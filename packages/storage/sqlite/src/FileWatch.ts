/**
 * Notices that the file was replaced under this process: a backup was copied over it, or moved into its place.
 *
 * From then on nothing is written: what is open is the file from before, or a mixture of both. The process keeps the newest
 * commits that it saw acknowledged in a file beside it, and who opens the file next compares.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Tenant } from "@pointsman/core"
import { NotAdmitted, type RecordLosses, type StorageCondition, StorageError } from "@pointsman/core/ports"
import {
  type Acknowledged,
  type AcknowledgedCommit,
  comparedMillis,
  missingSince,
  unknownMillis
} from "@pointsman/storage-sql"
import { Clock, Effect } from "effect"
import { versionOf } from "./Books.ts"
import { type Database, read } from "./Database.ts"

export interface FileWatch {
  /** Whether the path leads to another file than at the start. It asks the file system. */
  readonly isReplaced: () => boolean
  readonly condition: StorageCondition
}

const reason = "the database file was replaced while a server used it: restart the server"
const retryAfterMillis = 60_000

const beside = (path: string): string => `${path}-acknowledged`

/** The log is a file of its own, which belongs to the database file that it was begun with. */
const identityOf = (path: string): string =>
  [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? "none" : `${stat.dev}:${stat.ino}`))
    .join(" ")

const never: FileWatch = {
  isReplaced: () => false,
  condition: { read: Effect.succeed({ refusal: null, warnings: [] }), admit: Effect.void }
}

/** `filename`: as it was opened. */
export const watchFile = (filename: string, acknowledged: Acknowledged): FileWatch => {
  if (filename === ":memory:") return never
  const path = resolve(filename)
  const identity = identityOf(path)
  let isGone = false
  const isReplaced = () => {
    if (isGone || identityOf(path) === identity) return isGone
    isGone = true
    // Where it cannot be written, the server refuses all the same.
    try {
      writeFileSync(beside(path), JSON.stringify(acknowledged.all()), { mode: 0o600 })
    } catch {}
    return isGone
  }
  return {
    isReplaced,
    condition: {
      read: Effect.sync(() => ({ refusal: isReplaced() ? reason : null, warnings: [] })),
      admit: Effect.suspend(() =>
        // Who was admitted too early is refused by the first commit.
        isGone ? Effect.fail(new NotAdmitted({ reason, retryAfterMillis })) : Effect.void
      )
    }
  }
}

/** Compares the file with what the process before acknowledged, where it left that beside the file. */
export const checkReplaced = Effect.fnUntraced(function* (db: Database, filename: string, losses: RecordLosses) {
  const path = beside(resolve(filename))
  if (filename === ":memory:" || !existsSync(path)) return
  const text = yield* Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (cause) => new StorageError({ operation: "open", cause })
  })
  const now = yield* Clock.currentTimeMillis
  const commits = commitsOf(text)?.filter(({ at }) => at >= now - comparedMillis)
  const missing = yield* read("lostRecords", () =>
    (commits ?? []).flatMap(({ environment, paymentId, version, workspaceId }, index) => {
      const tenant = { workspaceId, environment } as Tenant
      return (versionOf(db, tenant, paymentId) ?? 0) >= version ? [] : [index]
    })
  )
  if (commits === undefined || missing.length > 0) {
    const since = commits === undefined ? now - unknownMillis : missingSince(commits, new Set(missing))
    const reason =
      commits === undefined
        ? "the database file was replaced while a server used it"
        : "the database file lacks payments that a server had acknowledged: it was replaced by an earlier copy"
    yield* losses.declare({ since, reason, declaredAt: now })
    yield* Effect.logError(
      `${reason}. Records since ${new Date(since).toISOString()} may be missing: nothing is sent to connections before ` +
        "they are recovered (pointsman recover)"
    )
  }
  rmSync(path, { force: true })
})

/** `undefined` where the process ended, or the disk was full, while it wrote them. */
const commitsOf = (text: string): ReadonlyArray<AcknowledgedCommit> | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
