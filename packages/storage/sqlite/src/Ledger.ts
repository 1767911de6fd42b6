/** Payments in SQLite: one change is a few prepared statements, one read is one. */
import { brokenChange, type Change, Ids, Ledger } from "@pointsman/core/ports"
import { makeDisputes, makeMessages, makePaymentReads, makePaymentSearch } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { bookColumns, booksNamed, booksNaming } from "./Books.ts"
import { checksIn } from "./Checks.ts"
import { type CommitterOptions, make as makeCommitter } from "./Committer.ts"
import { type Database, emptyLog, read, snapshot } from "./Database.ts"
import { messagesIn } from "./Messages.ts"
import { searchForm } from "./PaymentSearch.ts"
import type { Search } from "./SearchThread.ts"
import { sqlOf } from "./Sql.ts"
import { writeChange } from "./WriteChange.ts"

/*
 * Where a read needs an index it names it: without statistics SQLite may prefer another one, and walk all that a tenant has.
 */

export const make = Effect.fnUntraced(function* (
  db: Database,
  { search, ...options }: CommitterOptions & { readonly search?: Search | undefined } = {}
) {
  const ids = yield* Ids
  const context = yield* Effect.context<never>()
  // How many are needed is known inside the transaction alone, which does not pause.
  const newDeliveryId = () => Effect.runSyncWith(context)(ids.delivery)
  // Its statements are prepared here, which a database that lost a table refuses.
  const write = yield* read("open", () => writeChange(db, newDeliveryId))
  const sql = sqlOf(db, search)
  const ofMessages = messagesIn(db)
  const enqueue = yield* makeCommitter(db, write, options)
  /** Payments whose texts were erased, up to the commit that erases what their own row holds. */
  const erasing = new Set<string>()
  const commitErasure = (change: Change) =>
    Effect.tap(enqueue(change), () => {
      erasing.delete(change.payment.after.id)
      return Effect.flatMap(emptyLog(db), (isEmpty) => (isEmpty ? Effect.void : Effect.logWarning(stillInLog)))
    })

  return Ledger.of({
    commit: (change) =>
      Effect.suspend(() => {
        const broken = brokenChange(change)
        if (broken !== undefined) return Effect.die(new Error(`Ledger.commit: ${broken}`))
        return erasing.has(change.payment.after.id) ? commitErasure(change) : enqueue(change)
      }),
    ...ofMessages,
    messages: makeMessages(sql, (tenant, charges) =>
      read("messages", () => charges.flatMap((charge) => booksNaming(db, tenant, charge)))
    ),
    ...checksIn(db),
    ...makePaymentReads(sql, {
      bookColumns,
      isSent: "is_sent = 1",
      reviews: {
        select: (ofTenant) => `select * from ${sql.by("payments", `payments_reviewed${ofTenant ? "_of_tenant" : ""}`)}`,
        is: "review_since is not null",
        t: "t",
        id: "id",
        byTime: "review_since, id",
        byAmount: "currency, -amount_minor, id"
      },
      booksNamed: (tenant, name) => read("bookOf", () => snapshot(db, () => booksNamed(db, tenant, name))),
      booksNaming: (tenant, charge) => read("bookOf", () => snapshot(db, () => booksNaming(db, tenant, charge))),
      events: (_, statement) => sql.read("events", ...statement())
    }),
    ...makePaymentSearch(sql, searchForm),
    ...makeDisputes(sql),
    eraseTexts: (tenant, erasure) => {
      erasing.add(erasure.paymentId)
      return ofMessages.eraseTexts(tenant, erasure)
    }
  })
})

const stillInLog =
  "Erased texts are still in the log of the database (the -wal file), because another process reads it. The next " +
  "erasure empties the log, and so does the last process that closes the database"
