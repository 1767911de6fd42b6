/** Payments in SQLite: one change is a few prepared statements, one read is one. */
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import {
  brokenChange,
  type Change,
  type EventQuery,
  Ids,
  Ledger,
  type MessageSubject,
  type ReviewQuery,
  type StorageError,
  type TimelineQuery,
  type UsageQuery
} from "@pointsman/core/ports"
import { type BookRows, type Row, unindexedType } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { dueByConnection, postpone, roomsDue, takeDue, watched } from "./Checks.ts"
import { readClaim, selectClaim } from "./Claims.ts"
import { selectRefunds } from "./CommitStatement.ts"
import { type CommitterOptions, make as makeCommitter } from "./Committer.ts"
import { type Database, emptyLog, read, snapshot, update } from "./Database.ts"
import { disputeMethods } from "./Disputes.ts"
import { eraseTexts } from "./Erasure.ts"
import { keepMessage, selectMessage, selectMessages, selectSubjects, storeMessage } from "./Messages.ts"
import { forgetClaims, selectOldClaims } from "./OldClaims.ts"
import { selectPayments } from "./PaymentSearch.ts"
import { bindTenant, bindText, rows } from "./Rows.ts"
import { writeChange } from "./WriteChange.ts"

/*
 * Where a read needs an index it names it: the primary key also leads with the tenant, and without statistics SQLite
 * walks all that the tenant has in the order of ids, rather than the few rows of one payment, state or type.
 */

const ofTenant = "workspace_id = ? and environment = ?"
const selectPayment = `select * from payments where ${ofTenant} and id = ?`
const selectAttempts = `select * from attempts where ${ofTenant} and payment_id = ? order by number`
const selectOperations = `select * from operations where ${ofTenant} and payment_id = ? order by sent_at, id`
const selectPageOwner = "select * from payments where page_token_hash = ?"

export const make = Effect.fnUntraced(function* (db: Database, options: CommitterOptions = {}) {
  const ids = yield* Ids
  const context = yield* Effect.context<never>()
  // How many are needed is known inside the transaction alone, which does not pause.
  const newDeliveryId = () => Effect.runSyncWith(context)(ids.delivery)
  // Its statements are prepared here, which a database that lost a table refuses.
  const write = yield* read("open", () => writeChange(db, newDeliveryId))
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
    payment: (tenant, id) =>
      one("payment", () => db.prepare(selectPayment).get(...bindTenant(tenant), bindText(id)), rows.readPayment),
    book: (tenant, id) => one("book", () => selectBook(db, tenant, id), rows.readBook),
    bookOf: (tenant, subject) =>
      one(
        "bookOf",
        () => selectBookOf(db, tenant, subject),
        ({ book, others }) => ({ book: rows.readBook(book), others })
      ),
    storeMessage: (tenant, message) => storeMessage(db, tenant, message),
    keepMessage: (tenant, message, seen) => keepMessage(db, tenant, message, seen),
    message: (tenant, connectionId, eventId) =>
      one("message", () => selectMessage(db, tenant, connectionId, eventId), rows.readMessage),
    messages: (query) => all("messages", () => selectMessages(db, query), rows.readTenantMessage),
    paymentOfPage: (tokenHash) =>
      one("paymentOfPage", () => db.prepare(selectPageOwner).get(tokenHash), rows.readPayment),
    takeDue: (query) =>
      Effect.flatMap(
        // Without work nothing is written at all.
        read("takeDue", () => roomsDue(db, query)),
        (rooms) => (rooms.length === 0 ? Effect.succeed([]) : update(db, "takeDue", () => takeDue(db, rooms, query)))
      ),
    postpone: (payment, checkAt) => read("postpone", () => postpone(db, payment, checkAt)),
    watched: (limit) => read("watched", () => watched(db, limit)),
    dueByConnection: (query) => read("dueByConnection", () => dueByConnection(db, query)),
    reviews: (query) => all("reviews", () => selectReviews(db, query), rows.readPayment),
    usage: (query) => read("usage", () => countUsage(db, query)),
    payments: (tenant, query) => all("payments", () => selectPayments(db, tenant, query), rows.readPayment),
    attempts: (tenant, paymentId) =>
      all(
        "attempts",
        () => db.prepare(selectAttempts).all(...bindTenant(tenant), bindText(paymentId)),
        rows.readAttempt
      ),
    claim: (tenant, key) => one("claim", () => snapshot(db, () => selectClaim(db)(tenant, key)), readClaim),
    oldClaims: (query) =>
      all(
        "oldClaims",
        () => selectOldClaims(db, query),
        ({ claim, payment: row }) => {
          const payment = rows.readPayment(row)
          return { tenant: rows.readTenant(claim), claim: rows.readClaim(claim, payment), payment }
        }
      ),
    forgetClaims: (claims) => forgetClaims(db, claims),
    ...disputeMethods(db),
    eraseTexts: (tenant, erasure) => {
      erasing.add(erasure.paymentId)
      return eraseTexts(db, tenant, erasure)
    },
    timeline: (tenant, paymentId, query) =>
      all("timeline", () => selectTimeline(db, tenant, paymentId, query), rows.readEvent),
    events: (tenant, query) => all("events", () => selectEvents(db, tenant, query), rows.readEvent)
  })
})

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

const selectTimeline = (
  db: Database,
  tenant: Tenant,
  paymentId: string,
  { after, limit }: TimelineQuery
): ReadonlyArray<Row> =>
  db
    .prepare(`select * from events indexed by events_by_payment
      where ${ofTenant} and payment_id = ? and id > ? order by id limit ?`)
    .all(...bindTenant(tenant), bindText(paymentId), after ?? "", limit)

const selectEvents = (db: Database, tenant: Tenant, { after, before, limit, type }: EventQuery): ReadonlyArray<Row> => {
  const isIndexed = type !== undefined && type !== unindexedType
  return db
    .prepare(
      `select * from events ${isIndexed ? "indexed by events_by_later_type" : ""}
      where ${ofTenant} ${type === undefined ? "" : "and type = ?"}
      ${isIndexed ? `and type <> '${unindexedType}'` : ""}
      ${after === undefined ? "" : "and id > ?"}
      ${before === undefined ? "" : "and id < ?"}
      order by id ${after !== undefined && before === undefined ? "asc" : "desc"} limit ?`
    )
    .all(...bindTenant(tenant), ...[type, after, before].filter((value) => value !== undefined), limit)
}

/** A walk along the payments that wait, which are few: the others are not in the index. By amount they are sorted. */
const selectReviews = (db: Database, query: ReviewQuery): ReadonlyArray<Row> => {
  const { limit, paymentId, tenant } = query
  const [place, after] = reviewPlace(query)
  return db
    .prepare(`select * from payments indexed by payments_reviewed where review_since is not null
      ${after === undefined ? "" : `and (${place}) > (${after.map(() => "?").join(", ")})`}
      ${paymentId === undefined ? "" : "and id = ?"}
      ${tenant === undefined ? "" : `and ${ofTenant}`}
      order by ${place} limit ?`)
    .all(
      ...(after ?? []),
      ...(paymentId === undefined ? [] : [bindText(paymentId)]),
      ...(tenant === undefined ? [] : bindTenant(tenant)),
      limit
    )
}

/** By what reviews are ordered, and its values of the last one of the page before. */
const reviewPlace = ({
  after,
  byAmount
}: ReviewQuery): readonly [columns: string, after: ReadonlyArray<SQLInputValue> | undefined] => {
  if (byAmount === undefined) return ["review_since, id", after && [after.since, bindText(after.paymentId)]]
  const last = byAmount.after
  return [
    "currency, -amount_minor, id",
    last && [last.money.currency, -last.money.minorUnits, bindText(last.paymentId)]
  ]
}

const selectBook = (db: Database, tenant: Tenant, id: string): BookRows | undefined =>
  snapshot(db, () => selectBookRows(db, tenant, id))

export const selectBookRows = (db: Database, tenant: Tenant, id: string): BookRows | undefined => {
  const key = [...bindTenant(tenant), bindText(id)]
  const payment = db.prepare(selectPayment).get(...key)
  if (payment === undefined) return undefined
  return {
    payment,
    attempts: db.prepare(selectAttempts).all(...key),
    operations: db.prepare(selectOperations).all(...key),
    refunds: db.prepare(selectRefunds).all(...key)
  }
}

const selectBookOf = (db: Database, tenant: Tenant, subject: MessageSubject) =>
  snapshot(db, () => {
    const [paymentId, ...others] = selectSubjects(db, tenant, subject)
    const book = paymentId === undefined ? undefined : selectBookRows(db, tenant, paymentId)
    return book === undefined ? undefined : { book, others }
  })

const countUsage = (db: Database, { from, until, workspaceId }: UsageQuery): number =>
  db
    .prepare(`select count(*) as count from payments indexed by payments_by_creation
      where ${ofTenant} and created_at >= ? and created_at < ? and exists (
        select 1 from attempts
        where attempts.workspace_id = payments.workspace_id and attempts.environment = payments.environment
          and payment_id = payments.id and outcome is not null and outcome not in ('NotSent', 'Abandoned')
      )`)
    .get(...bindTenant({ workspaceId, environment: "production" }), from, until)?.["count"] as number
