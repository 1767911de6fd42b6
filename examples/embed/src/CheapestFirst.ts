/** A routing strategy: asks the connection first that costs least for the payment. */
import type { RoutingStrategy } from "@pointsman/core"

/** What the shop pays for a payment: minor units, and hundredths of a percent of the amount. */
const fees: Readonly<Record<string, { readonly fixedMinor: number; readonly basisPoints: number }>> = {
  tiny: { fixedMinor: 25, basisPoints: 140 },
  "tiny-flat": { fixedMinor: 60, basisPoints: 0 }
}

export const cheapestFirst: RoutingStrategy = {
  name: "cheapest first",
  order: ({ candidates, payment }) => {
    const costOf = (connectionId: string): number => {
      const { basisPoints, fixedMinor } = fees[connectionId] ?? { fixedMinor: 100, basisPoints: 300 }
      return fixedMinor + Math.round((payment.money.minorUnits * basisPoints) / 10_000)
    }
    const ids = candidates.map(({ connectionId }) => connectionId)
    return {
      order: ids.toSorted((a, b) => costOf(a) - costOf(b)),
      scores: Object.fromEntries(ids.map((id) => [id, costOf(id)])),
      note: "The scores are what it costs the shop, in minor units."
    }
  }
}
