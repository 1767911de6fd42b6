/** Payments in PostgreSQL: one change is one statement (`Commit.ts`), and so is one read. */
import type { Tenant } from "@pointsman/core"
import {
  brokenChange,
  type EventQuery,
  Ledger,
  type MessageSubject,
  type OldClaim,
  type PaymentBook,
  type ReviewQuery,
  type StorageError
} from "@pointsman/core/ports"
import { type BookRows, type Row, unindexedType } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { dueByConnection, postpone, takeDue, watched } from "./Checks.ts"
import { type LedgerOptions, makeCommit } from "./Commit.ts"
import type { Database } from "./Database.ts"
import { disputeMethods } from "./Disputes.ts"
import { eraseTexts } from "./Erasure.ts"
import { keepMessage, selectMessage, selectMessages, selectMessageWithBody, storeMessage } from "./Messages.ts"
import { forgetClaims, selectOldClaims } from "./OldClaims.ts"
import { selectPayments } from "./PaymentSearch.ts"
import { makeReads, type Reads } from "./Reads.ts"
import { type ReferenceTests, recordedReferences, recordTests, tenantTests } from "./References.ts"
import { bindTenant, bindText, claimWith, paymentOfClaim, readClaim, readText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

const selectPayment = `select * from payments where ${ofTenant} and id = $3`
export const selectPageOwner = "select * from payments where page_token_hash = $1"
const selectAttempts = `select * from attempts where ${ofTenant} and payment_id = $3 order by number`
const claimText = (workspace?: string) =>
  `select claims.*, ${paymentOfClaim("claims", workspace)} as payment from claims where ${ofTenant} and key = $3`
const selectTimeline = `select * from events where ${ofTenant} and payment_id = $3 and payment_id <> '' and id > $4 order by id limit $5`
const selectUsage = `select count(*)::integer as count from payments
  where ${ofTenant} and created_at >= 0 and created_at >= $3 and created_at < $4 and exists (
    select 1 from attempts
    where attempts.workspace_id = payments.workspace_id and attempts.environment = payments.environment
      and payment_id = payments.id and outcome is not null and outcome not in ('NotSent', 'Abandoned')
  )`

/**
 * As JSON, so that all of it is of the moment of one statement. In no order: to set a sort up, even of nothing, takes
 * PostgreSQL longer than to find the rows.
 */
const entriesOf = (table: string, ofPayment: (table: string) => string) => `(
  select coalesce(json_agg(entry), '[]') from (
    select * from ${table}
    where ${ofPayment(table)} and payment_id = p.id
  ) as entry
)`
const ofRow = (table: string) => `${table}.workspace_id = p.workspace_id and ${table}.environment = p.environment`
/** For a distributed database, whose plan finds the shard by the tenant's values. */
const ofValues = (table: string) => `${table}.workspace_id = $1 and ${table}.environment = $2`

const bookColumnsBy = (ofPayment: (table: string) => string) =>
  `p.*, ${entriesOf("attempts", ofPayment)} as attempts, ${entriesOf("operations", ofPayment)} as operations,
  ${entriesOf("refunds", ofPayment)} as refunds`
export const bookColumns = bookColumnsBy(ofRow)
/** As `bookColumns`, of the tenant in `$1` and `$2`. */
export const bookColumnsOfTenant = bookColumnsBy(ofValues)

const bookTexts = (columns: string, { isAttempt, isOwn }: ReferenceTests, workspace?: string) => {
  /** The newest: requests under one key derive one attempt id, and of the earlier ones nothing was sent. */
  const bookOf = (table: "attempts" | "operations" | "refunds") => `select ${columns} from payments as p
  where ${ofTenant} and id = (
    select payment_id from ${table} where ${ofTenant} and id = $3 and id <> '' order by payment_id desc limit 1
  )`
  return {
    claim: claimText(workspace),
    book: `select ${columns} from payments as p where ${ofTenant} and id = $3`,
    attempts: bookOf("attempts"),
    operations: bookOf("operations"),
    refunds: bookOf("refunds"),
    /** One charge may have several payments (see `MessageBook`). */
    charge: `with recorded as materialized (${recordedReferences(["$1", "$2", "$3", "$4"])}), named as (
    select payment_id, ${isOwn} as is_own, ${isAttempt} as is_attempt from recorded
  ), found as materialized (
    select payment_id as id from named where is_own or is_attempt and not exists (select 1 from named where is_own)
  )
  select ${columns}, array(select id from found where id <> p.id order by id) as others
  from payments as p where ${ofTenant} and id = (select min(id) from found)`
  }
}

export const make = Effect.fnUntraced(function* (
  db: Database,
  { reads = makeReads(db, undefined), ...options }: LedgerOptions & { readonly reads?: Reads } = {}
) {
  const commit = yield* makeCommit(db, options)
  const tests = options.namesTenant === true ? tenantTests : recordTests
  const texts =
    options.namesTenant === true ? bookTexts(bookColumnsOfTenant, tests, "$1") : bookTexts(bookColumns, tests)

  const { all, listed, one } = selectors(db, reads)
  return Ledger.of({
    commit: (change) =>
      Effect.suspend(() => {
        const broken = brokenChange(change)
        return broken === undefined ? commit(change) : Effect.die(new Error(`Ledger.commit: ${broken}`))
      }),
    payment: (tenant, id) => one("payment", selectPayment, [...bindTenant(tenant), bindText(id)], rows.readPayment),
    book: (tenant, id) => one("book", texts.book, [...bindTenant(tenant), bindText(id)], readBook),
    bookOf: (tenant, subject) => {
      const [select, ...names] = subjectOf(subject, texts)
      return one("bookOf", select, [...bindTenant(tenant), ...names.map(bindText)], (row) => ({
        book: readBook(row),
        others: ((row["others"] ?? []) as ReadonlyArray<string>).map(readText)
      }))
    },
    storeMessage: (tenant, message) => storeMessage(db, tenant, message, options.namesTenant),
    keepMessage: (tenant, message, seen) => keepMessage(db, tenant, message, seen),
    message: (tenant, connectionId, eventId) =>
      one(
        "message",
        options.namesTenant === true ? selectMessage : selectMessageWithBody,
        [...bindTenant(tenant), bindText(connectionId), bindText(eventId)],
        rows.readMessage
      ),
    messages: (query) => {
      const statement = selectMessages(query)
      // Those of one payment are shown with it.
      return query.paymentId === undefined
        ? listed("messages", statement, rows.readTenantMessage)
        : all("messages", ...statement, rows.readTenantMessage)
    },
    paymentOfPage: (tokenHash) => one("paymentOfPage", selectPageOwner, [bindText(tokenHash)], rows.readPayment),
    takeDue: (query) => takeDue(db, query),
    postpone: (payment, checkAt) => postpone(db, payment, checkAt),
    dueByConnection: (query) => dueByConnection(db, query),
    watched: (limit) => watched(db, limit),
    reviews: (query) => all("reviews", ...selectReviews(query), rows.readPayment),
    usage: ({ from, until, workspaceId }) =>
      Effect.map(
        db.read("usage", selectUsage, [bindText(workspaceId), "production", String(from), String(until)]),
        ([row]) => row?.["count"] as number
      ),
    payments: (tenant, query) =>
      query.states?.length === 0
        ? Effect.succeed([])
        : listed("payments", selectPayments(tenant, query, tests), rows.readPayment),
    attempts: (tenant, paymentId) =>
      all("attempts", selectAttempts, [...bindTenant(tenant), bindText(paymentId)], rows.readAttempt),
    claim: (tenant, key) => one("claim", texts.claim, [...bindTenant(tenant), bindText(key)], readClaim),
    oldClaims: (query) =>
      Effect.map(db.read("oldClaims", ...selectOldClaims(query)), (found) => found.flatMap(readOldClaim)),
    forgetClaims: (claims) => forgetClaims(db, claims),
    ...disputeMethods(db),
    eraseTexts: (tenant, erasure) => eraseTexts(db, tenant, erasure),
    timeline: (tenant, paymentId, { after, limit }) =>
      all(
        "timeline",
        selectTimeline,
        [...bindTenant(tenant), bindText(paymentId), bindText(after ?? ""), String(limit)],
        rows.readEvent
      ),
    events: (tenant, query) =>
      Effect.map(
        reads.events(tenant, (end) => selectEvents(tenant, query, end)),
        (found) => found.map(rows.readEvent)
      )
  })
})

const selectors = (db: Database, reads: Reads) => {
  const one = <A>(
    operation: string,
    sql: string,
    params: ReadonlyArray<string | null>,
    read: (row: Row) => A
  ): Effect.Effect<Option.Option<A>, StorageError> =>
    Effect.map(db.read(operation, sql, params), ([row]) => Option.map(Option.fromUndefinedOr(row), read))

  const all = <A>(
    operation: string,
    sql: string,
    params: ReadonlyArray<string | null>,
    read: (row: Row) => A
  ): Effect.Effect<ReadonlyArray<A>, StorageError> =>
    Effect.map(db.read(operation, sql, params), (found) => found.map(read))

  const listed = <A>(operation: string, statement: ReturnType<typeof selectPayments>, read: (row: Row) => A) =>
    Effect.map(reads.list(operation, statement), (found) => found.map(read))

  return { one, all, listed }
}

const subjectOf = (
  subject: MessageSubject,
  texts: ReturnType<typeof bookTexts>
): readonly [select: string, ...names: ReadonlyArray<string>] => {
  if ("connectionId" in subject) return [texts.charge, subject.connectionId, subject.providerRef]
  if ("operationId" in subject) return [texts.operations, subject.operationId]
  return "attemptId" in subject ? [texts.attempts, subject.attemptId] : [texts.refunds, subject.refundId]
}

/** `end`: only events with smaller ids are read (`horizon`). */
export const selectEvents = (
  tenant: Tenant,
  { after, before, limit, type }: EventQuery,
  end: string
): readonly [string, ReadonlyArray<string>] => {
  const params: Array<string> = [...bindTenant(tenant), end]
  const where = (condition: string, value: string | undefined) => {
    if (value === undefined) return ""
    params.push(bindText(value))
    return `and ${condition} $${params.length}`
  }
  const conditions = [
    where(type === unindexedType ? "type =" : `type <> '${unindexedType}' and type =`, type),
    where("id >", after),
    where("id <", before)
  ].join(" ")
  params.push(String(limit))
  const order = after !== undefined && before === undefined ? "asc" : "desc"
  const sql = `select * from events where ${ofTenant} and id < $3 ${conditions}
    order by id ${order} limit $${params.length}`
  return [sql, params]
}

/** A walk along the payments that wait, which are few: the others are not in the index. */
export const selectReviews = (query: ReviewQuery): readonly [string, ReadonlyArray<string>] => {
  const { after, byAmount, limit, paymentId, tenant } = query
  const last = byAmount?.after
  const params: Array<string> = [String(limit)]
  const bind = (value: string) => {
    params.push(value)
    return `$${params.length}`
  }
  const conditions = [
    "review_since is not null",
    byAmount === undefined && after !== undefined
      ? `(review_since, id) > (${bind(String(after.since))}::bigint, ${bind(bindText(after.paymentId))}::text)`
      : undefined,
    last &&
      `(currency, -amount_minor, id) > (${bind(last.money.currency)}::text, ${bind(String(-last.money.minorUnits))}::bigint, ${bind(bindText(last.paymentId))}::text)`,
    paymentId === undefined ? undefined : `id = ${bind(bindText(paymentId))}`,
    tenant && `workspace_id = ${bind(bindText(tenant.workspaceId))} and environment = ${bind(tenant.environment)}`
  ].filter((condition) => condition !== undefined)
  const order = byAmount === undefined ? "review_since, id" : "currency, -amount_minor, id"
  return [`select * from payments where ${conditions.join(" and ")} order by ${order} limit $1`, params]
}

export const readOldClaim = (row: Row): ReadonlyArray<OldClaim> => {
  if (row["payment"] === null) return []
  const ofPayment = row["payment"] as Row
  const payment = rows.readPayment(ofPayment)
  return [{ tenant: rows.readTenant(row), claim: claimWith(row, ofPayment, payment), payment }]
}

/** Of a row with `bookColumns`. */
export const bookRowsOf = (row: Row): BookRows => ({
  payment: row,
  attempts: inOrder(row["attempts"], "number"),
  operations: inOrder(row["operations"], "sent_at"),
  refunds: inOrder(row["refunds"], "sent_at")
})

/** By a number, and those with the same one by their ids. */
const inOrder = (found: unknown, by: "number" | "sent_at"): ReadonlyArray<Row> => {
  const some = found as ReadonlyArray<Row>
  if (some.length < 2) return some
  return some.toSorted((a, b) => Number(a[by]) - Number(b[by]) || (String(a["id"]) < String(b["id"]) ? -1 : 1))
}

const readBook = (row: Row): PaymentBook => rows.readBook(bookRowsOf(row))
