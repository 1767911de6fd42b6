/**
 * Operators, their sessions and links in PostgreSQL. A session or a link is added while the operator's row is locked, so
 * that a deactivation comes before it, and it is refused, or after it, and deletes it.
 */
import { managesOperators } from "@pointsman/core"
import {
  LastAdmin,
  LoginTaken,
  logEntry,
  type OperatorChange,
  OperatorChanged,
  type Operators,
  StorageError
} from "@pointsman/core/ports"
import { list, type Row, valuesOf } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { append } from "./Audit.ts"
import type { Database, Query } from "./Database.ts"
import { loggedIn, transactions, whileActive } from "./LoggedSteps.ts"
import { bindText, bindValue, insertInto, rows } from "./Rows.ts"

const { linkColumns, operatorColumns, readGuesses, readLink, readOperator, readSession, readSignedIn, sessionColumns } =
  rows
const bindOperator = valuesOf(operatorColumns)
const bindSession = valuesOf(sessionColumns)
const bindLink = valuesOf(linkColumns)

const changed = Object.keys(operatorColumns).filter((column) => column !== "id")
const insertOperator = `${insertInto("operators", Object.keys(operatorColumns))}
  on conflict (login_key) do nothing returning id`
const updateOperator = `update operators set ${list(changed.map((column, at) => `${column} = $${at + 2}`))}
  where id = $1 and version = $${changed.length + 2}::text::bigint returning id`
const insertSession = insertInto("operator_sessions", Object.keys(sessionColumns))
const insertLink = insertInto("sign_in_links", Object.keys(linkColumns))
const selectOthers = "select * from operators where id <> $1 and active"
const deleteLinks = "delete from sign_in_links where operator_id = $1"
const deleteSessions = "delete from operator_sessions where operator_id = $1 returning hash"
const selectSession = "select * from operator_sessions join operators on operators.id = operator_id where hash = $1"
const deleteOver = `delete from operator_sessions
  where signed_in_at < $1::text::bigint or seen_at < $2::text::bigint`
const recordSeen = "update operator_sessions set seen_at = greatest(seen_at, $2::text::bigint) where hash = $1"
const countGuess = `insert into sign_in_guesses as stored (key, since, count) values ($1, $2::text::bigint, 1)
  on conflict (key) do update set count = stored.count + 1 returning *`

export const make = (db: Database): Operators => {
  const one = <A>(operation: string, sql: string, key: string, take: (row: Row) => A) =>
    Effect.map(db.read(operation, sql, [bindText(key)]), ([row]) => Option.map(Option.fromUndefinedOr(row), take))
  const logged = loggedIn(db)
  return {
    list: Effect.map(db.read("operators.list", "select * from operators order by id"), (found) =>
      found.map(readOperator)
    ),
    byLogin: (key) => one("operators.byLogin", "select * from operators where login_key = $1", key, readOperator),
    byId: (id) => one("operators.byId", "select * from operators where id = $1", id, readOperator),
    write: (change) =>
      db
        .transaction("operators.write", (query) => writeOperator(query, change))
        .pipe(
          Effect.catchTag("pointsman/CommitUnknown", ({ cause, operation }) =>
            Effect.fail(new StorageError({ operation, cause }))
          ),
          Effect.flatMap(logEntry)
        ),
    sessions: Effect.map(db.read("operators.sessions", "select * from operator_sessions"), (found) =>
      found.map(readSession)
    ),
    session: (hash) => one("operators.session", selectSession, hash, readSignedIn),
    addSession: (session, { createdBefore, seenBefore }, audit) =>
      Effect.map(
        logged("operators.addSession", audit, (query) =>
          Effect.tap(whileActive(query, session.operatorId, insertSession, bindSession(session).map(bindValue)), () =>
            query(deleteOver, [String(createdBefore), String(seenBefore)])
          )
        ),
        (added) => added !== undefined
      ),
    seen: (hash, at) => Effect.asVoid(db.update("operators.seen", recordSeen, [bindText(hash), String(at)])),
    endSession: (hash, audit) =>
      Effect.map(
        logged("operators.endSession", audit, (query) =>
          Effect.map(
            query("delete from operator_sessions where hash = $1 returning hash", [bindText(hash)]),
            ({ length }) => (length > 0 ? true : undefined)
          )
        ),
        (ended) => ended === true
      ),
    endSessionsOf: (id, audit) =>
      Effect.map(
        logged("operators.endSessionsOf", audit, (query) => endSessionsOf(query, id)),
        (ended) => ended ?? 0
      ),
    addLink: (link, audit) =>
      Effect.map(
        logged("operators.addLink", audit, (query) =>
          Effect.tap(whileActive(query, link.operatorId, insertLink, bindLink(link).map(bindValue)), () =>
            query("delete from sign_in_links where expires_at <= $1::text::bigint", [String(link.createdAt)])
          )
        ),
        (added) => added !== undefined
      ),
    ...usedOnce(db)
  }
}

/** Links that are taken, and tries that are counted. */
const usedOnce = (db: Database): Pick<Operators, "takeLink" | "countGuess" | "forgetGuesses"> => {
  const transaction = transactions(db)
  return {
    takeLink: (hash) =>
      Effect.map(
        transaction("operators.takeLink", (query) =>
          query("delete from sign_in_links where hash = $1 returning *", [bindText(hash)])
        ),
        ([row]) => Option.map(Option.fromUndefinedOr(row), readLink)
      ),
    countGuess: (key, at, windowMillis) =>
      transaction("operators.countGuess", (query) =>
        Effect.andThen(
          query("delete from sign_in_guesses where since <= $1::text::bigint", [String(at - windowMillis)]),
          query(countGuess, [bindText(key), String(at)])
        )
      ).pipe(Effect.map(([row = {}]) => readGuesses(row))),
    forgetGuesses: (key) =>
      Effect.asVoid(db.update("operators.forgetGuesses", "delete from sign_in_guesses where key = $1", [bindText(key)]))
  }
}

const writeOperator = Effect.fnUntraced(function* (
  query: Query,
  { audit, endsSessions, needsOtherAdmin, operator }: OperatorChange
) {
  const values = bindOperator(operator).map(bindValue)
  const isNew = operator.version === 1
  const written = yield* isNew
    ? query(insertOperator, values)
    : query(updateOperator, [...values, String(operator.version - 1)])
  if (written.length === 0) return yield* isNew ? new LoginTaken() : new OperatorChanged()
  if (endsSessions) yield* endSessionsOf(query, operator.id)
  if (!operator.active) yield* query("delete from passkeys where operator_id = $1", [bindText(operator.id)])
  const entry = yield* append(query, audit)
  // Those who append take turns: another operator's change is committed and seen here, or waits and sees this one.
  if (needsOtherAdmin) {
    const others = yield* query(selectOthers, [bindText(operator.id)])
    if (!others.map(readOperator).some(managesOperators)) return yield* new LastAdmin()
  }
  return entry
})

const endSessionsOf = Effect.fnUntraced(function* (query: Query, operatorId: string) {
  yield* query(deleteLinks, [bindText(operatorId)])
  return (yield* query(deleteSessions, [bindText(operatorId)])).length
})
