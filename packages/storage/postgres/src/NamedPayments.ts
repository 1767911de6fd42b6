/** Which payments the names in rows of reports are of, in one statement. */
import type { Tenant } from "@pointsman/core"
import type { NamedInRows, NamedPayment, NameKind, StorageError } from "@pointsman/core/ports"
import { nameOrder, namePlaces } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, readText } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

/** For `jsonb_array_elements_text`. */
const texts = (some: ReadonlyArray<string>): string => JSON.stringify(some.map(bindText))

/** Two at most: more say no more. */
const selectNames = (kind: NameKind, place: string): string => {
  const [table, column] = namePlaces[kind]
  const named = `select payment_id from ${table} where ${ofTenant} and connection_id = $3`
  const isSame = `${column} = n.name`
  const found = (select: string) => `select '${kind}' as kind, n.name, f.payment_id
    from jsonb_array_elements_text(${place}::text::jsonb) as n (name) cross join lateral (${select} offset 0) as f`
  switch (kind) {
    case "providerRefs": {
      const isCharge = `reference_hash = md5(n.name) and ${isSame}`
      const beside = named.replace("charge_references", "named_references")
      return found(`${named} and ${isCharge} union ${beside} and ${isCharge} limit 2`)
    }
    case "providerRefundIds":
      return found(`${named} and md5(provider_refund_id) = md5(n.name) and ${isSame} limit 2`)
    default:
      return found(`${named} and ${isSame} and id <> '' order by ${nameOrder(kind)} limit 1`)
  }
}

export const selectNamed = (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  names: NamedInRows
): Effect.Effect<ReadonlyArray<NamedPayment>, StorageError> => {
  const some = (Object.entries(names) as ReadonlyArray<[NameKind, ReadonlyArray<string>]>).filter(
    ([, named]) => named.length > 0
  )
  if (some.length === 0) return Effect.succeed([])
  const select = some.map(([kind], at) => `(${selectNames(kind, `$${at + 4}`)})`).join(" union all ")
  const params = [...bindTenant(tenant), bindText(connectionId), ...some.map(([, named]) => texts(named))]
  return Effect.map(db.read("paymentsNamed", select, params), (found) =>
    found.map((row) => ({
      kind: row["kind"] as NameKind,
      name: readText(row["name"]),
      paymentId: readText(row["payment_id"])
    }))
  )
}
