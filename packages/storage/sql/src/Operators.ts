/**
 * Operators, their sessions and links. A session or a link is added while the operator's row is locked, so that a
 * deactivation comes before it, and it is refused, or after it, and deletes it.
 */
import { managesOperators } from "@pointsman/core"
import {
  LastAdmin,
  LoginTaken,
  logEntry,
  type OperatorChange,
  OperatorChanged,
  type Operators
} from "@pointsman/core/ports"
import { Effect } from "effect"
import { makeAppend, makeLogged } from "./Audit.ts"
import { type Bound, firstOf, list, type Row, valuesOf } from "./Columns.ts"
import { insertInto, type Query, readAll, readOne, repeatable, type Sql } from "./Sql.ts"

const countGuess = `insert into sign_in_guesses as stored (key, since, count) values ($1, $2, 1)
  on conflict (key) do update set count = stored.count + 1 returning *`

export const makeOperators = <V>(sql: Sql<V>): Operators => {
  const { rows } = sql
  const { bindText, readOperator, readSession, readSignedIn } = rows
  const logged = makeLogged(sql)
  const bindSession = valuesOf(rows.session.columns)
  const bindLink = valuesOf(rows.link.columns)
  const insertSession = insertInto("operator_sessions", Object.keys(rows.session.columns))
  const insertLink = insertInto("sign_in_links", Object.keys(rows.link.columns))
  const writeOperator = makeWrite(sql)
  const one = <A>(operation: string, text: string, key: string, take: (row: Row) => A) =>
    readOne(sql, operation, take, text, [bindText(key)])
  return {
    list: readAll(sql, "operators.list", readOperator, "select * from operators order by id"),
    byLogin: (key) => one("operators.byLogin", "select * from operators where login_key = $1", key, readOperator),
    byId: (id) => one("operators.byId", "select * from operators where id = $1", id, readOperator),
    write: (change) =>
      Effect.flatMap(
        repeatable(sql, "operators.write", (query) => writeOperator(query, change)),
        logEntry
      ),
    sessions: readAll(sql, "operators.sessions", readSession, "select * from operator_sessions"),
    session: (hash) =>
      one(
        "operators.session",
        "select * from operator_sessions join operators on operators.id = operator_id where hash = $1",
        hash,
        readSignedIn
      ),
    addSession: (session, { createdBefore, seenBefore }, audit) => {
      const values = bindSession({ ...session, signedInAt: session.createdAt })
      return Effect.map(
        logged("operators.addSession", audit, (query) =>
          Effect.tap(whileActive(sql, query, session.operatorId, insertSession, values), () =>
            query("delete from operator_sessions where signed_in_at < $1 or seen_at < $2", [createdBefore, seenBefore])
          )
        ),
        (added) => added !== undefined
      )
    },
    seen: (hash, at) =>
      Effect.asVoid(
        sql.update("operators.seen", "update operator_sessions set seen_at = $2 where hash = $1 and seen_at < $2", [
          bindText(hash),
          at
        ])
      ),
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
        logged("operators.endSessionsOf", audit, (query) => endSessionsOf(query, bindText(id))),
        (ended) => ended ?? 0
      ),
    addLink: (link, audit) =>
      Effect.map(
        logged("operators.addLink", audit, (query) =>
          Effect.tap(whileActive(sql, query, link.operatorId, insertLink, bindLink(link)), () =>
            query("delete from sign_in_links where expires_at <= $1", [link.createdAt])
          )
        ),
        (added) => added !== undefined
      ),
    ...usedOnce(sql)
  }
}

/** Links that are taken, and tries that are counted. */
const usedOnce = <V>(sql: Sql<V>): Pick<Operators, "takeLink" | "countGuess" | "forgetGuesses"> => {
  const { bindText, link, readGuesses } = sql.rows
  return {
    takeLink: (hash) =>
      Effect.map(
        sql.update("operators.takeLink", "delete from sign_in_links where hash = $1 returning *", [bindText(hash)]),
        firstOf(link.read)
      ),
    countGuess: (key, at, windowMillis) =>
      repeatable(sql, "operators.countGuess", (query) =>
        Effect.andThen(
          query("delete from sign_in_guesses where since <= $1", [at - windowMillis]),
          query(countGuess, [bindText(key), at])
        )
      ).pipe(Effect.map(([row = {}]) => readGuesses(row))),
    forgetGuesses: (key) =>
      Effect.asVoid(
        sql.update("operators.forgetGuesses", "delete from sign_in_guesses where key = $1", [bindText(key)])
      )
  }
}

const makeWrite = <V>(sql: Sql<V>) => {
  const { bindText, operatorColumns, readOperator } = sql.rows
  const append = makeAppend(sql)
  const bind = valuesOf(operatorColumns)
  const columns = Object.keys(operatorColumns)
  const changed = columns.filter((column) => column !== "id")
  const insert = `${insertInto("operators", columns)} on conflict (login_key) do nothing returning id`
  const replace = `update operators set ${list(changed.map((column, at) => `${column} = $${at + 2}`))}
    where id = $1 and version = $${columns.length + 1} returning id`
  return Effect.fnUntraced(function* (
    query: Query<V>,
    { audit, endsSessions, needsOtherAdmin, operator }: OperatorChange
  ) {
    const isNew = operator.version === 1
    const values = bind(operator)
    const written = yield* isNew ? query(insert, values) : query(replace, [...values, operator.version - 1])
    if (written.length === 0) return yield* isNew ? new LoginTaken() : new OperatorChanged()
    const id = bindText(operator.id)
    if (endsSessions) yield* endSessionsOf(query, id)
    if (!operator.active) yield* query("delete from passkeys where operator_id = $1", [id])
    const entry = yield* append(query, audit)
    // Those who append take turns: another operator's change is committed and seen here, or waits and sees this one.
    if (needsOtherAdmin) {
      const others = yield* query("select * from operators where id <> $1 and active", [id])
      if (!others.map(readOperator).some(managesOperators)) return yield* new LastAdmin()
    }
    return entry
  })
}

const endSessionsOf = <V>(query: Query<V>, operatorId: Bound<V>) =>
  Effect.andThen(
    query("delete from sign_in_links where operator_id = $1", [operatorId]),
    Effect.map(
      query("delete from operator_sessions where operator_id = $1 returning hash", [operatorId]),
      ({ length }) => length
    )
  )

/** A statement that is run while the operator is active, and stays so until the transaction ends; `undefined` otherwise. */
export const whileActive = <V>(
  { locking, rows }: Sql<V>,
  query: Query<V>,
  operatorId: string,
  text: string,
  values: ReadonlyArray<Bound<V>>
) =>
  Effect.flatMap(
    query(`select id from operators where id = $1 and active ${locking("for share")}`, [rows.bindText(operatorId)]),
    (found) => (found.length === 0 ? Effect.undefined : query(text, values))
  )
