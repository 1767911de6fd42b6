/**
 * Workspaces, keys, connections and routing in SQLite. They are read on every request, so reads are served from a
 * copy in the process, which is dropped as soon as anyone writes: `PRAGMA data_version` shows every other
 * connection's commit at next to no cost. A revoked key is therefore seen at the very next read.
 */
import type { SQLInputValue } from "node:sqlite"
import type { Workspace } from "@pointsman/core"
import {
  type ConfigurationChange,
  type Directory,
  type DirectoryContents,
  type DirectoryState,
  logEntry,
  type StorageError
} from "@pointsman/core/ports"
import {
  bindAccount,
  bindJson,
  type DirectoryTable,
  makeDirectory,
  readConfiguration,
  recordAccountText,
  replaceEndpointSecretText,
  replaceKeyUse,
  type Snapshot,
  snapshotOf,
  valuesOf
} from "@pointsman/storage-sql"
import { Clock, Effect } from "effect"
import { append } from "./Audit.ts"
import { type Database, read, snapshot, update } from "./Database.ts"
import { bindTenant, bindText, insertInto, rows, upsertInto } from "./Rows.ts"

export interface KeptDirectory {
  readonly directory: Directory["Service"]
  /** Drops the copy, after another part wrote on this connection: `data_version` shows only other connections. */
  readonly forget: () => void
}

export const make = (db: Database): KeptDirectory => {
  let kept: { readonly snapshot: Snapshot; readonly dataVersion: unknown } | undefined

  const current = (operation: string): Effect.Effect<Snapshot, StorageError> =>
    read(operation, () => {
      // Asked before the tables are read: a write in between makes the copy newer than its version, and the next
      // read loads it again.
      const dataVersion = db.prepare("PRAGMA data_version").get()?.["data_version"]
      if (kept === undefined || kept.dataVersion !== dataVersion) {
        kept = { snapshot: snapshotOf(snapshot(db, () => readState(db))), dataVersion }
      }
      return kept.snapshot
    })

  const forget = () => {
    kept = undefined
  }

  const writing = <A>(operation: string, body: (now: number) => A): Effect.Effect<A, StorageError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.ensuring(
        update(db, operation, () => body(now)),
        Effect.sync(forget)
      )
    )
  const directory = makeDirectory(current, {
    write: (contents, audit) =>
      Effect.flatMap(
        writing("write", (now) => {
          writeContents(db, contents, now)
          return audit && append(db, audit)
        }),
        (entry) => (entry === undefined ? Effect.void : logEntry(entry))
      ),
    apply: (change) =>
      Effect.flatMap(
        writing("apply", (now) => {
          const isApplied = apply(db, change, now)
          return { isApplied, entry: isApplied && change.audit ? append(db, change.audit) : undefined }
        }),
        ({ entry, isApplied }) => Effect.as(entry === undefined ? Effect.void : logEntry(entry), isApplied)
      ),
    replaceEndpointSecret: (expectedSealed, { id, rotation, sealedPreviousSecret, sealedSecret }, audit) =>
      Effect.flatMap(
        writing("replaceEndpointSecret", () => {
          const previous = sealedPreviousSecret == null ? null : bindText(sealedPreviousSecret)
          const { changes } = db
            .prepare(replaceEndpointSecretText("?1", "?2", "?3", "?4", "?5"))
            .run(bindText(sealedSecret), previous, bindJson(rotation ?? null), bindText(id), bindText(expectedSealed))
          return changes === 1 ? append(db, audit) : undefined
        }),
        (entry) => (entry === undefined ? Effect.succeed(false) : Effect.as(logEntry(entry), true))
      ),
    recordAccount: ({ account, at, connectionId, sealedCredentials }) =>
      writing("recordAccount", () => {
        const values = [bindAccount(account), at, bindText(connectionId), bindText(sealedCredentials)]
        db.prepare(recordAccountText("?1", "?2", "?3", "?4")).run(...values)
      }),
    recordKeyUses: (uses) =>
      update(db, "recordKeyUses", () => {
        const record = db.prepare(`insert into api_key_uses (hash, used_at) values (?, ?) ${replaceKeyUse}`)
        for (const { at, hash } of uses) record.run(hash, at)
      }),
    keyUses: read("keyUses", () => {
      const found = db.prepare("select hash, used_at from api_key_uses").all()
      return new Map(found.map((row) => [row["hash"] as string, row["used_at"] as number]))
    })
  })
  return { directory, forget }
}

const { apiKeys, connections, routing, webhookEndpoints, workspaces } = rows.directory

const addWorkspace = insertInto("workspaces", Object.keys(workspaces.columns))
const bindWorkspace = valuesOf(workspaces.columns)

/** Throws when there is one with this id. */
export const insertWorkspace = (db: Database, workspace: Workspace): void => {
  db.prepare(addWorkspace).run(...bindWorkspace(workspace))
}

const apply = (
  db: Database,
  { after, configuration, contents, seenSecrets = new Map() }: ConfigurationChange,
  now: number
): boolean => {
  const newest = db.prepare("select coalesce(max(generation), 0) as generation from configurations").get()
  if (newest?.["generation"] !== after) return false
  const isStored = db.prepare("select 1 from webhook_endpoints where id = ? and sealed_secret = ?")
  for (const [id, sealed] of seenSecrets) {
    if (isStored.get(bindText(id), bindText(sealed)) === undefined) return false
  }
  writeContents(db, contents, now)
  if (configuration !== null) {
    const { appliedAt, generation, hash } = configuration
    db.prepare(insertInto("configurations", ["generation", "hash", "applied_at"])).run(generation, hash, appliedAt)
  }
  return true
}

/** What was given up because this endpoint was not active. */
const resume = `update deliveries indexed by deliveries_by_state set state = 'Due', due_at = ?
  where workspace_id = ? and environment = ? and state = 'GivenUp' and endpoint_id = ? and exists (
    select 1 from delivery_attempts as last
    where last.workspace_id = deliveries.workspace_id and last.environment = deliveries.environment
      and last.delivery_id = deliveries.id and last.number = deliveries.attempts and last.failure = 'EndpointWithdrawn'
  )`

const writeContents = (db: Database, contents: DirectoryContents, now: number): void => {
  const put = <A>({ columns, key, replaced, table }: DirectoryTable<A, SQLInputValue>, records: ReadonlyArray<A>) => {
    const upsert = upsertInto(table, Object.keys(columns), key)
    const statement = db.prepare(replaced === undefined ? upsert : `${upsert} where ${replaced}`)
    const bind = valuesOf(columns)
    for (const record of records) statement.run(...bind(record))
  }
  put(workspaces, contents.workspaces)
  put(apiKeys, contents.apiKeys)
  put(connections, contents.connections)
  put(routing, contents.routing)
  put(webhookEndpoints, contents.webhookEndpoints)
  for (const endpoint of contents.webhookEndpoints) {
    if (endpoint.active) db.prepare(resume).run(now, ...bindTenant(endpoint), bindText(endpoint.id))
  }
}

const readState = (db: Database): DirectoryState => {
  const all = <A>({ key, table, read }: DirectoryTable<A, SQLInputValue>, order = key.join(", ")): ReadonlyArray<A> =>
    db.prepare(`select * from ${table} order by ${order}`).all().map(read)
  return {
    contents: {
      workspaces: all(workspaces),
      apiKeys: all(apiKeys),
      connections: all(connections),
      routing: all(routing, "environment, workspace_id"),
      webhookEndpoints: all(webhookEndpoints)
    },
    configurations: db.prepare("select * from configurations order by generation").all().map(readConfiguration)
  }
}
