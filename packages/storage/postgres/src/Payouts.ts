/** Payouts in PostgreSQL: what one consists of, its entries, and the list of them. */
import type { Tenant } from "@pointsman/core"
import type { PayoutName, PayoutsQuery, Settlements } from "@pointsman/core/ports"
import { selectPayoutEntries, selectPayoutMoves, selectPayoutParts, selectPayouts } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

/** A provider's name may be longer than an index takes. */
const ofPayout = `${ofTenant} and connection_id = $3 and md5(payout_id) = md5($4) and payout_id = $4`
const bindPayout = (tenant: Tenant, { connectionId, payoutId }: PayoutName) => [
  ...bindTenant(tenant),
  bindText(connectionId),
  bindText(payoutId)
]

const selectParts = selectPayoutParts("settlement_entries", ofPayout)
const selectEntries = selectPayoutEntries(
  "settlement_entries",
  ofPayout,
  "(occurred_at, row_id) > ($5::text::bigint, $6)",
  "$7::text::integer"
)

const selectOf = ({ connectionId }: PayoutsQuery): string => {
  const times = "occurred_at >= $3::text::bigint and occurred_at < $4::text::bigint"
  const ofConnection = connectionId === undefined ? "" : " and connection_id = $6"
  return selectPayouts("settlement_entries", `${ofTenant} and ${times}${ofConnection}`, "$5::text::integer")
}

/** Name by name, as the rows of a report are. */
const selectMoves = `select e.* from jsonb_to_recordset($3::text::jsonb) as n (connection text, payout text)
  cross join lateral (${selectPayoutMoves(
    "settlement_entries",
    `${ofTenant} and connection_id = n.connection and md5(payout_id) = md5(n.payout) and payout_id = n.payout`
  )} offset 0) as e`

export const make = (db: Database): Pick<Settlements, "payoutParts" | "payoutMoves" | "payoutEntries" | "payouts"> => ({
  payoutParts: (tenant, name) =>
    Effect.map(db.read("payoutParts", selectParts, bindPayout(tenant, name)), (found) =>
      found.map(rows.readPayoutPart)
    ),
  payoutMoves: (tenant, names) => {
    const bound = names.map(({ connectionId, payoutId }) => ({
      connection: bindText(connectionId),
      payout: bindText(payoutId)
    }))
    return Effect.map(db.read("payoutMoves", selectMoves, [...bindTenant(tenant), JSON.stringify(bound)]), (found) =>
      found.map(rows.readPayoutMoves)
    )
  },
  payoutEntries: (tenant, { after, limit, ...name }) =>
    Effect.map(
      db.read("payoutEntries", selectEntries, [
        ...bindPayout(tenant, name),
        String(after?.occurredAt ?? -1),
        bindText(after?.rowId ?? ""),
        String(limit)
      ]),
      (found) => found.map(rows.readSettlement)
    ),
  payouts: (query) =>
    Effect.map(
      db.read("payouts", selectOf(query), [
        ...bindTenant(query.tenant),
        String(query.from),
        String(query.until),
        String(query.limit),
        ...(query.connectionId === undefined ? [] : [bindText(query.connectionId)])
      ]),
      (found) => found.map(rows.readSettlement)
    )
})
