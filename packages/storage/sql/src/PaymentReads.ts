/** Reads of payments, their claims and their timelines. */
import type { Payment, Tenant } from "@pointsman/core"
import type { ChargeReference } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { readBookTexts, readClaimRow } from "./BookText.ts"
import type { Bound, Row } from "./Columns.ts"
import { numberOfType, unindexedType } from "./EventRows.ts"
import { placesOf, readAll, readOne, type Sql, type Statement, updateAll } from "./Sql.ts"

/** How a database has payments beside what all have. */
export interface PaymentForm<V> {
  /** What a payment's book is read from. */
  readonly bookColumns: string
  /** Of a payment that reached a provider, with what leads to the index of a period. */
  readonly isSent: string
  /** Payments with a review: the select, the first of its conditions, and what it is ordered and found by. */
  readonly reviews: Readonly<Record<"is" | "t" | "id" | "byTime" | "byAmount", string>> & {
    readonly select: (ofTenant: boolean) => string
  }
  /** The books with the name, the newest last. */
  readonly booksNamed: (tenant: Tenant, name: Ports.Name) => Books
  /** The book that has the charge, and the oldest that name it. */
  readonly booksNaming: (tenant: Tenant, charge: ChargeReference) => Books
  /** What leads the index of types before the id: of an id, or of its place in a statement. */
  readonly beginningOf?: (id: string) => string
  /** `statement`: of events below the id; where there is none, of all. */
  readonly events: (
    tenant: Tenant,
    statement: (end?: string) => Statement<V>
  ) => Effect.Effect<ReadonlyArray<Row>, Ports.StorageError>
}

type Books = Effect.Effect<ReadonlyArray<Ports.PaymentBook>, Ports.StorageError>

/** Of a row with the columns of `PaymentForm`. */
export const makeReadBook =
  <V>({ keys, rows }: Pick<Sql<V>, "keys" | "rows">) =>
  (tenant: Tenant, row: Row): Ports.PaymentBook => {
    const columns = { id: keys.readId(row["id"]), tenant, ...rows.payment.read(row) }
    return readBookTexts(columns, { details: row["details"] as string, book: row["book"] as string })
  }

export const makePaymentReads = <V>(sql: Sql<V>, form: PaymentForm<V>) => {
  const { bindOwner, by, keys, readOwner, rows, withOwner } = sql
  const readBook = makeReadBook(sql)
  const readPayment = (row: Row): Payment => readBook(readOwner(row), row).payment
  const selectBook = `select ${form.bookColumns} from ${by("payments", "payments_by_id")} where t = $1 and id = $2`
  const book = (operation: string, tenant: Tenant, id: string) =>
    readOne(sql, operation, (row) => readBook(tenant, row), selectBook, [bindOwner(tenant), keys.bindId(id)])
  const selectClaim = `select * from ${by("payments", "payments_by_key")} where t = $1 and key = $2`
  const selectPageOwner = withOwner(`select * from ${by("payments", "payments_by_page")} where page = $1`)
  const selectUsage = `select count(*) as count from ${by("payments", "payments_sent")}
    where t = $1 and created_at >= $2 and created_at < $3 and ${form.isSent}`
  const selectTimeline = `select * from ${by("events", "events_by_payment")}
    where t = $1 and payment = $2 and type <> 0 and id > $3 order by id limit $4`
  const selectOld = (later: string) =>
    withOwner(
      `select * from ${by("payments", "payments_by_claim")} where key is not null and claimed_at < $1
        ${later} order by ${claimOrder} limit $2`,
      claimOrder
    )
  const selectOldClaims = selectOld("")
  const selectLaterClaims = selectOld(`and claimed_at >= $3 and (${claimOrder}) > ($3::bigint, $4::bigint, $5::uuid)`)
  const forget = sql.every(
    0,
    ["bigint", "uuid", "bigint"],
    ([t, key, version], items) => `update payments as p set key = null, claim = null, claim_version = null,
      claimed_at = null ${items} where p.t = ${t} and p.key = ${key} and p.claim_version = ${version} returning 1 as one`
  )
  return {
    payment: (tenant, id) =>
      Effect.map(
        book("payment", tenant, id),
        Option.map(({ payment }) => payment)
      ),
    book: (tenant, id) => book("book", tenant, id),
    attempts: (tenant, id) =>
      Effect.map(book("attempts", tenant, id), (found) => Option.getOrUndefined(found)?.attempts ?? []),
    bookOf: (tenant, subject) => {
      const named = Ports.namedBySubject(subject)
      const found =
        typeof named === "string"
          ? Effect.map(form.booksNamed(tenant, named), (books) => Ports.ofName(books, named))
          : Effect.map(form.booksNaming(tenant, named), (books) => Ports.ofCharge(books, named))
      return Effect.map(found, ([first, ...others]) =>
        Option.map(Option.fromUndefinedOr(first), (book) => ({ book, others: others.map(({ payment }) => payment.id) }))
      )
    },
    paymentOfPage: (tokenHash) =>
      readOne(sql, "paymentOfPage", readPayment, selectPageOwner, [rows.bindText(tokenHash)]),
    reviews: (query) => readAll(sql, "reviews", readPayment, ...selectReviews(sql, form.reviews, query)),
    usage: ({ from, until, workspaceId }) =>
      Effect.map(
        sql.read("usage", selectUsage, [bindOwner({ workspaceId, environment: "production" }), from, until]),
        ([row]) => row?.["count"] as number
      ),
    claim: (tenant, key) => {
      const read = (row: Row) => readClaimRow(row, readBook(tenant, row).payment)
      return readOne(sql, "claim", read, selectClaim, [bindOwner(tenant), keys.keyHash(key)])
    },
    oldClaims: ({ after, claimedBefore, limit }) => {
      const last = after === undefined ? [] : [after.claimedAt, bindOwner(after.tenant), keys.keyHash(after.key)]
      const read = (row: Row): Ports.OldClaim => {
        const payment = readPayment(row)
        return { tenant: payment.tenant, claim: readClaimRow(row, payment), payment }
      }
      const text = after === undefined ? selectOldClaims : selectLaterClaims
      return readAll(sql, "oldClaims", read, text, [claimedBefore, limit, ...last])
    },
    // If it is unknown whether it was written, the caller looks again and finds those that are left.
    forgetClaims: (claims) => {
      const old = claims.map(({ key, tenant, version }) => [bindOwner(tenant), keys.keyHash(key), version])
      return Effect.map(updateAll(sql, "forgetClaims", forget([], old)), ({ length }) => length)
    },
    timeline: (tenant, paymentId, { after = "", limit }) => {
      const values = [bindOwner(tenant), keys.bindId(paymentId), keys.bindEventAfter(after), limit]
      return readAll(sql, "timeline", (row) => rows.readEvent(keys, tenant, row), selectTimeline, values)
    },
    events: (tenant, query) =>
      Effect.map(
        form.events(tenant, (end) => selectEvents(sql, form, tenant, query, end)),
        (found) => found.map((row) => rows.readEvent(keys, tenant, row))
      )
  } satisfies Partial<Ports.Ledger["Service"]>
}

const selectEvents = <V>(
  { bindOwner, by, keys }: Sql<V>,
  { beginningOf }: PaymentForm<V>,
  tenant: Tenant,
  { after, before, limit, type }: Ports.EventQuery,
  end?: string
): Statement<V> => {
  const values: Array<Bound<V>> = [bindOwner(tenant)]
  const place = placesOf(values)
  const isIndexed = type !== undefined && type !== unindexedType
  const lead = isIndexed ? beginningOf : undefined
  const idIs = (operator: "<" | ">", id: string) =>
    `id ${operator} ${id}${lead === undefined ? "" : ` and ${lead("id")} ${operator}= ${lead(id)}`}`
  const conditions = [
    "t = $1",
    ...(end === undefined ? [] : [idIs("<", place(keys.bindEventBefore(end)))]),
    ...(isIndexed ? [`type <> ${numberOfType(unindexedType)}`] : []),
    ...(type === undefined ? [] : [`type = ${place(numberOfType(type))}`]),
    ...(after === undefined ? [] : [idIs(">", place(keys.bindEventAfter(after)))]),
    ...(before === undefined ? [] : [idIs("<", place(keys.bindEventBefore(before)))])
  ].join(" and ")
  const order = after !== undefined && before === undefined ? "asc" : "desc"
  const text = `select * from ${isIndexed ? by("events", "events_by_later_type") : "events"} where ${conditions}
    order by ${lead === undefined ? "" : `${lead("id")} ${order}, `}id ${order} limit ${place(limit)}`
  return [text, values]
}

/** Those of one millisecond are sorted. */
const claimOrder = "claimed_at, t, key"

/** A walk along the reviews of the tenant, or of all; by amount they are sorted. */
const selectReviews = <V>(
  { bindOwner, keys, withOwner }: Sql<V>,
  form: PaymentForm<V>["reviews"],
  { after, byAmount, limit, paymentId, tenant }: Ports.ReviewQuery
): Statement<V> => {
  const values: Array<Bound<V>> = [limit]
  const place = placesOf(values)
  const last = byAmount === undefined ? after : byAmount.after
  const seen =
    last &&
    [
      ...("since" in last
        ? [`${place(last.since)}::bigint`]
        : [`${place(last.money.currency)}::text`, `${place(-last.money.minorUnits)}::bigint`]),
      `${place(keys.bindAfter(last.paymentId))}::uuid`
    ].join(", ")
  const order = byAmount === undefined ? form.byTime : form.byAmount
  const conditions = [
    form.is,
    seen && `(${order}) > (${seen})`,
    paymentId === undefined ? undefined : `${form.id} = ${place(keys.bindId(paymentId))}`,
    tenant && `${form.t} = ${place(bindOwner(tenant))}`
  ].filter((condition) => condition !== undefined)
  const text = `${form.select(tenant !== undefined)} where ${conditions.join(" and ")} order by ${order} limit $1`
  return [withOwner(text, byAmount === undefined ? "since, id" : "currency, -amount_minor, id"), values]
}
