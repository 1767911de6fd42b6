/** The text of `schema.sql`, behind what all databases share. The build puts it into the bundle in the place of this reading. */
import { readFileSync } from "node:fs"
import { schemaIn } from "@pointsman/storage-sql"

const shared = schemaIn([
  [/^( {2}\w+) (?:any|text)/gmu, '$1 text collate "C"'],
  [/^( {2}\w+) list/gmu, '$1 text[] collate "C"'],
  [/^( {2}\w+) integer/gmu, "$1 bigint"],
  [/^( {2}\w+) real/gmu, "$1 double precision"],
  // Every commit of a tenant would lock the row of an endpoint.
  [/ references webhook_endpoints|,\n {2}foreign key .* references deliveries/gu, ""],
  [/^\) without rowid,?/gmu, ")"]
])

export const schema = `${shared}\n${readFileSync(new URL("./schema.sql", import.meta.url), "utf8")}`
