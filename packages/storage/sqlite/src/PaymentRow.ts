/** The row of a payment as a change writes it, and the condition in which it does. */
import type { SQLInputValue } from "node:sqlite"
import { wasNeverSent } from "@pointsman/core/internal"
import type { Change, PaymentBook } from "@pointsman/core/ports"
import { asksNone, bookText, claimText, detailsText, keepsDetails, list } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { bindId, keyHash, tenantsOf } from "./Keys.ts"
import { guardCondition } from "./RecordLoss.ts"
import { bindText } from "./Rows.ts"

type Columns = Readonly<Record<string, SQLInputValue>>

const textOrNull = (text: string | null): SQLInputValue => (text === null ? null : bindText(text))

const movedColumns = ({ checkAt, checkedConnection, payment: { after } }: Change, book: PaymentBook): Columns => ({
  version: after.version,
  state: after.state,
  authorized_minor: after.authorizedMinor,
  captured_minor: after.capturedMinor,
  refunded_minor: after.refundedMinor,
  refund_pending_minor: after.refundPendingMinor,
  connection_id: textOrNull(after.connectionId),
  is_sent: book.attempts.some((one) => one.outcome !== null && !wasNeverSent(one)) ? 1 : 0,
  review_since: after.review?.since ?? null,
  check_at: checkAt ?? null,
  check_connection: bindText(checkedConnection ?? asksNone),
  book: bookText(book)
})

/** SQLite writes the entries of an index anew wherever an update names one of its columns, also with an equal value. */
const createdColumns = ({ payment: { after } }: Change): Columns => ({
  reference: textOrNull(after.reference),
  page: textOrNull(after.hosted?.tokenHash ?? null),
  details: detailsText(after)
})

const firstColumns = ({ payment: { after }, tenant }: Change, db: Database): Columns => ({
  t: tenantsOf(db).find(tenant),
  id: bindId(after.id),
  amount_minor: after.money.minorUnits,
  currency: after.money.currency,
  created_at: after.createdAt
})

const claimColumns = ({ claim, payment }: Change): Columns =>
  claim === undefined
    ? {}
    : {
        key: keyHash(claim.after.key),
        claim_version: claim.after.version,
        claimed_at: claim.after.claimedAt,
        claim: claimText(claim.after, payment.after)
      }

const columnsOf = (db: Database, change: Change, book: PaymentBook): Columns => {
  const { after, before, expected } = change.payment
  if (expected === 0) {
    const created = { ...firstColumns(change, db), ...createdColumns(change) }
    return { ...created, ...movedColumns(change, book), ...claimColumns(change) }
  }
  return {
    ...movedColumns(change, book),
    ...(before !== undefined && keepsDetails(before.payment, after) ? {} : createdColumns(change)),
    ...claimColumns(change)
  }
}

interface Condition {
  readonly sql: string
  readonly values: ReadonlyArray<SQLInputValue>
}

const texts = new Map<string, string>()

/** Its text is made once. No two sets of columns that are written have the same size. */
const statementOf = (db: Database, columns: Columns, kind: string, make: (names: ReadonlyArray<string>) => string) => {
  const names = Object.keys(columns)
  const shape = `${names.length} ${kind}`
  const text = texts.get(shape) ?? make(names)
  texts.set(shape, text)
  return db.prepare(text)
}

/** `unless`: what else may be there. */
const insertRow = (db: Database, columns: Columns, { sql, values }: Condition, unless = ""): boolean => {
  const end = `where ${sql} ${unless}`
  const statement = statementOf(
    db,
    columns,
    `insert ${end}`,
    (names) => `insert into payments (${list(names)}) select ${list(names.map(() => "?"))} ${end}`
  )
  return statement.run(...Object.values(columns), ...values).changes === 1
}

const updateRow = (db: Database, columns: Columns, { sql, values }: Condition): boolean => {
  const statement = statementOf(
    db,
    columns,
    `update ${sql}`,
    (names) => `update payments indexed by payments_by_id set ${list(names.map((name) => `${name} = ?`))} where ${sql}`
  )
  return statement.run(...Object.values(columns), ...values).changes === 1
}

const isRow = "t = ? and id = ? and version = ?"

const conditionOf = (db: Database, { apiKeyHash, claim, guard, payment, tenant }: Change): Condition => {
  const of = (sql: string, ...values: ReadonlyArray<SQLInputValue>): Condition => ({ sql, values })
  const all = [
    ...(payment.expected === 0
      ? [of("true")]
      : [of(isRow, tenantsOf(db).find(tenant), bindId(payment.after.id), payment.expected)]),
    ...(claim !== undefined && claim.expected !== 0
      ? [of("key = ? and claim_version = ?", keyHash(claim.after.key), claim.expected)]
      : []),
    ...(apiKeyHash === undefined
      ? []
      : [of("exists (select 1 from api_keys where hash = ? and revoked_at is null)", bindText(apiKeyHash))]),
    ...(guard === undefined ? [] : [guardCondition(guard, tenant, payment.after.id)])
  ]
  return of(all.map(({ sql }) => sql).join(" and "), ...all.flatMap(({ values }) => values))
}

/** Writes the row in one statement, with all that guards it; `false` where something refuses it, or it is there. */
export const isWritten = (db: Database, change: Change, book: PaymentBook): boolean => {
  const condition = conditionOf(db, change)
  return change.payment.expected === 0
    ? insertRow(db, columnsOf(db, change, book), condition, "on conflict do nothing")
    : updateRow(db, columnsOf(db, change, book), condition)
}

/** Writes the row after all that guards it was looked at. */
export const putRow = (db: Database, change: Change, book: PaymentBook): void => {
  const { after, expected } = change.payment
  const columns = columnsOf(db, change, book)
  const id = [tenantsOf(db).find(change.tenant), bindId(after.id), expected]
  if (expected === 0) insertRow(db, columns, { sql: "true", values: [] })
  else updateRow(db, columns, { sql: isRow, values: id })
}
