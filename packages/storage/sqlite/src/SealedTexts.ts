/** Sealed texts in SQLite: attempts, which have some, are in the books of their payments. */
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import { type SealedReplacement, type SealedText, SealedTexts } from "@pointsman/core/ports"
import { makeSealedTexts, type Sql, sealedUrlPart } from "@pointsman/storage-sql"
import { readBook } from "./Books.ts"
import { type Database, read, update } from "./Database.ts"
import { bindBound, bindId, tenantsOf } from "./Keys.ts"

export const make = (
  db: Database,
  sql: Sql<SQLInputValue>,
  form: Parameters<typeof makeSealedTexts<SQLInputValue>>[1]
): SealedTexts["Service"] => {
  const others = makeSealedTexts(sql, form, { column: (name) => name, value: (_, place) => place })
  return SealedTexts.of({
    ...others,
    list: (query) =>
      query.kind === "checkout"
        ? read("sealedTexts", () => listCheckouts(db, query.after, query.limit))
        : others.list(query),
    replace: (kind, replacements) =>
      kind === "checkout"
        ? update(db, "replaceSealed", () => replacements.reduce((sum, one) => sum + replaceCheckout(db)(one), 0))
        : others.replace(kind, replacements)
  })
}

const selectWithCheckout = `select * from payments indexed by payments_with_checkout
  where instr(book, '"sealedUrl"') > 0 and (t, id) >= (?, ?) order by t, id limit ?`

const listCheckouts = (db: Database, after: ReadonlyArray<string> | null, limit: number): ReadonlyArray<SealedText> => {
  const [workspaceId = "", environment = "", paymentId = "", attemptId = ""] = after ?? []
  const t = after === null ? 0 : tenantsOf(db).find({ workspaceId, environment } as Tenant)
  return db
    .prepare(selectWithCheckout)
    .all(t, bindBound(paymentId), limit + 1)
    .flatMap((row) => {
      const tenant = tenantsOf(db).read(row["t"])
      const { attempts, payment } = readBook(tenant, row)
      return attempts
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .flatMap(({ checkout, id }) => (checkout === null ? [] : [{ id, sealed: checkout.sealedUrl }]))
        .filter(({ id }) => row["t"] !== t || payment.id !== paymentId || id > attemptId)
        .map(({ id, sealed }) => ({
          kind: "checkout" as const,
          key: [tenant.workspaceId, tenant.environment, payment.id, id],
          sealed
        }))
    })
    .slice(0, limit)
}

/** With a version of its own: who decided on the book as it was must not write the former text back. */
const replaceCheckout = (db: Database): ((replacement: SealedReplacement) => number) => {
  const statement = db.prepare(`update payments indexed by payments_by_id
    set version = version + 1, book = replace(book, ?, ?) where t = ? and id = ? and instr(book, ?) > 0`)
  return ({ expected, key: [workspaceId, environment, paymentId = ""], sealed }) => {
    const t = tenantsOf(db).find({ workspaceId, environment } as Tenant)
    const [before, after] = [sealedUrlPart(expected), sealedUrlPart(sealed)]
    return Number(statement.run(before, after, t, bindId(paymentId), before).changes)
  }
}
