/**
 * Operators with their sessions, links and passkeys. One of these is added while the operator's row is locked, so that a
 * deactivation comes before it, and it is refused, or after it, and deletes it.
 */
import { managesOperators } from "@pointsman/core"
import * as Ports from "@pointsman/core/ports"
import { Effect } from "effect"
import { makeAppend, makeLogged } from "./Audit.ts"
import { type Bound, firstOf, list, type Part, type Row, valuesOf } from "./Columns.ts"
import { insertInto, isAny, type Query, readAll, readOne, repeatable, type Sql } from "./Sql.ts"

const selectSession = "select * from operator_sessions join operators on operators.id = operator_id where hash = $1"
const recordSeen = "update operator_sessions set seen_at = $2 where hash = $1 and seen_at < $2"
const countGuess = `insert into sign_in_guesses as stored (key, since, count) values ($1, $2, 1)
  on conflict (key) do update set count = stored.count + 1 returning *`

export const makeOperators = <V>(sql: Sql<V>): Ports.Operators => {
  const { bindText, link, readGuesses, readOperator, readSignedIn, session } = sql.rows
  const logged = makeLogged(sql)
  const add = { session: makeAdd(sql, "operator_sessions", session), link: makeAdd(sql, "sign_in_links", link) }
  const writeOperator = makeWrite(sql)
  const one = <A>(operation: string, text: string, key: string, take: (row: Row) => A) =>
    readOne(sql, operation, take, text, [bindText(key)])
  return {
    list: readAll(sql, "operators.list", readOperator, "select * from operators order by id"),
    byLogin: (key) => one("operators.byLogin", "select * from operators where login_key = $1", key, readOperator),
    byId: (id) => one("operators.byId", "select * from operators where id = $1", id, readOperator),
    write: (change) =>
      repeatable(sql, "operators.write", (query) => writeOperator(query, change)).pipe(Effect.flatMap(Ports.logEntry)),
    sessions: readAll(sql, "operators.sessions", session.read, "select * from operator_sessions"),
    session: (hash) => one("operators.session", selectSession, hash, readSignedIn),
    addSession: (added, { createdBefore, seenBefore }, audit) =>
      logged("operators.addSession", audit, (query) =>
        Effect.tap(add.session(query, added), () =>
          query("delete from operator_sessions where signed_in_at < $1 or seen_at < $2", [createdBefore, seenBefore])
        )
      ),
    seen: (hash, at) => Effect.asVoid(sql.update("operators.seen", recordSeen, [bindText(hash), at])),
    endSession: (hash, audit) =>
      logged("operators.endSession", audit, (query) =>
        Effect.map(query("delete from operator_sessions where hash = $1 returning hash", [bindText(hash)]), isAny)
      ),
    endSessionsOf: (id, audit) =>
      logged("operators.endSessionsOf", audit, (query) => endSessionsOf(query, bindText(id))),
    addLink: (added, audit) =>
      logged("operators.addLink", audit, (query) =>
        Effect.tap(add.link(query, added), () =>
          query("delete from sign_in_links where expires_at <= $1", [added.createdAt])
        )
      ),
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
    { audit, endsSessions, needsOtherAdmin, operator }: Ports.OperatorChange
  ) {
    const isNew = operator.version === 1
    const values = bind(operator)
    const written = yield* isNew ? query(insert, values) : query(replace, [...values, operator.version - 1])
    if (written.length === 0) return yield* isNew ? new Ports.LoginTaken() : new Ports.OperatorChanged()
    const id = bindText(operator.id)
    if (endsSessions) yield* endSessionsOf(query, id)
    if (!operator.active) yield* query("delete from passkeys where operator_id = $1", [id])
    const entry = yield* append(query, audit)
    // Those who append take turns: another operator's change is committed and seen here, or waits and sees this one.
    if (needsOtherAdmin) {
      const others = yield* query("select * from operators where id <> $1 and active", [id])
      if (!others.map(readOperator).some(managesOperators)) return yield* new Ports.LastAdmin()
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

/** Adds a record of an operator who is active, and stays so until the transaction ends; whether it was added. */
const makeAdd = <V, A extends { readonly operatorId: string }>(
  { locking, rows: { bindText } }: Sql<V>,
  table: string,
  { columns }: Part<A, V>
) => {
  const select = `select id from operators where id = $1 and active ${locking("for share")}`
  const insert = `${insertInto(table, Object.keys(columns))} on conflict do nothing returning operator_id`
  const bind = valuesOf(columns)
  return (query: Query<V>, record: A) =>
    query(select, [bindText(record.operatorId)]).pipe(
      Effect.flatMap((active) => (isAny(active) ? query(insert, bind(record)) : Effect.succeed([]))),
      Effect.map(isAny)
    )
}

const recordUse = `update passkeys set counter = $2, used_at = $3
  where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning id`
const selectPasskeys = "select * from passkeys where operator_id = $1 order by created_at, id"
const removePasskey = "delete from passkeys where id = $1 and operator_id = $2 returning id"

export const makePasskeys = <V>(sql: Sql<V>): Ports.Passkeys => {
  const { bindText, challenge, passkey } = sql.rows
  const logged = makeLogged(sql)
  const add = makeAdd(sql, "passkeys", passkey)
  const bindChallenge = valuesOf(challenge.columns)
  const insertChallenge = insertInto("passkey_challenges", Object.keys(challenge.columns))
  const takeChallenge = "delete from passkey_challenges where hash = $1 returning *"
  return {
    list: (operatorId) => readAll(sql, "passkeys.list", passkey.read, selectPasskeys, [bindText(operatorId)]),
    byId: (id) => readOne(sql, "passkeys.byId", passkey.read, "select * from passkeys where id = $1", [bindText(id)]),
    add: (added, audit) => logged("passkeys.add", audit, (query) => add(query, added)),
    used: (id, counter, at) => Effect.map(sql.update("passkeys.used", recordUse, [bindText(id), counter, at]), isAny),
    remove: (operatorId, id, audit) =>
      logged("passkeys.remove", audit, (query) =>
        Effect.map(query(removePasskey, [bindText(id), bindText(operatorId)]), isAny)
      ),
    addChallenge: (added, now) =>
      repeatable(sql, "passkeys.addChallenge", (query) =>
        Effect.andThen(
          query("delete from passkey_challenges where expires_at <= $1", [now]),
          Effect.asVoid(query(insertChallenge, bindChallenge(added)))
        )
      ),
    takeChallenge: (hash) =>
      Effect.map(sql.update("passkeys.takeChallenge", takeChallenge, [bindText(hash)]), firstOf(challenge.read))
  }
}
