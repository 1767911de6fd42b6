/** Payouts in SQLite: what one consists of, its entries, and the list of them. */
import type { Tenant } from "@pointsman/core"
import type { PayoutName, Settlements } from "@pointsman/core/ports"
import { selectPayoutEntries, selectPayoutMoves, selectPayoutParts, selectPayouts } from "@pointsman/storage-sql"
import { type Database, read } from "./Database.ts"
import { bindTenant, bindText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = ? and environment = ?"
const ofPayout = `${ofTenant} and connection_id = ? and payout_id = ?`
const byPayout = "settlement_entries indexed by settlement_entries_by_payout"
const bindPayout = (tenant: Tenant, { connectionId, payoutId }: PayoutName) => [
  ...bindTenant(tenant),
  bindText(connectionId),
  bindText(payoutId)
]

const selectParts = selectPayoutParts(byPayout, ofPayout)
const selectEntries = selectPayoutEntries(byPayout, ofPayout, "(occurred_at, row_id) > (?, ?)", "?")

const selectMoves = selectPayoutMoves("settlement_entries indexed by settlement_payouts_by_name", ofPayout)

export const make = (db: Database): Pick<Settlements, "payoutParts" | "payoutMoves" | "payoutEntries" | "payouts"> => ({
  payoutParts: (tenant, name) =>
    read("payoutParts", () =>
      db
        .prepare(selectParts)
        .all(...bindPayout(tenant, name))
        .map(rows.readPayoutPart)
    ),
  payoutMoves: (tenant, names) =>
    read("payoutMoves", () => {
      const select = db.prepare(selectMoves)
      return names.flatMap((name) => select.all(...bindPayout(tenant, name)).map(rows.readPayoutMoves))
    }),
  payoutEntries: (tenant, { after, limit, ...name }) =>
    read("payoutEntries", () =>
      db
        .prepare(selectEntries)
        .all(...bindPayout(tenant, name), after?.occurredAt ?? -1, bindText(after?.rowId ?? ""), limit)
        .map(rows.readSettlement)
    ),
  payouts: ({ connectionId, from, limit, tenant, until }) =>
    read("payouts", () => {
      const ofConnection = connectionId === undefined ? "" : "and connection_id = ?"
      return db
        .prepare(
          selectPayouts(
            "settlement_entries indexed by settlement_payouts",
            `${ofTenant} and occurred_at >= ? and occurred_at < ? ${ofConnection}`,
            "?"
          )
        )
        .all(...bindTenant(tenant), from, until, ...(connectionId === undefined ? [] : [bindText(connectionId)]), limit)
        .map(rows.readSettlement)
    })
})
