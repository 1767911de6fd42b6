/** Sealed texts in SQLite. */
import type { SQLInputValue } from "node:sqlite"
import { derivationKey, type SealedKind, type SealedReplacement, SealedTexts } from "@pointsman/core/ports"
import { list, sealedPlaces, sealedUrlOf, sealedUrlPart } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { type Database, read, update } from "./Database.ts"
import { bindText, readText } from "./Rows.ts"

const selectDerivation = "select sealed from kept_secrets where name = ?"
const addDerivation = "insert into kept_secrets (name, sealed) values (?, ?) on conflict do nothing"

/** `forget`: drops what this process keeps of the directory. */
export const make = (db: Database, forget: () => void): SealedTexts["Service"] => {
  const derivation = () => {
    const row = db.prepare(selectDerivation).get(...derivationKey)
    return Option.map(Option.fromUndefinedOr(row), (found) => readText(found["sealed"]))
  }
  return SealedTexts.of({
    list: ({ after, kind, limit }) =>
      read("sealedTexts", () => {
        const { column, key, table, where } = sealedPlaces[kind]
        const isLater = after === null ? "" : ` and (${list(key)}) > (${list(key.map(() => "?"))})`
        return db
          .prepare(
            `select ${list(key)}, ${column} as sealed from ${table} where ${where}${isLater} order by ${list(key)} limit ?`
          )
          .all(...(after ?? []).map(bindText), limit)
          .map((row) => ({
            kind,
            key: key.map((name) => readText(row[name])),
            sealed: kind === "checkout" ? sealedUrlOf(row["sealed"] as string) : readText(row["sealed"])
          }))
      }),
    replace: (kind, replacements) =>
      Effect.ensuring(
        update(db, "replaceSealed", () => {
          const statement = db.prepare(replaceOf(kind))
          return replacements.reduce((sum, one) => sum + Number(statement.run(...bind(one)).changes), 0)
        }),
        Effect.sync(forget)
      ),
    derivation: read("derivation", derivation),
    keepDerivation: (sealed) =>
      update(db, "keepDerivation", () => {
        db.prepare(addDerivation).run(...derivationKey, bindText(sealed))
        return Option.getOrThrow(derivation())
      })
  })
}

const replaceOf = (kind: SealedKind): string => {
  const { column, key, table } = sealedPlaces[kind]
  const ofRecord = key.map((name) => `${name} = ?`).join(" and ")
  return kind === "checkout"
    ? `update ${table} set ${column} = replace(${column}, ?1, ?2) where ${ofRecord} and instr(${column}, ?1) > 0`
    : `update ${table} set ${column} = ?2 where ${ofRecord} and ${column} = ?1`
}

const bind = ({ expected, key, kind, sealed }: SealedReplacement): ReadonlyArray<SQLInputValue> => [
  ...[expected, sealed].map(kind === "checkout" ? sealedUrlPart : bindText),
  ...key.map(bindText)
]
