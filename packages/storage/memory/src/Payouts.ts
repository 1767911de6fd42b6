/** Payouts in maps, and how entries are added up. */
import type { SettlementEntry } from "@pointsman/core"
import type { PayoutMoves, PayoutName, PayoutPart, Settlements } from "@pointsman/core/ports"
import { Effect } from "effect"
import { byText, copy, ofTenant, type State, type TenantState } from "./State.ts"

export const make = (state: State): Pick<Settlements, "payoutParts" | "payoutMoves" | "payoutEntries" | "payouts"> => ({
  payoutParts: (tenant, name) =>
    Effect.sync(() => payoutParts(entriesIn(ofTenant(state, tenant)).filter((one) => isOfPayout(one, name)))),
  payoutMoves: (tenant, names) =>
    Effect.sync(() => {
      const entries = entriesIn(ofTenant(state, tenant)).filter(isOfItself)
      return names.flatMap((name) =>
        [
          ...Map.groupBy(
            entries.filter((one) => isOfPayout(one, name)),
            movedCurrency
          ).values()
        ].map((some) => some.reduce(withPayoutMove, { ...name, leftMinor: 0, returnedMinor: 0 }))
      )
    }),
  payoutEntries: (tenant, { after, limit, ...name }) =>
    Effect.sync(() =>
      entriesIn(ofTenant(state, tenant))
        .filter((one) => isOfPayout(one, name))
        .filter((one) => after === undefined || byTime(one, after) > 0)
        .sort(byTime)
        .slice(0, limit)
        .map(copy)
    ),
  payouts: ({ connectionId, from, limit, tenant, until }) =>
    Effect.sync(() =>
      entriesIn(ofTenant(state, tenant))
        .filter((one) => one.kind === "payout" && one.paymentId === null && isCounted(one))
        .filter(({ occurredAt }) => occurredAt >= from && occurredAt < until)
        .filter((one) => connectionId === undefined || one.connectionId === connectionId)
        .sort((a, b) => b.occurredAt - a.occurredAt || byName(b, a))
        .slice(0, limit)
        .map(copy)
    )
})

const isOfItself = ({ kind }: SettlementEntry): boolean => kind === "payout" || kind === "payout_failed"

const withPayoutMove = (moves: PayoutMoves, { converted, gross, kind }: SettlementEntry): PayoutMoves => {
  const field = kind === "payout" ? "leftMinor" : "returnedMinor"
  return { ...moves, [field]: moves[field] + (converted ?? gross).minorUnits }
}

type Name = Pick<SettlementEntry, "connectionId" | "rowId">
export const byName = (a: Name, b: Name): number => byText(a.connectionId, b.connectionId) || byText(a.rowId, b.rowId)

export const entriesIn = ({ settlements }: TenantState): Array<SettlementEntry> => [...settlements.values()]

const fieldOf = {
  charge: "chargesMinor",
  charge_failed: "chargesMinor",
  refund: "refundsMinor",
  refund_failed: "refundsMinor",
  dispute: "disputesMinor",
  dispute_reversed: "disputesMinor",
  fee: "othersMinor",
  payout: "payoutsMinor",
  payout_failed: "payoutsMinor",
  adjustment: "othersMinor"
} as const satisfies Record<SettlementEntry["kind"], keyof PayoutPart>

export const noMoves = {
  rows: 0,
  chargesMinor: 0,
  refundsMinor: 0,
  disputesMinor: 0,
  feesMinor: 0,
  payoutsMinor: 0,
  othersMinor: 0
}

/** Of the versions of a row the newest one counts, and the same row at a second place of its report does not. */
export const isCounted = ({ corrected, number, reason }: SettlementEntry): boolean =>
  number > 0 && reason !== "same_row" && corrected === null

/** That of the payout, where the report names it. */
export const movedCurrency = ({ converted, gross, net }: SettlementEntry): string =>
  (net ?? converted ?? gross).currency

export const withMove = <Sums extends typeof noMoves>(
  sums: Sums,
  { converted, fee, gross, kind }: SettlementEntry
): Sums => {
  const field = fieldOf[kind]
  return {
    ...sums,
    rows: sums.rows + 1,
    feesMinor: sums.feesMinor + (fee?.minorUnits ?? 0),
    [field]: sums[field] + (converted ?? gross).minorUnits
  }
}

const byTime = (
  a: Pick<SettlementEntry, "occurredAt" | "rowId">,
  b: Pick<SettlementEntry, "occurredAt" | "rowId">
): number => a.occurredAt - b.occurredAt || byText(a.rowId, b.rowId)

const isOfPayout = (one: SettlementEntry, { connectionId, payoutId }: PayoutName): boolean =>
  one.connectionId === connectionId && one.payoutId === payoutId && isCounted(one)

const payoutParts = (entries: ReadonlyArray<SettlementEntry>): ReadonlyArray<PayoutPart> =>
  [...Map.groupBy(entries, movedCurrency)]
    .map(([currency, some]) => {
      const times = some.map(({ occurredAt }) => occurredAt)
      const settled = some.flatMap(({ settledAt }) => settledAt ?? [])
      return some.reduce(withMove<PayoutPart>, {
        currency,
        ...noMoves,
        firstAt: Math.min(...times),
        lastAt: Math.max(...times),
        settledAt: settled.length === 0 ? null : Math.max(...settled)
      })
    })
    .sort((a, b) => byText(a.currency, b.currency))
