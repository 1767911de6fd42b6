/** Sealed texts over many nodes: those of payments are read of each node. */
import { SealedTexts } from "@pointsman/core/ports"
import {
  type DirectoryForm,
  makeSealedTexts,
  pageOfSealed,
  readSealed,
  type Sql,
  sealedPlaces
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { bindText, readText, type Value } from "../Rows.ts"
import { keyForm } from "../SealedTexts.ts"
import { merged } from "./Merged.ts"
import type { NodeReads } from "./NodeReads.ts"
import { places } from "./Places.ts"

export const make = (
  sql: Sql<Value>,
  nodes: NodeReads,
  form: Pick<DirectoryForm<Value>, "forget" | "tell">
): SealedTexts["Service"] => {
  const plain = makeSealedTexts(sql, form, keyForm)
  return SealedTexts.of({
    ...plain,
    list: (query) => {
      const { after, kind, limit } = query
      const { key, table } = sealedPlaces[kind]
      if (places[table] !== "workspace") return plain.list(query)
      const params = [String(limit), ...(after ?? []).map(bindText)]
      return Effect.map(nodes.all("sealedTexts", pageOfSealed(kind, after !== null, keyForm), params), (found) =>
        merged(found, (row) => key.map((name) => row[keyForm.column(name)] as string), limit).map(
          readSealed(kind, readText)
        )
      )
    }
  })
}
