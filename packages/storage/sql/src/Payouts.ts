/** Payouts: what one consists of, its entries, and the list of them; and what moved, by day. */
import type { Tenant } from "@pointsman/core"
import { dayMillis, payoutSumOf } from "@pointsman/core/internal"
import type { PayoutName, Settlements } from "@pointsman/core/ports"
import { Effect } from "effect"
import { readAll, readEach, type Sql } from "./Sql.ts"

const kindSum = (name: string, kinds: ReadonlyArray<string>) =>
  `sum(case when kind in (${kinds.map((kind) => `'${kind}'`).join(", ")}) then moved else 0 end) as ${name}`

const kindsOf = Map.groupBy(
  Object.keys(payoutSumOf) as ReadonlyArray<keyof typeof payoutSumOf>,
  (kind) => payoutSumOf[kind]
)
const sumsOfMoves = `count(*) as rows, sum(cost) as fees_minor,
    ${[...kindsOf].map(([sum, kinds]) => kindSum(sum.replace("Minor", "_minor"), kinds)).join(",\n    ")}`

/** Of one entry. */
const move = `coalesce(net_currency, converted_currency, currency) as moved_currency,
      coalesce(converted_minor, gross_minor) as moved, coalesce(fee_minor, 0) as cost`

/** Of the versions of a row the newest one counts, and the same row at a second place of its report does not. */
const isCounted = "number > 0 and reason <> 'same_row' and corrected_at is null"

/** What one payout has, by currency. `table`: the table, with its index. `where`: the payout. */
const selectPayoutParts = (table: string, where: string): string => `select moved_currency as currency,
    ${sumsOfMoves}, min(occurred_at) as first_at, max(occurred_at) as last_at, max(settled_at) as settled_at
  from (
    select kind, occurred_at, settled_at,
      ${move}
    from ${table} where ${where} and ${isCounted} order by occurred_at, row_id
  ) as moves
  group by moved_currency order by moved_currency`

/** What the rows of one payout itself moved, by currency. */
const selectPayoutMoves = (table: string, where: string): string => `select connection_id, payout_id,
    ${kindSum("left_minor", ["payout"])}, ${kindSum("returned_minor", ["payout_failed"])}
  from (
    select connection_id, payout_id, kind, ${move}
    from ${table} where ${where} and kind in ('payout', 'payout_failed') and ${isCounted}
  ) as moves
  group by connection_id, payout_id, moved_currency`

/** What moved, by connection, day and currency. `where`: the tenant and the times. */
const selectBalance = (where: string): string => `select connection_id, day, moved_currency as currency,
    ${sumsOfMoves}
  from (
    select connection_id, kind, occurred_at - occurred_at % ${dayMillis} as day,
      ${move}
    from settlement_entries where ${where} and ${isCounted}
  ) as moves
  group by connection_id, day, moved_currency order by connection_id, day, moved_currency`

const ofTenant = "workspace_id = $1 and environment = $2"

export const makePayouts = <V>(sql: Sql<V>) => {
  const { bindTenant, bindText, readBalanceRow, readPayoutMoves, readPayoutPart, readSettlement } = sql.rows
  const ofPayout = `${ofTenant} and connection_id = $3 and ${sql.isSame("payout_id", "$4")}`
  const byPayout = sql.by("settlement_entries", "settlement_entries_by_payout")
  const parts = selectPayoutParts(byPayout, ofPayout)
  const moves = selectPayoutMoves(sql.by("settlement_entries", "settlement_payouts_by_name"), ofPayout)
  const entries = `select * from ${byPayout} where ${ofPayout} and ${isCounted} and (occurred_at, row_id) > ($5, $6)
    order by occurred_at, row_id limit $7`
  const bindName = ({ connectionId, payoutId }: PayoutName) => [bindText(connectionId), bindText(payoutId)]
  const times = "occurred_at >= $3 and occurred_at < $4"
  const bindTimes = (tenant: Tenant, from: number, until: number) => [...bindTenant(tenant), from, until]
  const bindConnection = (id: string | undefined) => (id === undefined ? [] : [bindText(id)])
  /** Entries of payouts themselves, which belong to no payment. */
  const listed = (ofConnection: string) => `select * from ${sql.by("settlement_entries", "settlement_payouts")}
    where ${ofTenant} and ${times} ${ofConnection} and payment_id is null and kind = 'payout' and ${isCounted}
    order by occurred_at desc, connection_id desc, row_id desc limit $5`
  return {
    payoutParts: (tenant, name) =>
      readAll(sql, "payoutParts", readPayoutPart, parts, [...bindTenant(tenant), ...bindName(name)]),
    // Name by name, as the rows of a report are.
    payoutMoves: (tenant, names) =>
      Effect.map(readEach(sql, "payoutMoves", moves, bindTenant(tenant), names.map(bindName)), (found) =>
        found.map(readPayoutMoves)
      ),
    payoutEntries: (tenant, { after, limit, ...name }) => {
      const values = [...bindTenant(tenant), ...bindName(name), after?.occurredAt ?? -1, bindText(after?.rowId ?? "")]
      return readAll(sql, "payoutEntries", readSettlement, entries, [...values, limit])
    },
    payouts: ({ connectionId, from, limit, tenant, until }) => {
      const values = [...bindTimes(tenant, from, until), limit, ...bindConnection(connectionId)]
      const text = listed(connectionId === undefined ? "" : "and connection_id = $6")
      return readAll(sql, "payouts", readSettlement, text, values)
    },
    balance: ({ connectionId, from, tenant, until }) => {
      const ofConnection = connectionId === undefined ? "" : "and connection_id = $5"
      const values = [...bindTimes(tenant, from, until), ...bindConnection(connectionId)]
      // No index leads to the times: it reads all rows of the tenant.
      const text = selectBalance(`${ofTenant} and ${times} ${ofConnection}`)
      return Effect.map(sql.search("balance", text, values), (found) => found.map(readBalanceRow))
    }
  } satisfies Partial<Settlements>
}
