/**
 * Workspaces, keys, connections and routing in SQLite. They are read on every request, so reads are served from a
 * copy in the process, which is dropped as soon as anyone writes: `PRAGMA data_version` shows every other
 * connection's commit at next to no cost. A revoked key is therefore seen at the very next read.
 */
import type { SQLInputValue } from "node:sqlite"
import type { Workspace } from "@pointsman/core"
import type { Directory, DirectoryContents, StorageError } from "@pointsman/core/ports"
import { type DirectoryTable, makeDirectory, type Snapshot, snapshotOf, valuesOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, read, snapshot, update } from "./Database.ts"
import { insertInto, rows, upsertInto } from "./Rows.ts"

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
        kept = { snapshot: snapshotOf(snapshot(db, () => readContents(db))), dataVersion }
      }
      return kept.snapshot
    })

  const forget = () => {
    kept = undefined
  }

  const write = (contents: DirectoryContents) =>
    Effect.ensuring(
      update(db, "write", () => writeContents(db, contents)),
      Effect.sync(forget)
    )
  return { directory: makeDirectory(current, write), forget }
}

const { apiKeys, connections, routing, webhookEndpoints, workspaces } = rows.directory

const addWorkspace = insertInto("workspaces", Object.keys(workspaces.columns))
const bindWorkspace = valuesOf(workspaces.columns)

/** Throws when there is one with this id. */
export const insertWorkspace = (db: Database, workspace: Workspace): void => {
  db.prepare(addWorkspace).run(...bindWorkspace(workspace))
}

const writeContents = (db: Database, contents: DirectoryContents): void => {
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
}

const readContents = (db: Database): DirectoryContents => {
  const all = <A>({ key, table, read }: DirectoryTable<A, SQLInputValue>, order = key.join(", ")): ReadonlyArray<A> =>
    db.prepare(`select * from ${table} order by ${order}`).all().map(read)
  return {
    workspaces: all(workspaces),
    apiKeys: all(apiKeys),
    connections: all(connections),
    routing: all(routing, "environment, workspace_id"),
    webhookEndpoints: all(webhookEndpoints)
  }
}
