/** Operators, their sessions and links in SQLite. Each method is one write transaction, or reads one statement. */
import { managesOperators } from "@pointsman/core"
import {
  type AuditEntry,
  type CommitUnknown,
  LastAdmin,
  LoginTaken,
  logEntry,
  type OperatorChange,
  OperatorChanged,
  type Operators,
  StorageError
} from "@pointsman/core/ports"
import { list, type Row, valuesOf } from "@pointsman/storage-sql"
import { Effect, Option, Result } from "effect"
import { append, logged } from "./Audit.ts"
import { type Database, read, update, write } from "./Database.ts"
import { bindText, insertInto, rows } from "./Rows.ts"

const { linkColumns, operatorColumns, readGuesses, readLink, readOperator, readSession, readSignedIn, sessionColumns } =
  rows
const bindOperator = valuesOf(operatorColumns)
const bindSession = valuesOf(sessionColumns)
const bindLink = valuesOf(linkColumns)

const changed = Object.keys(operatorColumns).filter((column) => column !== "id")
const insertOperator = `${insertInto("operators", Object.keys(operatorColumns))} on conflict (login_key) do nothing`
const updateOperator = `update operators set ${list(changed.map((column) => `${column} = ?`))}
  where id = ? and version = ?`
const insertSession = insertInto("operator_sessions", Object.keys(sessionColumns))
const insertLink = insertInto("sign_in_links", Object.keys(linkColumns))

export const make = (db: Database): Operators => {
  const one = <A>(operation: string, sql: string, key: string, take: (row: Row) => A) =>
    read(operation, () => Option.map(Option.fromUndefinedOr(db.prepare(sql).get(bindText(key))), take))
  const isActive = (id: string): boolean =>
    db.prepare("select 1 from operators where id = ? and active = 1").get(bindText(id)) !== undefined
  return {
    list: read("operators.list", () => db.prepare("select * from operators order by id").all().map(readOperator)),
    byLogin: (key) => one("operators.byLogin", "select * from operators where login_key = ?", key, readOperator),
    byId: (id) => one("operators.byId", "select * from operators where id = ?", id, readOperator),
    write: (change) =>
      write(db, "operators.write", () => writeOperator(db, change)).pipe(
        Effect.catchTag("pointsman/CommitUnknown", asStorageError),
        Effect.flatMap(logEntry)
      ),
    sessions: read("operators.sessions", () => db.prepare("select * from operator_sessions").all().map(readSession)),
    session: (hash) =>
      one(
        "operators.session",
        "select * from operator_sessions join operators on operators.id = operator_id where hash = ?",
        hash,
        readSignedIn
      ),
    addSession: (session, { createdBefore, seenBefore }, audit) =>
      Effect.map(
        logged(db, "operators.addSession", audit, () => {
          if (!isActive(session.operatorId)) return undefined
          db.prepare("delete from operator_sessions where signed_in_at < ? or seen_at < ?").run(
            createdBefore,
            seenBefore
          )
          return db.prepare(insertSession).run(...bindSession(session))
        }),
        (added) => added !== undefined
      ),
    seen: (hash, at) =>
      update(db, "operators.seen", () => {
        db.prepare("update operator_sessions set seen_at = ? where hash = ? and seen_at < ?").run(at, hash, at)
      }),
    endSession: (hash, audit) =>
      Effect.map(
        logged(db, "operators.endSession", audit, () =>
          Number(db.prepare("delete from operator_sessions where hash = ?").run(hash).changes) > 0 ? true : undefined
        ),
        (ended) => ended === true
      ),
    endSessionsOf: (id, audit) =>
      Effect.map(
        logged(db, "operators.endSessionsOf", audit, () => endSessionsOf(db, id)),
        (ended) => ended ?? 0
      ),
    addLink: (link, audit) =>
      Effect.map(
        logged(db, "operators.addLink", audit, () => {
          if (!isActive(link.operatorId)) return undefined
          db.prepare("delete from sign_in_links where expires_at <= ?").run(link.createdAt)
          return db.prepare(insertLink).run(...bindLink(link))
        }),
        (added) => added !== undefined
      ),
    ...usedOnce(db)
  }
}

const writeOperator = (
  db: Database,
  { audit, endsSessions, needsOtherAdmin, operator }: OperatorChange
): Result.Result<AuditEntry, LoginTaken | OperatorChanged | LastAdmin> => {
  const others = db.prepare("select * from operators where id <> ? and active = 1").all(bindText(operator.id))
  if (needsOtherAdmin && !others.map(readOperator).some(managesOperators)) return Result.fail(new LastAdmin())
  const values = bindOperator(operator)
  const isNew = operator.version === 1
  const { changes } = isNew
    ? db.prepare(insertOperator).run(...values)
    : db.prepare(updateOperator).run(...values.slice(1), bindText(operator.id), operator.version - 1)
  if (Number(changes) === 0) return Result.fail(isNew ? new LoginTaken() : new OperatorChanged())
  if (endsSessions) endSessionsOf(db, operator.id)
  if (!operator.active) db.prepare("delete from passkeys where operator_id = ?").run(bindText(operator.id))
  return Result.succeed(append(db, audit))
}

const endSessionsOf = (db: Database, id: string): number => {
  db.prepare("delete from sign_in_links where operator_id = ?").run(bindText(id))
  return Number(db.prepare("delete from operator_sessions where operator_id = ?").run(bindText(id)).changes)
}

/** Links that are taken, and tries that are counted. */
const usedOnce = (db: Database): Pick<Operators, "takeLink" | "countGuess" | "forgetGuesses"> => ({
  takeLink: (hash) =>
    update(db, "operators.takeLink", () =>
      Option.map(
        Option.fromUndefinedOr(db.prepare("delete from sign_in_links where hash = ? returning *").get(hash)),
        readLink
      )
    ),
  countGuess: (key, at, windowMillis) =>
    update(db, "operators.countGuess", () => {
      db.prepare("delete from sign_in_guesses where since <= ?").run(at - windowMillis)
      const counted = db.prepare(countGuess).get(key, at)
      if (counted === undefined) throw new Error("no count of sign-ins came back")
      return readGuesses(counted)
    }),
  forgetGuesses: (key) =>
    update(db, "operators.forgetGuesses", () => {
      db.prepare("delete from sign_in_guesses where key = ?").run(key)
    })
})

const countGuess = `insert into sign_in_guesses (key, since, count) values (?, ?, 1)
  on conflict (key) do update set count = count + 1 returning *`

const asStorageError = ({ cause, operation }: CommitUnknown) => Effect.fail(new StorageError({ operation, cause }))
