/** Passkeys and their challenges. A passkey is added while its operator's row is locked. */
import type { Passkeys } from "@pointsman/core/ports"
import { Effect } from "effect"
import { makeLogged } from "./Audit.ts"
import { firstOf, type Row, valuesOf } from "./Columns.ts"
import { whileActive } from "./Operators.ts"
import { insertInto, readAll, readOne, repeatable, type Sql } from "./Sql.ts"

const recordUse = `update passkeys set counter = $2, used_at = $3
  where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning id`

const selectAll = "select * from passkeys where operator_id = $1 order by created_at, id"

export const makePasskeys = <V>(sql: Sql<V>): Passkeys => {
  const { bindText, challenge, passkey } = sql.rows
  const logged = makeLogged(sql)
  const bindPasskey = valuesOf(passkey.columns)
  const bindChallenge = valuesOf(challenge.columns)
  const insertPasskey = `${insertInto("passkeys", Object.keys(passkey.columns))} on conflict (id) do nothing returning id`
  const insertChallenge = insertInto("passkey_challenges", Object.keys(challenge.columns))
  return {
    list: (operatorId) => readAll(sql, "passkeys.list", passkey.read, selectAll, [bindText(operatorId)]),
    byId: (id) => readOne(sql, "passkeys.byId", passkey.read, "select * from passkeys where id = $1", [bindText(id)]),
    add: (added, audit) =>
      Effect.map(
        logged("passkeys.add", audit, (query) =>
          Effect.map(whileActive(sql, query, added.operatorId, insertPasskey, bindPasskey(added)), changedRow)
        ),
        (isAdded) => isAdded === true
      ),
    used: (id, counter, at) =>
      Effect.map(sql.update("passkeys.used", recordUse, [bindText(id), counter, at]), ({ length }) => length > 0),
    remove: (operatorId, id, audit) =>
      Effect.map(
        logged("passkeys.remove", audit, (query) =>
          Effect.map(
            query("delete from passkeys where id = $1 and operator_id = $2 returning id", [
              bindText(id),
              bindText(operatorId)
            ]),
            changedRow
          )
        ),
        (removed) => removed === true
      ),
    addChallenge: (added, now) =>
      Effect.asVoid(
        repeatable(sql, "passkeys.addChallenge", (query) =>
          Effect.andThen(
            query("delete from passkey_challenges where expires_at <= $1", [now]),
            query(insertChallenge, bindChallenge(added))
          )
        )
      ),
    takeChallenge: (hash) =>
      Effect.map(
        sql.update("passkeys.takeChallenge", "delete from passkey_challenges where hash = $1 returning *", [
          bindText(hash)
        ]),
        firstOf(challenge.read)
      )
  }
}

/** Whether a statement changed a row, as `makeLogged` takes it. */
const changedRow = (found: ReadonlyArray<Row> | undefined): true | undefined =>
  found !== undefined && found.length > 0 ? true : undefined
