/** Passkeys and their challenges in PostgreSQL. A passkey is added while its operator's row is locked. */
import type { Passkeys } from "@pointsman/core/ports"
import { valuesOf } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import type { Database } from "./Database.ts"
import { loggedIn, transactions, whileActive } from "./LoggedSteps.ts"
import { bindText, bindValue, insertInto, rows } from "./Rows.ts"

const { challengeColumns, passkeyColumns, readChallenge, readPasskey } = rows
const bindPasskey = valuesOf(passkeyColumns)
const bindChallenge = valuesOf(challengeColumns)
const insertPasskey = `${insertInto("passkeys", Object.keys(passkeyColumns))} on conflict (id) do nothing returning id`
const insertChallenge = insertInto("passkey_challenges", Object.keys(challengeColumns))
const selectOf = "select * from passkeys where operator_id = $1 order by created_at, id"
const recordUse = `update passkeys set counter = $2::text::bigint, used_at = $3::text::bigint
  where id = $1 and (counter < $2::text::bigint or (counter = 0 and $2::text::bigint = 0)) returning id`
const deletePasskey = "delete from passkeys where id = $1 and operator_id = $2 returning id"

/** Whether a statement changed a row, as `logged` takes it. */
const changedRow = (found: ReadonlyArray<unknown> | undefined): true | undefined =>
  found !== undefined && found.length > 0 ? true : undefined

export const make = (db: Database): Passkeys => {
  const transaction = transactions(db)
  const logged = loggedIn(db)
  return {
    list: (operatorId) =>
      Effect.map(db.read("passkeys.list", selectOf, [bindText(operatorId)]), (found) => found.map(readPasskey)),
    byId: (id) =>
      Effect.map(db.read("passkeys.byId", "select * from passkeys where id = $1", [bindText(id)]), ([row]) =>
        Option.map(Option.fromUndefinedOr(row), readPasskey)
      ),
    add: (passkey, audit) =>
      Effect.map(
        logged("passkeys.add", audit, (query) =>
          Effect.map(
            whileActive(query, passkey.operatorId, insertPasskey, bindPasskey(passkey).map(bindValue)),
            changedRow
          )
        ),
        (added) => added === true
      ),
    used: (id, counter, at) =>
      Effect.map(
        transaction("passkeys.used", (query) => query(recordUse, [bindText(id), String(counter), String(at)])),
        (found) => found.length > 0
      ),
    remove: (operatorId, id, audit) =>
      Effect.map(
        logged("passkeys.remove", audit, (query) =>
          Effect.map(query(deletePasskey, [bindText(id), bindText(operatorId)]), changedRow)
        ),
        (removed) => removed === true
      ),
    addChallenge: (challenge, now) =>
      Effect.asVoid(
        transaction("passkeys.addChallenge", (query) =>
          Effect.andThen(
            query("delete from passkey_challenges where expires_at <= $1::text::bigint", [String(now)]),
            query(insertChallenge, bindChallenge(challenge).map(bindValue))
          )
        )
      ),
    takeChallenge: (hash) =>
      Effect.map(
        transaction("passkeys.takeChallenge", (query) =>
          query("delete from passkey_challenges where hash = $1 returning *", [bindText(hash)])
        ),
        ([row]) => Option.map(Option.fromUndefinedOr(row), readChallenge)
      )
  }
}
