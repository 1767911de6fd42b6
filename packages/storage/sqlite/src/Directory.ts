/**
 * Workspaces, keys, connections and routing in SQLite. They are read on every request, so reads are served from a
 * copy in the process, which is dropped as soon as anyone writes: `PRAGMA data_version` shows every other
 * connection's commit at next to no cost. A revoked key is therefore seen at the very next read.
 */
import type { SQLInputValue } from "node:sqlite"
import type { Directory, DirectoryContents, DirectoryState, StorageError } from "@pointsman/core/ports"
import {
  type DirectoryForm,
  type DirectoryTable,
  insertInto,
  makeDirectory,
  makeDirectoryWrites,
  onConflictReplace,
  type Query,
  readConfiguration,
  replaceKeyUse,
  resumeOf,
  type Snapshot,
  snapshotOf,
  valuesOf
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, read, snapshot, update } from "./Database.ts"
import { rows } from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

export interface KeptDirectory {
  readonly directory: Directory["Service"]
  /** For what another part writes of the directory. */
  readonly form: DirectoryForm<SQLInputValue>
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

  const forget = Effect.sync(() => {
    kept = undefined
  })
  const sql = sqlOf(db)
  const form: DirectoryForm<SQLInputValue> = { forget, tell: () => Effect.void, put, resume: resumeOf(sql) }
  const directory = makeDirectory(current, {
    ...makeDirectoryWrites(sql, form),
    recordKeyUses: (uses) =>
      update(db, "recordKeyUses", () => {
        const record = db.prepare(`insert into api_key_uses (hash, used_at) values (?, ?) ${replaceKeyUse}`)
        for (const { at, hash } of uses) record.run(hash, at)
      })
  })
  return { directory, form }
}

const { apiKeys, connections, routing, webhookEndpoints, workspaces } = rows.directory

const put = Effect.fnUntraced(function* (query: Query<SQLInputValue>, contents: DirectoryContents) {
  const putAll = <A>(
    { columns, key, replaced, table }: DirectoryTable<A, SQLInputValue>,
    records: ReadonlyArray<A>
  ) => {
    const names = Object.keys(columns)
    const upsert = `${insertInto(table, names)} ${onConflictReplace(names, key)}${replaced === undefined ? "" : ` where ${replaced}`}`
    const bind = valuesOf(columns)
    return Effect.forEach(records, (record) => query(upsert, bind(record)), { discard: true })
  }
  yield* putAll(workspaces, contents.workspaces)
  yield* putAll(apiKeys, contents.apiKeys)
  yield* putAll(connections, contents.connections)
  yield* putAll(routing, contents.routing)
  yield* putAll(webhookEndpoints, contents.webhookEndpoints)
})

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
