/** Passkeys and their challenges in SQLite. Each method is one write transaction, or reads one statement. */
import type { Passkeys } from "@pointsman/core/ports"
import { valuesOf } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { logged } from "./Audit.ts"
import { type Database, read, update } from "./Database.ts"
import { bindText, insertInto, rows } from "./Rows.ts"

const { challengeColumns, passkeyColumns, readChallenge, readPasskey } = rows
const bindPasskey = valuesOf(passkeyColumns)
const bindChallenge = valuesOf(challengeColumns)
const insertPasskey = `${insertInto("passkeys", Object.keys(passkeyColumns))} on conflict (id) do nothing`
const insertChallenge = insertInto("passkey_challenges", Object.keys(challengeColumns))
const recordUse = `update passkeys set counter = ?2, used_at = ?3
  where id = ?1 and (counter < ?2 or (counter = 0 and ?2 = 0))`

/** Whether a statement changed a row, as `logged` takes it. */
const changedRow = ({ changes }: { readonly changes: number | bigint }): true | undefined =>
  Number(changes) > 0 ? true : undefined

export const make = (db: Database): Passkeys => {
  const isActive = (id: string): boolean =>
    db.prepare("select 1 from operators where id = ? and active = 1").get(bindText(id)) !== undefined
  return {
    list: (operatorId) =>
      read("passkeys.list", () =>
        db
          .prepare("select * from passkeys where operator_id = ? order by created_at, id")
          .all(bindText(operatorId))
          .map(readPasskey)
      ),
    byId: (id) =>
      read("passkeys.byId", () =>
        Option.map(
          Option.fromUndefinedOr(db.prepare("select * from passkeys where id = ?").get(bindText(id))),
          readPasskey
        )
      ),
    add: (passkey, audit) =>
      Effect.map(
        logged(db, "passkeys.add", audit, () =>
          isActive(passkey.operatorId) ? changedRow(db.prepare(insertPasskey).run(...bindPasskey(passkey))) : undefined
        ),
        (added) => added === true
      ),
    used: (id, counter, at) =>
      update(db, "passkeys.used", () => changedRow(db.prepare(recordUse).run(bindText(id), counter, at)) === true),
    remove: (operatorId, id, audit) =>
      Effect.map(
        logged(db, "passkeys.remove", audit, () =>
          changedRow(
            db.prepare("delete from passkeys where id = ? and operator_id = ?").run(bindText(id), bindText(operatorId))
          )
        ),
        (removed) => removed === true
      ),
    addChallenge: (challenge, now) =>
      update(db, "passkeys.addChallenge", () => {
        db.prepare("delete from passkey_challenges where expires_at <= ?").run(now)
        db.prepare(insertChallenge).run(...bindChallenge(challenge))
      }),
    takeChallenge: (hash) =>
      update(db, "passkeys.takeChallenge", () =>
        Option.map(
          Option.fromUndefinedOr(db.prepare("delete from passkey_challenges where hash = ? returning *").get(hash)),
          readChallenge
        )
      )
  }
}
