/** Payments in SQLite: one change is a few prepared statements, one read is one. */
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import {
  brokenChange,
  type Change,
  Ids,
  Ledger,
  type ReviewQuery,
  type StorageError,
  type UsageQuery
} from "@pointsman/core/ports"
import { makeDisputes, makeMessages, type Row } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { booksNaming, readBook, readPayment, selectRow } from "./Books.ts"
import { dueByConnection, postpone, roomsDue, takeDue, watched } from "./Checks.ts"
import { forgetClaims, selectClaim, selectOldClaims } from "./Claims.ts"
import { type CommitterOptions, make as makeCommitter } from "./Committer.ts"
import { type Database, emptyLog, read, snapshot, update } from "./Database.ts"
import { eraseTexts } from "./Erasure.ts"
import { readEvent, selectEvents, selectTimeline } from "./Events.ts"
import { bindBound, bindId, type Tenants, tenantsOf } from "./Keys.ts"
import { keepMessage, selectMessage, selectSubjects, storeMessage } from "./Messages.ts"
import { selectPayments } from "./PaymentSearch.ts"
import { bindText, rows } from "./Rows.ts"
import { sqlOf } from "./Sql.ts"
import { writeChange } from "./WriteChange.ts"

/*
 * Where a read needs an index it names it: without statistics SQLite may prefer another one, and walk all that a tenant has.
 */

export const make = Effect.fnUntraced(function* (db: Database, options: CommitterOptions = {}) {
  const ids = yield* Ids
  const context = yield* Effect.context<never>()
  // How many are needed is known inside the transaction alone, which does not pause.
  const newDeliveryId = () => Effect.runSyncWith(context)(ids.delivery)
  // Its statements are prepared here, which a database that lost a table refuses.
  const write = yield* read("open", () => writeChange(db, newDeliveryId))
  const tenants = tenantsOf(db)
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
        know(tenants, change.tenant)
        return erasing.has(change.payment.after.id) ? commitErasure(change) : enqueue(change)
      }),
    storeMessage: (tenant, message) => storeMessage(db, tenant, message),
    keepMessage: (tenant, message, seen) => keepMessage(db, tenant, message, seen),
    message: (tenant, connectionId, eventId) =>
      one("message", () => selectMessage(db, tenant, connectionId, eventId), rows.readMessage),
    messages: makeMessages(sqlOf(db), (tenant, charges) =>
      read("messages", () => charges.flatMap((charge) => booksNaming(db, tenant, charge)))
    ),
    takeDue: (query) =>
      Effect.flatMap(
        // Without work nothing is written at all.
        read("takeDue", () => roomsDue(db, query)),
        (rooms) => (rooms.length === 0 ? Effect.succeed([]) : update(db, "takeDue", () => takeDue(db, rooms, query)))
      ),
    postpone: (payment, checkAt) => read("postpone", () => postpone(db, payment, checkAt)),
    watched: (limit) => read("watched", () => watched(db, limit)),
    dueByConnection: (query) => read("dueByConnection", () => dueByConnection(db, query)),
    forgetClaims: (claims) => forgetClaims(db, claims),
    ...reads(db),
    ...makeDisputes(sqlOf(db)),
    eraseTexts: (tenant, erasure) => {
      erasing.add(erasure.paymentId)
      return eraseTexts(db, tenant, erasure)
    }
  })
})

type Reads = Pick<
  Ledger["Service"],
  | "payment"
  | "book"
  | "bookOf"
  | "paymentOfPage"
  | "reviews"
  | "usage"
  | "payments"
  | "attempts"
  | "claim"
  | "oldClaims"
  | "timeline"
  | "events"
>

const reads = (db: Database): Reads => {
  const readOf = (row: Row) => readPayment(tenantsOf(db).read(row["t"]), row)
  return {
    payment: (tenant, id) =>
      one(
        "payment",
        () => selectRow(db, tenant, id),
        (row) => readPayment(tenant, row)
      ),
    book: (tenant, id) =>
      one(
        "book",
        () => selectRow(db, tenant, id),
        (row) => readBook(tenant, row)
      ),
    bookOf: (tenant, subject) =>
      Effect.map(
        read("bookOf", () => snapshot(db, () => selectSubjects(db, tenant, subject))),
        ([book, ...others]) =>
          book === undefined ? Option.none() : Option.some({ book, others: others.map(({ payment }) => payment.id) })
      ),
    paymentOfPage: (tokenHash) =>
      one("paymentOfPage", () => db.prepare(selectPageOwner).get(bindText(tokenHash)), readOf),
    reviews: (query) => all("reviews", () => selectReviews(db, query), readOf),
    usage: (query) => read("usage", () => countUsage(db, query)),
    payments: (tenant, query) =>
      all(
        "payments",
        () => snapshot(db, () => selectPayments(db, tenant, query)),
        (row) => readPayment(tenant, row)
      ),
    attempts: (tenant, paymentId) =>
      Effect.map(
        one(
          "attempts",
          () => selectRow(db, tenant, paymentId),
          (row) => readBook(tenant, row)
        ),
        Option.match({ onNone: () => [], onSome: ({ attempts }) => attempts })
      ),
    claim: (tenant, key) =>
      one(
        "claim",
        () => selectClaim(db, tenant, key),
        (claim) => claim
      ),
    oldClaims: (query) => read("oldClaims", () => selectOldClaims(db, query)),
    timeline: (tenant, paymentId, query) =>
      all(
        "timeline",
        () => selectTimeline(db, tenant, paymentId, query),
        (row) => readEvent(tenant, row)
      ),
    events: (tenant, query) =>
      all(
        "events",
        () => selectEvents(db, tenant, query),
        (row) => readEvent(tenant, row)
      )
  }
}

/** Kept for the transaction, which keeps none. A database that fails does so again there. */
const know = (tenants: Tenants, tenant: Tenant): void => {
  try {
    tenants.find(tenant)
  } catch {}
}

const stillInLog =
  "Erased texts are still in the log of the database (the -wal file), because another process reads it. The next " +
  "erasure empties the log, and so does the last process that closes the database"

const one = <R, A>(
  operation: string,
  select: () => R | undefined,
  readRow: (row: R) => A
): Effect.Effect<Option.Option<A>, StorageError> =>
  Effect.map(read(operation, select), (row) => Option.map(Option.fromUndefinedOr(row), readRow))

const all = <R, A>(
  operation: string,
  select: () => ReadonlyArray<R>,
  readRow: (row: R) => A
): Effect.Effect<ReadonlyArray<A>, StorageError> =>
  Effect.map(read(operation, select), (found) => found.map((row) => readRow(row)))

const selectPageOwner = "select * from payments indexed by payments_by_page where page = ?"

/** A walk along the payments that wait, which are few: the others are not in the index. By amount they are sorted. */
const selectReviews = (db: Database, query: ReviewQuery): ReadonlyArray<Row> => {
  const { limit, paymentId, tenant } = query
  const [place, after] = reviewPlace(query)
  return db
    .prepare(`select * from payments indexed by payments_reviewed where review_since is not null
      ${after === undefined ? "" : `and (${place}) > (${after.map(() => "?").join(", ")})`}
      ${paymentId === undefined ? "" : "and id = ?"}
      ${tenant === undefined ? "" : "and t = ?"}
      order by ${place} limit ?`)
    .all(
      ...(after ?? []),
      ...(paymentId === undefined ? [] : [bindId(paymentId)]),
      ...(tenant === undefined ? [] : [tenantsOf(db).find(tenant)]),
      limit
    )
}

/** By what reviews are ordered, and its values of the last one of the page before. */
const reviewPlace = ({
  after,
  byAmount
}: ReviewQuery): readonly [columns: string, after: ReadonlyArray<SQLInputValue> | undefined] => {
  if (byAmount === undefined) return ["review_since, id", after && [after.since, bindBound(after.paymentId)]]
  const last = byAmount.after
  return [
    "currency, -amount_minor, id",
    last && [last.money.currency, -last.money.minorUnits, bindBound(last.paymentId)]
  ]
}

const countUsage = (db: Database, { from, until, workspaceId }: UsageQuery): number =>
  db
    .prepare(`select count(*) as count from payments indexed by payments_sent
      where t = ? and is_sent = 1 and created_at >= ? and created_at < ?`)
    .get(tenantsOf(db).find({ workspaceId, environment: "production" }), from, until)?.["count"] as number
