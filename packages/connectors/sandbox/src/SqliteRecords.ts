/**
 * The file behind a record of the simulator: SQLite through `node:sqlite`, which needs no driver to be installed.
 *
 * `synchronous = NORMAL` in WAL mode survives the death of the process, which is what the sandbox promises; the
 * newest entries may be lost when the machine loses its power.
 */
import { closeSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Option } from "effect"

export interface SqliteRecords {
  /** Runs as one transaction that holds the write lock from its beginning; throws what `run` throws. */
  readonly atomically: <A>(run: () => A) => A
  /** Drawn when the file was made. */
  readonly account: () => string
  /** The JSON text of one charge. */
  readonly charge: (connectionId: string, attemptId: string) => Option.Option<string>
  readonly charges: (paymentId: string) => ReadonlyArray<string>
  readonly chargesOf: (connectionId: string) => ReadonlyArray<string>
  readonly chargesByReference: (beginning: string) => ReadonlyArray<string>
  readonly attemptOfRefund: (connectionId: string, refundId: string) => Option.Option<string>
  readonly put: (row: ChargeRow, refundIds: ReadonlyArray<string>) => void
  readonly close: () => void
}

interface ChargeRow {
  readonly connectionId: string
  readonly attemptId: string
  readonly paymentId: string
  /** The charge as JSON text. */
  readonly document: string
}

/** The layout of the file; a file of a later layout is refused, not misread. */
const layout = 1

/** A call of the simulator writes for well under a millisecond; the wait is for many processes that start at once. */
const busyTimeoutMillis = 5000

/** Two processes that turn a new file into WAL at once refuse each other without waiting. */
const walAttempts = 100
const walPauseMillis = 20
/** https://www.sqlite.org/rescode.html#busy */
const busyCode = 5

const useWal = (db: DatabaseSync): void => {
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec("pragma journal_mode = wal")
      return
    } catch (cause) {
      const { errcode } = cause as { readonly errcode?: number }
      if (errcode === undefined || (errcode & 0xff) !== busyCode || attempt === walAttempts) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, walPauseMillis)
    }
  }
}

/** Opens the file and makes it where it is missing. Throws what went wrong. */
export const openSqliteRecords = (path: string): SqliteRecords => {
  mkdirSync(dirname(path), { recursive: true })
  // For its owner alone, as the server's own database; SQLite gives the files beside it the same mode.
  closeSync(openSync(path, "a", 0o600))
  const db = new DatabaseSync(path, { timeout: busyTimeoutMillis })
  const atomically = <A>(run: () => A): A => {
    db.exec("begin immediate")
    try {
      const result = run()
      db.exec("commit")
      return result
    } finally {
      if (db.isTransaction) db.exec("rollback")
    }
  }
  try {
    useWal(db)
    db.exec("pragma synchronous = normal")
    atomically(() => {
      const found = db.prepare("pragma user_version").get()?.["user_version"]
      if (found !== 0 && found !== layout)
        throw new Error(`the file has layout ${found}, but this release reads layout ${layout}`)
      db.exec(`
        create table if not exists charge (
          connection_id text not null, attempt_id text not null, payment_id text not null, document text not null,
          primary key (connection_id, attempt_id)
        ) strict, without rowid;
        create index if not exists charge_payment on charge (payment_id);
        create table if not exists refund (
          connection_id text not null, refund_id text not null, attempt_id text not null,
          primary key (connection_id, refund_id)
        ) strict, without rowid;
        create table if not exists account (id text primary key) strict, without rowid;
        insert into account select lower(hex(randomblob(16))) where not exists (select 1 from account);
        pragma user_version = ${layout};
      `)
    })
  } catch (cause) {
    db.close()
    throw cause
  }
  const readCharge = db.prepare("select document from charge where connection_id = ? and attempt_id = ?")
  const readCharges = db.prepare("select document from charge where payment_id = ?")
  const readChargesOf = db.prepare("select document from charge where connection_id = ?")
  const readByReference = db.prepare(
    "select document from charge where substr(json_extract(document, '$.told.reference'), 1, length(?1)) = ?1"
  )
  const readRefund = db.prepare("select attempt_id from refund where connection_id = ? and refund_id = ?")
  const writeCharge = db.prepare("insert or replace into charge values (?, ?, ?, ?)")
  const writeRefund = db.prepare("insert or ignore into refund values (?, ?, ?)")
  const readAccount = db.prepare("select id from account")
  const text = (row: Record<string, unknown> | undefined, column: string) =>
    Option.map(Option.fromUndefinedOr(row), (row) => String(row[column]))
  return {
    atomically,
    account: () => String(readAccount.get()?.["id"]),
    charge: (connectionId, attemptId) => text(readCharge.get(connectionId, attemptId), "document"),
    charges: (paymentId) => readCharges.all(paymentId).map((row) => String(row["document"])),
    chargesOf: (connectionId) => readChargesOf.all(connectionId).map((row) => String(row["document"])),
    chargesByReference: (beginning) => readByReference.all(beginning).map((row) => String(row["document"])),
    attemptOfRefund: (connectionId, refundId) => text(readRefund.get(connectionId, refundId), "attempt_id"),
    put: ({ connectionId, attemptId, paymentId, document }, refundIds) => {
      writeCharge.run(connectionId, attemptId, paymentId, document)
      for (const refundId of refundIds) writeRefund.run(connectionId, refundId, attemptId)
    },
    close: () => db.close()
  }
}
