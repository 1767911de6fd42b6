/**
 * Workspaces, keys, connections and routing in SQLite. They are read on every request, so reads are served from a
 * copy in the process, which is dropped as soon as anyone writes: `PRAGMA data_version` shows every other
 * connection's commit at next to no cost. A revoked key is therefore seen at the very next read.
 */
import { type DirectorySnapshot, type DirectoryState, directoryReads, directorySnapshot } from "@pointsman/core/ports"
import {
  type DirectoryForm,
  directoryState,
  directoryTables,
  makeDirectoryWrites,
  newVersion,
  selectVersion
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, read, snapshot } from "./Database.ts"
import { rows } from "./Rows.ts"
import { sqlOf, type Value } from "./Sql.ts"

export const make = (db: Database) => {
  let kept: { readonly snapshot: DirectorySnapshot; readonly dataVersion: unknown } | undefined

  const current = (operation: string) =>
    read(operation, () => {
      // Asked before the tables are read: a write in between makes the copy newer than its version, and the next
      // read loads it again.
      const dataVersion = db.prepare("PRAGMA data_version").get()?.["data_version"]
      if (kept === undefined || kept.dataVersion !== dataVersion) {
        kept = { snapshot: directorySnapshot(snapshot(db, () => readState(db))), dataVersion }
      }
      return kept.snapshot
    })

  const form: DirectoryForm<Value> = {
    forget: Effect.sync(() => {
      kept = undefined
    }),
    tell: (query) => query(newVersion)
  }
  return {
    directory: { ...directoryReads(current), ...makeDirectoryWrites(sqlOf(db), form) },
    /** For what another part writes of the directory. */
    form
  }
}

const readState = (db: Database): DirectoryState => {
  const tables = directoryTables(rows).map(({ order, table }) => {
    return [table, db.prepare(`select * from ${table} order by ${order}`).all()] as const
  })
  return directoryState(rows, { ...Object.fromEntries(tables), ...db.prepare(selectVersion).get() })
}
