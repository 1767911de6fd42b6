/** Payments in PostgreSQL: one change is one statement (`Commit.ts`), and so is one read. */
import type { Tenant } from "@pointsman/core"
import {
  brokenChange,
  Ledger,
  type MessageBook,
  type MessageSubject,
  type PaymentBook,
  type ReviewQuery,
  type StorageError
} from "@pointsman/core/ports"
import { makeDisputes, makeMessages, type Row } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import {
  bindPayment,
  booksNamed,
  booksNaming,
  booksOfCharge,
  readBook,
  readPayment,
  selectPayment,
  storedBook
} from "./Books.ts"
import { dueByConnection, postpone, takeDue, watched } from "./Checks.ts"
import { claimOf, forgetClaims, oldClaims } from "./Claims.ts"
import { type LedgerOptions, makeCommit } from "./Commit.ts"
import type { Database } from "./Database.ts"
import { eraseTexts } from "./Erasure.ts"
import { readEvent, selectEvents, selectTimeline } from "./Events.ts"
import { bindAfter, bindId, type Name, tenantNumber } from "./Keys.ts"
import { keepMessage, selectMessageWithBody, storeMessage } from "./Messages.ts"
import { findPayments } from "./PaymentSearch.ts"
import { makeReads, type Reads } from "./Reads.ts"
import { bindTenant, bindText, readTenant, rows } from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

const selectPageOwner = `select p.*, n.workspace_id, n.environment from payments as p
  cross join lateral (select * from tenants where tenants.t = p.t offset 0) as n where p.page = $1`
const selectUsage = `select count(*)::integer as count from payments
  where t = $1 and created_at >= 0 and created_at >= $2 and created_at < $3 and is_sent`

export const make = Effect.fnUntraced(function* (
  db: Database,
  { reads = makeReads(db, undefined), ...options }: LedgerOptions & { readonly reads?: Reads } = {}
) {
  const commit = yield* makeCommit(db, options)
  const sql = sqlOf(db, reads)
  return Ledger.of({
    commit: (change) =>
      Effect.suspend(() => {
        const broken = brokenChange(change)
        return broken === undefined ? commit(change) : Effect.die(new Error(`Ledger.commit: ${broken}`))
      }),
    payment: (tenant, id) =>
      Effect.map(
        bookOf(db, "payment", tenant, id),
        Option.map(({ payment }) => payment)
      ),
    book: (tenant, id) => bookOf(db, "book", tenant, id),
    bookOf: (tenant, subject) => messageBook(db, tenant, subject),
    storeMessage: (tenant, message) => storeMessage(db, tenant, message),
    keepMessage: (tenant, message, seen) => keepMessage(db, tenant, message, seen),
    message: (tenant, connectionId, eventId) =>
      one(
        db,
        "message",
        selectMessageWithBody,
        [...bindTenant(tenant), bindText(connectionId), bindText(eventId)],
        rows.readMessage
      ),
    messages: makeMessages(sql, (tenant, charges) => booksNaming(db, "messages", tenant, charges)),
    paymentOfPage: (tokenHash) =>
      one(db, "paymentOfPage", selectPageOwner, [bindText(tokenHash)], (row) => readPayment(readTenant(row), row)),
    takeDue: (query) => takeDue(db, query),
    postpone: (payment, checkAt) => postpone(db, payment, checkAt),
    dueByConnection: (query) => dueByConnection(db, query),
    watched: (limit) => watched(db, limit),
    reviews: (query) => all(db, "reviews", ...selectReviews(query), (row) => readPayment(readTenant(row), row)),
    usage: ({ from, until, workspaceId }) => {
      const params = [tenantNumber({ workspaceId, environment: "production" }), String(from), String(until)]
      return Effect.map(db.read("usage", selectUsage, params), ([row]) => row?.["count"] as number)
    },
    payments: (tenant, query) => findPayments(db, reads, tenant, query),
    attempts: (tenant, paymentId) =>
      Effect.map(storedBook(db, "attempts", tenant, paymentId), (book) => book?.attempts ?? []),
    claim: (tenant, key) => claimOf(db, tenant, key),
    oldClaims: (query) => oldClaims(db, query),
    forgetClaims: (claims) => forgetClaims(db, claims),
    ...makeDisputes(sql),
    eraseTexts: (tenant, erasure) => eraseTexts(db, tenant, erasure),
    timeline: (tenant, paymentId, query) =>
      all(db, "timeline", ...selectTimeline(tenant, paymentId, query), (row) => readEvent(tenant, row)),
    events: (tenant, query) =>
      Effect.map(
        reads.events(tenant, (end) => selectEvents(tenant, query, end)),
        (found) => found.map((row) => readEvent(tenant, row))
      )
  })
})

const one = <A>(
  db: Database,
  operation: string,
  sql: string,
  params: ReadonlyArray<string | null>,
  read: (row: Row) => A
): Effect.Effect<Option.Option<A>, StorageError> =>
  Effect.map(db.read(operation, sql, params), ([row]) => Option.map(Option.fromUndefinedOr(row), read))

const all = <A>(
  db: Database,
  operation: string,
  sql: string,
  params: ReadonlyArray<string | null>,
  read: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>, StorageError> =>
  Effect.map(db.read(operation, sql, params), (found) => found.map(read))

const bookOf = (db: Database, operation: string, tenant: Tenant, id: string) =>
  one(db, operation, selectPayment, bindPayment(tenant, id), (row) => readBook(tenant, row))

const messageBook = (
  db: Database,
  tenant: Tenant,
  subject: MessageSubject
): Effect.Effect<Option.Option<MessageBook>, StorageError> =>
  Effect.map(subjectsOf(db, tenant, subject), ([book, ...others]) =>
    book === undefined ? Option.none() : Option.some({ book, others: others.map(({ payment }) => payment.id) })
  )

const subjectsOf = (
  db: Database,
  tenant: Tenant,
  subject: MessageSubject
): Effect.Effect<ReadonlyArray<PaymentBook>, StorageError> => {
  if ("connectionId" in subject) return booksOfCharge(db, "bookOf", tenant, subject)
  const name: Name =
    "attemptId" in subject
      ? `attempt ${subject.attemptId}`
      : "operationId" in subject
        ? `operation ${subject.operationId}`
        : `refund ${subject.refundId}`
  return Effect.map(booksNamed(db, "bookOf", tenant, [name]), (books) => books.slice(-1))
}

/** A walk along the reviews, which are few; by amount they are sorted. */
const selectReviews = (query: ReviewQuery): readonly [string, ReadonlyArray<string | null>] => {
  const { after, byAmount, limit, paymentId, tenant } = query
  const last = byAmount?.after
  const params: Array<string | null> = [String(limit)]
  const bind = (value: string | null) => `$${params.push(value)}`
  const conditions = [
    "true",
    byAmount === undefined && after !== undefined
      ? `(r.since, r.payment) > (${bind(String(after.since))}::bigint, ${bind(bindAfter(after.paymentId))}::uuid)`
      : undefined,
    last &&
      `(p.currency, -p.amount_minor, p.id) > (${bind(last.money.currency)}::text, ${bind(String(-last.money.minorUnits))}::bigint, ${bind(bindAfter(last.paymentId))}::uuid)`,
    paymentId === undefined ? undefined : `r.payment = ${bind(bindId(paymentId))}`,
    tenant && `r.t = ${bind(tenantNumber(tenant))}`
  ].filter((condition) => condition !== undefined)
  const order = byAmount === undefined ? "r.since, r.payment" : "p.currency, -p.amount_minor, p.id"
  return [
    `select p.*, n.workspace_id, n.environment from reviews as r
      cross join lateral (select * from payments where payments.t = r.t and id = r.payment offset 0) as p
      cross join lateral (select * from tenants where tenants.t = r.t offset 0) as n
      where ${conditions.join(" and ")} order by ${order} limit $1`,
    params
  ]
}
