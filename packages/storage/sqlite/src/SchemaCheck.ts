/** For those who may not make a database, and not change one that is there: whether it is one of this version. */
import { resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { read } from "./Database.ts"
import { newest, table } from "./Migrations.ts"

/** Another process may be migrating; in milliseconds. */
const waitMillis = 30_000

/**
 * Fails where there is no such file, where it is no database of ours, or where its schema is older than this version's;
 * a newer one is refused by the migrations. It opens the file for reading alone, so that nothing of somebody else's
 * is changed either.
 */
export const requireSchema = (filename: string) =>
  read("open", () => {
    const db = new DatabaseSync(resolve(filename), { readOnly: true, timeout: waitMillis })
    try {
      const isThere = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table)
      if (isThere === undefined) throw new Error("it holds no payments of this library's")
      const latest = Number(db.prepare(`select max(migration_id) as id from ${table}`).get()?.["id"])
      if (latest >= newest) return
      throw new Error(
        `its schema is number ${latest}, made by an older version, and this one needs ${newest}: start the server ` +
          "once, which brings it up to date"
      )
    } finally {
      db.close()
    }
  })
