import { assert } from "@effect/vitest"
import { itIn } from "./support/ItIn.ts"
import { orderOf, reconcile, rowOf } from "./support/Reports.ts"
import { world } from "./support/World.ts"

const usd = (minorUnits: number) => ({ minorUnits, currency: "USD" })
itIn("each currency of a run adds up by itself for a charge in EUR paid out in USD", world(), function* () {
  const rows = [
    rowOf(undefined, {
      id: "eur",
      gross: { minorUnits: 1000, currency: "EUR" },
      converted: usd(1080),
      fee: usd(30),
      net: usd(1050)
    }),
    rowOf(undefined, { id: "usd", gross: usd(500), fee: usd(20), net: usd(480) })
  ]
  const { sums } = yield* reconcile(orderOf(rows))
  assert.deepStrictEqual(sums, { USD: { grossMinor: 1580, feeMinor: 50, netMinor: 1530 } })
})
