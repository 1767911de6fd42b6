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
import type { Database } from "./Database.ts"
import { selectOfCharge } from "./References.ts"
import { bindTenant, bindText, readText } from "./Rows.ts"

const ofTenant = "workspace_id = ? and environment = ?"
const ofPayments = "payments.workspace_id = ? and payments.environment = ?"

interface Condition {
  readonly sql: string
  readonly values: ReadonlyArray<SQLInputValue>
}

export const selectPayments = (db: Database, tenant: Tenant, query: PaymentQuery): ReadonlyArray<Row> => {
  const walks = walksOf(db, tenant, query)
  if (walks.length === 0) return []
  const conditions = [...conditionsOf(tenant, query), ...restOf(query)]
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
  const inStates = states === undefined ? [] : [inSet("state", states)]
  if (providerRef !== undefined) {
    const found = connectionsOf(db, tenant).flatMap((connectionId) =>
      selectOfCharge(db, tenant, { connectionId, providerRef })
    )
    if (found.length === 0) return []
    // By the keys of these few.
    return [{ rows: "payments", is: [inSet("id", [...new Set(found)]), ...inStates] }]
  }
  if (reference !== undefined) {
    return [{ rows: "payments indexed by payments_by_reference", is: [isText("reference", reference), ...inStates] }]
  }
  const [pair] = Object.entries(metadata ?? {})
  if (pair !== undefined) {
    const rows = "payment_metadata as named indexed by payment_metadata_by_value cross join payments"
    const [name, value] = pair.map(bindText) as [SQLInputValue, SQLInputValue]
    const isNamed = {
      sql: `named.workspace_id = ? and named.environment = ? and named.value = ? and named.name = ?
        and named.payment_id < ? and payments.id = named.payment_id`,
      values: [...bindTenant(tenant), value, name, bindText(idRangeOf(query).before)]
    }
    return [{ rows, order: "named.payment_id", is: [isNamed, ...inStates] }]
  }
  if (metadataValue !== undefined) {
    const isNamed = {
      sql: `named.workspace_id = ? and named.environment = ? and named.value = ? and named.payment_id < ?
        and payments.id = named.payment_id and ${isFirstName}`,
      values: [...bindTenant(tenant), bindText(metadataValue), bindText(idRangeOf(query).before)]
    }
    const rows = "payment_metadata as named indexed by payment_metadata_by_text cross join payments"
    return [{ rows, order: "named.payment_id", is: [isNamed, ...inStates] }]
  }
  if (amountMinor !== undefined) {
    const all = currency === undefined ? currenciesOf(db, tenant) : [currency]
    return all.map((one) => ({
      rows: "payments indexed by payments_by_amount",
      is: [isText("currency", one), { sql: "amount_minor = ?", values: [amountMinor] }, ...inStates]
    }))
  }
  if (states === undefined) return [{ rows: "payments", is: [] }]
  return [...new Set(states)].map((state) => ({
    rows: "payments indexed by payments_by_state",
    is: [isText("state", state)]
  }))
}

const inSet = (column: string, texts: ReadonlyArray<string>): Condition => ({
  sql: `${column} in (${texts.map(() => "?").join(", ")})`,
  values: texts.map(bindText)
})

const conditionsOf = (tenant: Tenant, query: PaymentQuery): ReadonlyArray<Condition> => {
  const { before, from } = idRangeOf(query)
  return [
    { sql: ofPayments, values: bindTenant(tenant) },
    { sql: "id < ?", values: [bindText(before)] },
    ...(from === "" ? [] : [{ sql: "id >= ?", values: [from] }])
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
  sql: `exists (select 1 from payment_metadata as other where other.workspace_id = payments.workspace_id
    and other.environment = payments.environment and other.payment_id = payments.id and other.name = ? and other.value = ?)`,
  values: [bindText(name), bindText(value)]
})

/** Whether a payment has the text under any name. */
const hasText = (value: string): Condition => ({
  sql: `exists (select 1 from payment_metadata as other where other.workspace_id = payments.workspace_id
    and other.environment = payments.environment and other.payment_id = payments.id and other.value = ?)`,
  values: [bindText(value)]
})

/** A payment that has the text under several names is met once, by the first of them. */
const isFirstName = `not exists (select 1 from payment_metadata as earlier where earlier.workspace_id = named.workspace_id
  and earlier.environment = named.environment and earlier.payment_id = named.payment_id and earlier.name < named.name
  and earlier.value = named.value)`

/** The currencies of the tenant's payments. */
const currenciesOf = (db: Database, tenant: Tenant): ReadonlyArray<string> =>
  stepsAlong(db, "payments indexed by payments_by_amount", "currency", tenant)

/** The connections that the tables of references have for the tenant. */
const connectionsOf = (db: Database, tenant: Tenant): ReadonlyArray<string> => [
  ...new Set(
    ["charge_references", "named_references"].flatMap((table) => stepsAlong(db, table, "connection_id", tenant))
  )
]

/** The values of an index's first column after the tenant, each found by one step. */
const stepsAlong = (db: Database, rows: string, column: string, tenant: Tenant): ReadonlyArray<string> => {
  const first = db.prepare(`select ${column} from ${rows} where ${ofTenant} order by ${column} limit 1`)
  const next = db.prepare(
    `select ${column} from ${rows} where ${ofTenant} and ${column} > ? order by ${column} limit 1`
  )
  const found: Array<string> = []
  let row = first.get(...bindTenant(tenant))
  while (row !== undefined) {
    found.push(readText(row[column]))
    row = next.get(...bindTenant(tenant), row[column] as SQLInputValue)
  }
  return found
}
