/** Sealed texts in SQLite: attempts, which have some, are in the books of their payments. */
import type { SealedTexts } from "@pointsman/core/ports"
import { makeSealedTexts, type Sql } from "@pointsman/storage-sql"
import { readBook, tenantOf } from "./Books.ts"
import { type Database, read, update } from "./Database.ts"
import { bindBefore, bindId, tenantHash } from "./Rows.ts"
import type { Value } from "./Sql.ts"

const selectWithCheckout = `select * from payments indexed by payments_with_checkout
  where instr(book, '"sealedUrl"') > 0 and (t, id) >= (?, ?) order by t, id limit ?`

/** With a version of its own: who decided on the book as it was must not write the former text back. */
const replaceInBook = `update payments indexed by payments_by_id
  set version = version + 1, book = replace(book, ?, ?) where t = ? and id = ? and instr(book, ?) > 0`

export const make = (
  db: Database,
  sql: Sql<Value>,
  form: Parameters<typeof makeSealedTexts<Value>>[1]
): SealedTexts["Service"] =>
  makeSealedTexts(
    sql,
    form,
    { column: (name) => name, value: (_, place) => place },
    {
      books: (from, limit) =>
        read("sealedTexts", () => {
          const t = from === null ? Buffer.of() : tenantHash(from.tenant)
          const found = db.prepare(selectWithCheckout).all(t, bindBefore(from?.paymentId ?? ""), limit)
          return found.map((row) => readBook(tenantOf(db, row), row))
        }),
      replace: (replacements) =>
        update(db, "replaceSealed", () => {
          const statement = db.prepare(replaceInBook)
          return replacements.reduce((sum, { expected, paymentId, sealed, tenant }) => {
            const t = tenantHash(tenant)
            return sum + Number(statement.run(expected, sealed, t, bindId(paymentId), expected).changes)
          }, 0)
        })
    }
  )
