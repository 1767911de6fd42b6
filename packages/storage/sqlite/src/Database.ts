/**
 * One connection to one SQLite file.
 *
 * A transaction begins and ends without giving up the thread: SQLite's wait for a lock blocks the event loop, so one that
 * paused would make a second connection of this process wait for something that cannot happen.
 */
import { closeSync, openSync } from "node:fs"
import { resolve } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { CommitUnknown, StorageError } from "@pointsman/core/ports"
import { Effect, Result } from "effect"

export interface Database {
  /** Whether a transaction is open: an error may have ended it. */
  readonly isTransaction: () => boolean
  /** Prepared once for each text: the texts are ours, and few. */
  readonly prepare: (sql: string) => StatementSync
  /** One or several statements without parameters. */
  readonly exec: (sql: string) => void
  readonly close: () => void
}

/** How long a connection waits for another process's write, in milliseconds; its transactions take a few. */
const busyMillis = 5_000
/** While it opens: another process may be migrating. */
const openingMillis = 30_000
/** Two processes that turn a new file into WAL at once refuse each other without waiting. */
const walAttempts = 100
const walPauseMillis = 20
/**
 * Pages that the log holds, 16 MB, before a commit copies them into the database: a page that many commits change is
 * copied once for all of them. SQLite's own 1,000 cost 4 to 7 % more processor time for each payment.
 */
const checkpointPages = 4_000

/** Opens or creates the file; `:memory:` for a database that lives as long as the connection. */
export const open = (filename: string): Effect.Effect<Database, StorageError> =>
  Effect.try({
    try: () => connect(filename),
    catch: (cause) => new StorageError({ operation: "open", cause })
  })

const connect = (filename: string): Database => {
  if (filename === "") throw new TypeError('filename: expected a path or ":memory:"')
  const inMemory = filename === ":memory:"
  // An absolute path is never taken for a URI.
  const path = inMemory ? filename : resolve(filename)
  // SQLite gives the files beside it (-wal, -shm) the mode of the database.
  if (!inMemory) closeSync(openSync(path, "a", 0o600))
  const connection = new DatabaseSync(path, { timeout: openingMillis, enableForeignKeyConstraints: true })
  try {
    // What retention frees is given back in small steps. SQLite takes the setting before the first page, and to repeat it
    // later is a write.
    const isNew = connection.prepare("PRAGMA page_count").get()?.["page_count"] === 0
    if (isNew) connection.exec("PRAGMA auto_vacuum = INCREMENTAL")
    if (!inMemory) useWal(connection)
    // FULL: the log reaches the disk before COMMIT returns. `fullfsync` asks the same of macOS.
    connection.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    // What is erased is overwritten, also what an earlier update of the row left in its page. It costs no measurable time.
    connection.exec("PRAGMA secure_delete = ON")
  } catch (cause) {
    connection.close()
    throw cause
  }
  const statements = new Map<string, StatementSync>()
  return {
    isTransaction: () => connection.isTransaction,
    prepare: (sql) => {
      const found = statements.get(sql)
      if (found !== undefined) return found
      const made = connection.prepare(numbered(sql))
      statements.set(sql, made)
      return made
    },
    exec: (sql) => connection.exec(sql),
    close: () => connection.close()
  }
}

/** A place of a text that all databases share, with the type that SQLite knows from the value. */
const sharedPlace = /\$(\d+)(?:::\w+)*/gu

export const numbered = (sql: string): string => sql.replace(sharedPlace, "?$1")

const useWal = (connection: DatabaseSync): void => {
  for (let attempt = 1; ; attempt++) {
    try {
      const mode = connection.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"]
      if (mode !== "wal") throw new Error(`the file's journal mode is "${String(mode)}" and cannot be changed to "wal"`)
      return
    } catch (cause) {
      if (primaryCode(cause) !== codes.busy || attempt === walAttempts) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, walPauseMillis)
    }
  }
}

/** From here on the connection serves: it holds up the thread no longer than another process's write may take. */
export const serve = (db: Database): void => db.exec(`PRAGMA busy_timeout = ${busyMillis}`)

/** How long the log is waited for, which holds up the thread and other writers. */
const emptyingMillis = 200

/**
 * Copies the log into the database and empties it, because it keeps the former pages of the database. Gives `false` where
 * another process reads it at the moment, as a backup does.
 */
export const emptyLog = (db: Database): Effect.Effect<boolean> =>
  Effect.sync(() => {
    try {
      db.exec(`PRAGMA busy_timeout = ${emptyingMillis}`)
      return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0
    } catch {
      return false
    } finally {
      serve(db)
    }
  })

/**
 * Runs the body in a write transaction and makes it durable. What the body throws undoes it. `StorageError`: surely not
 * written. `CommitUnknown`: COMMIT failed in a way that does not tell whether it was written.
 */
export const transaction = <A>(
  db: Database,
  operation: string,
  body: () => A
): Result.Result<A, StorageError | CommitUnknown> => {
  let value: A
  try {
    // Left open by a ROLLBACK that failed; nothing else may be written before it is gone.
    if (db.isTransaction()) db.exec("ROLLBACK")
    db.prepare("BEGIN IMMEDIATE").run()
    value = body()
    // An error that the body survived may have ended the transaction: the rest of it was not in one.
    if (!db.isTransaction()) throw new Error("the transaction ended before its COMMIT")
  } catch (cause) {
    rollBack(db)
    return Result.fail(new StorageError({ operation, cause }))
  }
  try {
    db.prepare("COMMIT").run()
  } catch (cause) {
    const code = primaryCode(cause)
    // SQLite refuses these before it writes, and leaves the transaction open.
    const refused = refusals.has(code) && db.isTransaction()
    // The log is written from its end, and what makes a commit of it comes last: without room it did not come. A disk
    // that is found full by the flush is another error. SQLite has undone it already.
    const cutOff = code === codes.full && !db.isTransaction()
    const undone = rollBack(db)
    // After any other error (the disk's, say) the log may hold the commit although it was not confirmed. A crash would
    // bring it back; the next commit is written over it.
    const Failure = (refused || cutOff) && undone ? StorageError : CommitUnknown
    return Result.fail(new Failure({ operation, cause }))
  }
  return Result.succeed(value)
}

/** A transaction that reads several tables as they were at one moment. */
export const snapshot = <A>(db: Database, body: () => A): A => {
  db.prepare("BEGIN").run()
  try {
    return body()
  } finally {
    rollBack(db)
  }
}

/** Whether no transaction is open any more. */
const rollBack = (db: Database): boolean => {
  try {
    if (db.isTransaction()) db.prepare("ROLLBACK").run()
    return !db.isTransaction()
  } catch {
    return false
  }
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const codes = { busy: 5, locked: 6, full: 13, constraint: 19 } as const
const refusals: ReadonlySet<number | undefined> = new Set([codes.busy, codes.locked, codes.constraint])

const primaryCode = (cause: unknown): number | undefined => {
  const code = (cause as { readonly errcode?: unknown } | null)?.errcode
  return typeof code === "number" ? code & 0xff : undefined
}

/** Whether a row of the same key was there already (SQLITE_CONSTRAINT_UNIQUE). */
export const isUniqueViolation = (cause: unknown): boolean =>
  (cause as { readonly errcode?: unknown } | null)?.errcode === 2067

/** A read, which fails with `StorageError`. */
export const read = <A>(operation: string, body: () => A): Effect.Effect<A, StorageError> =>
  Effect.try({ try: body, catch: (cause) => new StorageError({ operation, cause }) })

/** A transaction, for callers that do the same whether nothing was written or the result is unknown. */
export const update = <A>(db: Database, operation: string, body: () => A): Effect.Effect<A, StorageError> =>
  Effect.suspend(() => Effect.fromResult(transaction(db, operation, body))).pipe(
    Effect.mapError(({ cause }) => new StorageError({ operation, cause }))
  )

/** A transaction that the body may refuse. */
export const write = <A, E>(
  db: Database,
  operation: string,
  body: () => Result.Result<A, E>
): Effect.Effect<A, E | StorageError | CommitUnknown> =>
  Effect.suspend(() => Effect.fromResult(Result.flatMap(transaction(db, operation, body), (done) => done)))
