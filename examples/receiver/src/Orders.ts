/**
 * The receiver's own books, in SQLite: which events it acted on, and the state of its orders.
 *
 * An event comes at least once, and in no certain order. So that it was
 * seen and what follows from it are one transaction, and an older event does not overwrite a newer one.
 */
import { DatabaseSync } from "node:sqlite"
import type { Event } from "@pointsman/node"

export interface Orders {
  /** Acts on an event unless that was done. Gives whether it was done now. */
  readonly receive: (event: Event) => boolean
  /** What the shop does next, oldest first: the reader of this list does it, and then marks it as done. */
  readonly tasks: () => ReadonlyArray<string>
  readonly statusOf: (paymentId: string) => string | undefined
  readonly close: () => void
}

export const openOrders = (file: string): Orders => {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS seen (event_id TEXT PRIMARY KEY) STRICT;
    CREATE TABLE IF NOT EXISTS orders (payment_id TEXT PRIMARY KEY, status TEXT NOT NULL, as_of TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS tasks (number INTEGER PRIMARY KEY, task TEXT NOT NULL) STRICT;
  `)
  const see = database.prepare("INSERT INTO seen (event_id) VALUES (?) ON CONFLICT DO NOTHING")
  // Ids of events sort by the time they were written.
  const move = database.prepare(`
    INSERT INTO orders (payment_id, status, as_of) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET status = excluded.status, as_of = excluded.as_of WHERE excluded.as_of > as_of`)
  const plan = database.prepare("INSERT INTO tasks (task) VALUES (?)")
  const tasks = database.prepare("SELECT task FROM tasks ORDER BY number")
  const find = database.prepare("SELECT status FROM orders WHERE payment_id = ?")

  const act = ({ data, id, type }: Event): void => {
    const paymentId = data["payment_id"]
    if (typeof paymentId !== "string") return
    move.run(paymentId, type, id)
    // What reaches beyond this database (a letter, a parcel) is written down here, and done from there: who mailed
    // inside the transaction and died before its end would mail twice.
    if (type === "payment.captured") plan.run(`ship ${paymentId}`)
    if (type === "payment.refunded") plan.run(`thank for trying ${paymentId}`)
  }

  return {
    receive: (event) => {
      database.exec("BEGIN IMMEDIATE")
      try {
        const isNew = see.run(event.id).changes === 1
        if (isNew) act(event)
        database.exec("COMMIT")
        return isNew
      } catch (error) {
        database.exec("ROLLBACK")
        throw error
      }
    },
    tasks: () => tasks.all().map(({ task }) => String(task)),
    statusOf: (paymentId) => {
      const row = find.get(paymentId)
      return row === undefined ? undefined : String(row["status"])
    },
    close: () => database.close()
  }
}
