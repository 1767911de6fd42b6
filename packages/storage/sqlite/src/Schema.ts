/** The text of `schema.sql`, behind what all databases share. The build puts it into the bundle in the place of this reading. */
import { readFileSync } from "node:fs"
import { schemaIn } from "@pointsman/storage-sql"

const shared = schemaIn([
  [/^( {2})(\w+) boolean/gmu, "$1$2 integer check ($2 in (0, 1))"],
  [/^( {2}\w+) list/gmu, "$1 text"],
  [/md5\((\w+)\)/gu, "$1"],
  [/^\);$/gmu, ") strict;"],
  [/^\) without rowid.*;$/gmu, ") strict, without rowid;"]
])

export const schema = `${shared}\n${readFileSync(new URL("./schema.sql", import.meta.url), "utf8")}`
