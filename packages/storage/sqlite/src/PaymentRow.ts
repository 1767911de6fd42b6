/** The row of a payment as a change writes it, and the condition in which it does. */
import type { SQLInputValue } from "node:sqlite"
import { wasNeverSent } from "@pointsman/core/internal"
import type { Change, PaymentBook } from "@pointsman/core/ports"
import { asksNone, bookText, claimText, detailsText, keepsDetails, list } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { guardCondition } from "./RecordLoss.ts"
import { bindId, bindText, keyHash, rows, tenantHash } from "./Rows.ts"

type Columns = Readonly<Record<string, SQLInputValue>>

const { bindTextOrNull } = rows

const movedColumns = ({ checkAt, checkedConnection, payment: { after } }: Change, book: PaymentBook): Columns => ({
  version: after.version,
  state: after.state,
  authorized_minor: after.authorizedMinor,
  captured_minor: after.capturedMinor,
  refunded_minor: after.refundedMinor,
  refund_pending_minor: after.refundPendingMinor,
  connection_id: bindTextOrNull(after.connectionId),
  is_sent: book.attempts.some((one) => one.outcome !== null && !wasNeverSent(one)) ? 1 : 0,
  review_since: after.review?.since ?? null,
  check_at: checkAt ?? null,
  check_connection: bindText(checkedConnection ?? asksNone),
  book: bookText(book)
})

/** SQLite writes the entries of an index anew wherever an update names one of its columns, also with an equal value. */
const createdColumns = ({ payment: { after } }: Change): Columns => ({
  reference: bindTextOrNull(after.reference),
  page: bindTextOrNull(after.hosted?.tokenHash ?? null),
  details: detailsText(after)
})

const firstColumns = ({ payment: { after }, tenant }: Change): Columns => ({
  t: tenantHash(tenant),
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

const columnsOf = (change: Change, book: PaymentBook): Columns => {
  const { after, before, expected } = change.payment
  const isKept = expected !== 0 && before !== undefined && keepsDetails(before.payment, after)
  return {
    ...(expected === 0 && firstColumns(change)),
    ...movedColumns(change, book),
    ...(!isKept && createdColumns(change)),
    ...claimColumns(change)
  }
}

interface Condition {
  readonly sql: string
  readonly values: ReadonlyArray<SQLInputValue>
}

const texts = new Map<string, string>()

/** Writes the row where the condition holds; whether it did. `end`: of an insert. Each text is made once. */
const write = (db: Database, change: Change, book: PaymentBook, { sql, values }: Condition, end = ""): boolean => {
  const columns = columnsOf(change, book)
  const names = Object.keys(columns)
  const isNew = change.payment.expected === 0
  const shape = `${isNew} ${names.join(" ")} ${sql} ${end}`
  const text =
    texts.get(shape) ??
    (isNew
      ? `insert into payments (${list(names)}) select ${list(names.map(() => "?"))} where ${sql} ${end}`
      : `update payments indexed by payments_by_id set ${list(names.map((name) => `${name} = ?`))} where ${sql}`)
  texts.set(shape, text)
  return db.prepare(text).run(...Object.values(columns), ...values).changes === 1
}

const isRow = "t = ? and id = ? and version = ?"

/** Of the row that the change was decided on, or of none. */
const rowOf = ({ payment: { after, expected }, tenant }: Change): Condition =>
  expected === 0
    ? { sql: "true", values: [] }
    : { sql: isRow, values: [tenantHash(tenant), bindId(after.id), expected] }

const isLiveKey = "exists (select 1 from api_keys where hash = ? and revoked_at is null)"

const conditionOf = (change: Change): Condition => {
  const { apiKeyHash, claim, guard, payment, tenant } = change
  const of = (sql: string, ...values: ReadonlyArray<SQLInputValue>): Condition => ({ sql, values })
  const all = [
    rowOf(change),
    claim && claim.expected !== 0 && of("key = ? and claim_version = ?", keyHash(claim.after.key), claim.expected),
    apiKeyHash !== undefined && of(isLiveKey, bindText(apiKeyHash)),
    guard && guardCondition(guard, tenant, payment.after.id)
  ].filter((one) => one !== undefined && one !== false)
  return of(all.map(({ sql }) => sql).join(" and "), ...all.flatMap(({ values }) => values))
}

/** Writes the row in one statement, with all that guards it; `false` where something refuses it, or it is there. */
export const isWritten = (db: Database, change: Change, book: PaymentBook): boolean =>
  write(db, change, book, conditionOf(change), "on conflict do nothing")

/** Writes the row after all that guards it was looked at. */
export const putRow = (db: Database, change: Change, book: PaymentBook): void =>
  void write(db, change, book, rowOf(change))
