/** The text of `schema.sql`. The build puts it into the bundle in the place of this reading. */
import { readFileSync } from "node:fs"

export const schema = readFileSync(new URL("./schema.sql", import.meta.url), "utf8")
