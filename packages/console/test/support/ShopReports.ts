/** Reports of the shop of the pictures, with a few differences, and disputes of two of its payments. */
import { type Payment, Pointsman } from "@pointsman/core"
import { Effect } from "effect"
import { readReport, rowOf, stateDispute } from "./Reports.ts"
import { tenant } from "./ShopConfiguration.ts"
import type { World } from "./World.ts"

const hour = 3_600_000
const day = 24 * hour

interface Order {
  readonly run: World["run"]
  /** Epoch milliseconds. */
  readonly now: number
  readonly disputed: ReadonlyArray<Payment>
}

const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

export const addReports = async ({ disputed, now, run }: Order) => {
  const page = await run(
    Effect.flatMap(Pointsman, ({ payments }) => payments(tenant, { states: ["Captured"], currency: "EUR", limit: 100 }))
  )
  for (const [connectionId, connector] of [
    ["stripe-eu", "stripe"],
    ["adyen-nl", "adyen"]
  ] as const) {
    const paid = page.items.filter((one) => one.connectionId === connectionId && one.providerRef !== null)
    const payoutId = `po_${connector}_1124`
    const rows = paid.map(({ createdAt, money: { minorUnits }, providerRef }, at) => {
      // One of each report differs.
      const gross = eur(at === 3 ? minorUnits - 100 : minorUnits)
      const fee = eur(25 + Math.round(minorUnits * 0.014))
      const net = eur(gross.minorUnits - fee.minorUnits)
      return rowOf(`txn_${connector}_${at}`, {
        kind: "charge",
        ref: providerRef ?? "",
        ...{ gross, fee, net, payoutId, occurredAt: createdAt, settledAt: now }
      })
    })
    const payout = rows.reduce((sum, { net }) => sum + (net?.minorUnits ?? 0), 0)
    await readReport(
      run,
      { connectionId, connector, fileName: `${connector}-2026-11-24.csv`, sha256: `${connector}_` },
      [
        ...rows,
        rowOf(`txn_${connector}_till`, {
          kind: "charge",
          ref: "till-4711",
          gross: eur(1_850),
          occurredAt: now - 5 * hour
        }),
        rowOf(payoutId, { gross: eur(-payout), payoutId, occurredAt: now - hour })
      ]
    )
  }
  for (const [at, { connectionId, money, providerRef }] of disputed.entries()) {
    if (connectionId === null) continue
    await stateDispute(run, connectionId, tenant, {
      ...{ at: now, money, providerRef },
      disputeId: `dsp_20${at + 1}`,
      reason: at === 0 ? "not_received" : "fraudulent",
      providerReason: at === 0 ? "13.1" : "10.4",
      dueBy: now + (at === 0 ? 6 * day + 4 * hour : 15 * day)
    })
  }
}
