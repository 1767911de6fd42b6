/** Sealed texts over many nodes: those of payments are read of each node, and each is replaced by its own statement. */
import { type SealedKind, SealedTexts } from "@pointsman/core/ports"
import { sealedPlaces, sealedUrlPart } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database, Query } from "../Database.ts"
import { newVersion, tellOthers } from "../Directory.ts"
import { transactions } from "../LoggedSteps.ts"
import { bindText } from "../Rows.ts"
import { indexed, indexedValue, make as makePlain, pageOf, readSealed, replacement } from "../SealedTexts.ts"
import { merged } from "./Merged.ts"
import type { NodeReads } from "./NodeReads.ts"
import { places } from "./Places.ts"

const isSharded = (kind: SealedKind): boolean => places[sealedPlaces[kind].table] === "workspace"

/** As the index orders them: the key of a message has the hash of its event. */
const replaceOne = (kind: SealedKind): string => {
  const { column, key, table } = sealedPlaces[kind]
  const ofRecord = key.map((name, at) => `${indexed(name)} = ${indexedValue(name, `$${at + 3}::text`)}`)
  const [value, isExpected] = replacement(kind, "$1::text", "$2::text")
  return `update ${table} set ${column} = ${value} where ${ofRecord.join(" and ")} and ${isExpected} returning 1 as one`
}

export const make = (db: Database, nodes: NodeReads, forget: Effect.Effect<void>): SealedTexts["Service"] => {
  const plain = makePlain(db, forget)
  return SealedTexts.of({
    ...plain,
    list: (query) => {
      const { after, kind, limit } = query
      if (!isSharded(kind)) return plain.list(query)
      const { key } = sealedPlaces[kind]
      const params = [String(limit), ...(after ?? []).map(bindText)]
      return Effect.map(nodes.all("sealedTexts", pageOf(kind, after !== null), params), (found) =>
        merged(found, (row) => key.map((name) => row[indexed(name)] as string), limit).map(readSealed(kind))
      )
    },
    replace: (kind, replacements) => {
      const { isDirectory } = sealedPlaces[kind]
      const bindSealed = kind === "checkout" ? sealedUrlPart : bindText
      const each = (query: Query): Effect.Effect<number, SqlError> =>
        Effect.map(
          Effect.forEach(replacements, ({ expected, key, sealed }) =>
            query(replaceOne(kind), [bindSealed(expected), bindSealed(sealed), ...key.map(bindText)])
          ),
          (answers) => answers.filter((rows) => rows.length > 0).length
        )
      return transactions(db)("replaceSealed", (query) =>
        isDirectory ? Effect.andThen(Effect.andThen(query(newVersion), query(tellOthers)), each(query)) : each(query)
      ).pipe(Effect.ensuring(isDirectory ? forget : Effect.void))
    }
  })
}
