/**
 * The parameters of a commit's statement: each value of a change is one, in the order in which the text places them.
 *
 * To take a JSON document of them apart was a quarter of the statement's time.
 */
import type { Claim, Payment } from "@pointsman/core"
import type { Change, MessageNote } from "@pointsman/core/ports"
import { type Columns, list, type Owner, tenantKey } from "@pointsman/storage-sql"
import type { DrawnChange } from "./DrawnChange.ts"
import { bindText, bindValue, rows, typeOf, type Value } from "./Rows.ts"

type Read = (from: DrawnChange) => string | null

/** Where a row's record is in the change, and what is taken of it. */
export interface Source<A> {
  readonly columns: Columns<A, Value, Owner>
  readonly of: (change: Change) => A | undefined
}

/** With what SQLite derives itself, or writes later. */
const paymentColumns: Columns<Payment, Value, Owner> = {
  ...rows.paymentColumns,
  refunded_minor: ({ refundedMinor }) => refundedMinor,
  refund_pending_minor: ({ refundPendingMinor }) => refundPendingMinor,
  page_token_hash: ({ hosted }) => hosted?.tokenHash ?? null,
  review_since: ({ review }) => review?.since ?? null
}

/** Of the `createdFields`. */
export const createdColumns: ReadonlySet<string> = new Set([...rows.createdColumns, "page_token_hash"])

export const payment: Source<Payment> = { columns: paymentColumns, of: (change) => change.payment.after }
export const claim: Source<Claim> = { columns: rows.claimColumns, of: (change) => change.claim?.after }
export const message: Source<MessageNote> = { columns: rows.noteColumns, of: (change) => change.message?.after }
export const decision: Source<MessageNote> = { columns: rows.decisionColumns, of: message.of }

/** As core's `versionIn`. */
const inHistory = (version: string, base: string): string => `greatest(${version}, ${base} + (${version} & 4294967295))`

/** A stored answer names the reference that the payment had first, and does not hold it (`ShortAnswer.ts`). */
const keepReplaced = (reference: string): string => `replaced_ref = case
    when t.provider_ref is distinct from ${reference} then coalesce(t.replaced_ref, t.provider_ref) else t.replaced_ref end`

export type Parameters = ReturnType<typeof makeParameters>

/** How the text names a value: as a parameter, as a column of `verdict`, or as a variable of a function. */
const placeholders = {
  parameter: (number: number, type: string) => `$${number}::${type}`,
  column: (number: number) => `i.c${number}`,
  variable: (number: number) => `v${number}`
}

/**
 * `base`: what versions of this history of the database begin after, as the text names it; `undefined` where the database
 * does not say which one it continues.
 */
export const makeParameters = (form: keyof typeof placeholders, base: string | undefined) => {
  const reads: Array<Read> = []
  const types: Array<string> = []
  const place = (type: string, read: Read): string => {
    types.push(type)
    return placeholders[form](reads.push(read), type)
  }
  const workspace = place("text", ({ change }) => bindText(change.tenant.workspaceId))
  const environment = place("text", ({ change }) => change.tenant.environment)
  const paymentId = place("text", ({ change }) => bindText(change.payment.after.id))
  const ofTenant = (table: string) => `${table}.workspace_id = ${workspace} and ${table}.environment = ${environment}`
  const shared: Readonly<Record<string, string>> = { workspace_id: workspace, environment, payment_id: paymentId }

  const value = <A>({ columns, of }: Source<A>, column: string): string => {
    const known = shared[column]
    if (known !== undefined) return known
    const take = columns[column] as Columns<A, Value, Owner>[string]
    const placed = place(typeOf(column), ({ change }) => {
      const record = of(change)
      return record === undefined ? null : bindValue(take(record, change))
    })
    return column === "version" && base !== undefined ? inHistory(placed, base) : placed
  }
  const values = <A>(source: Source<A>): string =>
    list(Object.keys(source.columns).map((column) => value(source, column)))
  /** The keys of a row stay as they are, and what is `kept`. Of `t`, the row before. */
  const assignments = <A>(source: Source<A>, kept: ReadonlySet<string> = new Set()): string =>
    list(
      Object.keys(source.columns)
        .filter((column) => ![...tenantKey, "id", "key"].includes(column) && !kept.has(column))
        .flatMap((column) => {
          const placed = value(source, column)
          const assigned = `${column} = ${placed}`
          return (source as unknown) === payment && column === "provider_ref"
            ? [assigned, keepReplaced(placed)]
            : [assigned]
        })
    )

  return { reads, types, workspace, environment, paymentId, ofTenant, place, value, values, assignments }
}
