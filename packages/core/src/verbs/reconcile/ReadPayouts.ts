/** One payout of a provider, with the rows that it pays. */
import { Effect, Option, Stream } from "effect"
import { type Payout, type PayoutName, type PayoutStatus, payoutStatusOf } from "../../model/Payout.ts"
import type { SettlementEntry } from "../../model/SettlementEntry.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Settlements } from "../../ports/Settlements.ts"
import { withAllowance } from "../../ports/StorageAllowance.ts"

/** Rows in memory at once. */
const pageRows = 200

/** `None` where no report names the payout. */
export const readPayout = Effect.fnUntraced(function* (tenant: Tenant, { connectionId, payoutId }: PayoutName) {
  const found = yield* (yield* Settlements).payoutParts(tenant, { connectionId, payoutId })
  if (found.length === 0) return Option.none<Payout>()
  const settled = found.flatMap(({ settledAt }) => settledAt ?? [])
  const { payoutMoves } = yield* Settlements
  return Option.some<Payout>({
    connectionId,
    payoutId,
    status: payoutStatusOf(yield* payoutMoves(tenant, [{ connectionId, payoutId }])),
    period: {
      from: Math.min(...found.map(({ firstAt }) => firstAt)),
      until: Math.max(...found.map(({ lastAt }) => lastAt))
    },
    settledAt: settled.length === 0 ? null : Math.max(...settled),
    sums: found.map(({ firstAt: _, lastAt: __, settledAt: ___, ...sums }) => sums)
  })
})

/** What an entry or a settlement says of its payout. */
type NamingPayout = Pick<SettlementEntry, "connectionId" | "payoutId">

const keyOf = ({ connectionId, payoutId }: NamingPayout): string => JSON.stringify([connectionId, payoutId])

/** With one read: the status of the payout that each of them names, `null` for one that names none. */
export const readPayoutStatuses = Effect.fnUntraced(function* (tenant: Tenant, naming: ReadonlyArray<NamingPayout>) {
  const named = naming.flatMap(({ connectionId, payoutId }) => (payoutId === null ? [] : [{ connectionId, payoutId }]))
  const names = [...new Map(named.map((name) => [keyOf(name), name])).values()]
  const moves = names.length === 0 ? [] : yield* (yield* Settlements).payoutMoves(tenant, names)
  const byName = Map.groupBy(moves, keyOf)
  return (one: NamingPayout): PayoutStatus | null =>
    one.payoutId === null ? null : payoutStatusOf(byName.get(keyOf(one)) ?? [])
})

/** Every row of it in the order of their times, a page as one chunk. A page is read once the one before was taken. */
export const exportPayout = (tenant: Tenant, name: PayoutName) =>
  Stream.paginate(
    undefined as SettlementEntry | undefined,
    Effect.fnUntraced(function* (after) {
      const { payoutEntries } = yield* Settlements
      // Each page has the time of a request: the reader decides how long all of them take.
      const rows: ReadonlyArray<SettlementEntry> = yield* withAllowance(
        payoutEntries(tenant, { ...name, after, limit: pageRows })
      )
      return [rows, rows.length < pageRows ? Option.none() : Option.fromUndefinedOr(rows.at(-1))] as const
    })
  )
