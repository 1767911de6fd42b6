/**
 * Lists of payments, newest first, by one walk along the index that fits best: of the provider's reference, the
 * reference, the metadata, the amount, the states, or the ids. Each walk meets the payments in the order of the page and
 * ends with it; the other conditions are checked on the way. What would sort all that is found (`state in (...)`, an
 * amount in any currency) is a walk for each value instead.
 */
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import type { PaymentFilter, PaymentQuery } from "@pointsman/core/ports"
import { idRangeOf, type Row } from "@pointsman/storage-sql"
import { idsOfReference } from "./Books.ts"
import type { Database } from "./Database.ts"
import { bindAfter, bindBefore, bindId, tenantsOf } from "./Keys.ts"
import { bindText } from "./Rows.ts"

interface Condition {
  readonly sql: string
  readonly values: ReadonlyArray<SQLInputValue>
}

export const selectPayments = (db: Database, tenant: Tenant, query: PaymentQuery): ReadonlyArray<Row> => {
  const walks = walksOf(db, tenant, query)
  if (walks.length === 0) return []
  const conditions = [...conditionsOf(db, tenant, query), ...restOf(query)]
  const selects = walks.map(({ is, order = "id", rows }) => {
    const all = [...conditions, ...is]
    return {
      sql: `select payments.* from ${rows} where ${all.map(({ sql }) => sql).join(" and ")} order by ${order} desc limit ?`,
      values: [...all.flatMap(({ values }) => values), query.limit]
    }
  })
  const [only] = selects
  if (only !== undefined && selects.length === 1) return db.prepare(only.sql).all(...only.values)
  return db
    .prepare(`${selects.map(({ sql }) => `select * from (${sql})`).join(" union all ")} order by id desc limit ?`)
    .all(...selects.flatMap(({ values }) => values), query.limit)
}

/** A walk along an index, by what leads it. */
interface Walk {
  readonly rows: string
  /** By which column it meets the payments; `id` unless set. */
  readonly order?: string
  readonly is: ReadonlyArray<Condition>
}

const isText = (column: string, text: string): Condition => ({ sql: `${column} = ?`, values: [bindText(text)] })

/** None where nothing can be found. */
const walksOf = (db: Database, tenant: Tenant, query: PaymentQuery): ReadonlyArray<Walk> => {
  const { amountMinor, currency, metadata, metadataValue, providerRef, reference, states } = query
  if (states?.length === 0) return []
  const t = tenantsOf(db).find(tenant)
  const inStates = states === undefined ? [] : [inSet("state", states)]
  if (providerRef !== undefined) {
    const found = idsOfReference(db, tenant, providerRef)
    if (found.length === 0) return []
    // By the keys of these few.
    return [{ rows: "payments indexed by payments_by_id", is: [inSet("id", found, bindId), ...inStates] }]
  }
  if (reference !== undefined) {
    return [{ rows: "payments indexed by payments_by_reference", is: [isText("reference", reference), ...inStates] }]
  }
  const [pair] = Object.entries(metadata ?? {})
  if (pair !== undefined) {
    const rows =
      "payment_metadata as named indexed by payment_metadata_by_value cross join payments indexed by payments_by_id"
    const [name, value] = pair.map(bindText) as [SQLInputValue, SQLInputValue]
    const isNamed = {
      sql: "named.t = ? and named.value = ? and named.name = ? and named.payment < ? and payments.id = named.payment",
      values: [t, value, name, bindBefore(idRangeOf(query).before)]
    }
    return [{ rows, order: "named.payment", is: [isNamed, ...inStates] }]
  }
  if (metadataValue !== undefined) {
    const isNamed = {
      sql: `named.t = ? and named.value = ? and named.payment < ? and payments.id = named.payment and ${isFirstName}`,
      values: [t, bindText(metadataValue), bindBefore(idRangeOf(query).before)]
    }
    const rows =
      "payment_metadata as named indexed by payment_metadata_by_text cross join payments indexed by payments_by_id"
    return [{ rows, order: "named.payment", is: [isNamed, ...inStates] }]
  }
  if (amountMinor !== undefined) {
    const all = currency === undefined ? currenciesOf(db, tenant) : [currency]
    return all.map((one) => ({
      rows: "payments indexed by payments_by_amount",
      is: [isText("currency", one), { sql: "amount_minor = ?", values: [amountMinor] }, ...inStates]
    }))
  }
  if (states === undefined) return [{ rows: "payments indexed by payments_by_id", is: [] }]
  return [...new Set(states)].map((state) => ({
    rows: "payments indexed by payments_by_state",
    is: [isText("state", state)]
  }))
}

const inSet = (
  column: string,
  texts: ReadonlyArray<string>,
  bind: (text: string) => SQLInputValue = bindText
): Condition => ({
  sql: `${column} in (${texts.map(() => "?").join(", ")})`,
  values: texts.map(bind)
})

const conditionsOf = (db: Database, tenant: Tenant, query: PaymentQuery): ReadonlyArray<Condition> => {
  const { before, from } = idRangeOf(query)
  return [
    { sql: "payments.t = ?", values: [tenantsOf(db).find(tenant)] },
    { sql: "id < ?", values: [bindBefore(before)] },
    ...(from === "" ? [] : [{ sql: "id > ?", values: [bindAfter(from)] }])
  ]
}

/** What no index leads with. */
const restOf = ({
  amountMinor,
  connectionId,
  createdBefore,
  createdFrom,
  currency,
  metadata,
  metadataValue,
  reference,
  providerRef
}: PaymentFilter): ReadonlyArray<Condition> => {
  const found = Object.entries(metadata ?? {}).map(isNamed)
  const isNamedFirst = reference !== undefined || providerRef !== undefined || found.length > 0
  const isLed = isNamedFirst || metadataValue !== undefined
  if (metadataValue !== undefined && isNamedFirst) found.push(hasText(metadataValue))
  if (providerRef !== undefined && reference !== undefined) found.push(isText("reference", reference))
  if (currency !== undefined && (isLed || amountMinor === undefined)) found.push(isText("currency", currency))
  if (amountMinor !== undefined && isLed) found.push({ sql: "amount_minor = ?", values: [amountMinor] })
  if (connectionId !== undefined) found.push(isText("connection_id", connectionId))
  if (createdFrom !== undefined) found.push({ sql: "created_at >= ?", values: [createdFrom] })
  if (createdBefore !== undefined) found.push({ sql: "created_at < ?", values: [createdBefore] })
  return found
}

/** Whether a payment has the text under the name. */
const isNamed = ([name, value]: readonly [name: string, value: string]): Condition => ({
  sql: `exists (select 1 from payment_metadata as other where other.t = payments.t and other.payment = payments.id and other.name = ? and other.value = ?)`,
  values: [bindText(name), bindText(value)]
})

/** Whether a payment has the text under any name. */
const hasText = (value: string): Condition => ({
  sql: `exists (select 1 from payment_metadata as other where other.t = payments.t and other.payment = payments.id and other.value = ?)`,
  values: [bindText(value)]
})

/** A payment that has the text under several names is met once, by the first of them. */
const isFirstName = `not exists (select 1 from payment_metadata as earlier where earlier.t = named.t
  and earlier.payment = named.payment and earlier.name < named.name and earlier.value = named.value)`

/** The currencies of the tenant's payments, each found by one step along the index. */
const currenciesOf = (db: Database, tenant: Tenant): ReadonlyArray<string> => {
  const rows = "payments indexed by payments_by_amount"
  const next = db.prepare(`select currency from ${rows} where t = ? and currency > ? order by currency limit 1`)
  const found: Array<string> = []
  for (;;) {
    const row = next.get(tenantsOf(db).find(tenant), found.at(-1) ?? "")
    if (row === undefined) return found
    found.push(row["currency"] as string)
  }
}
