/** Webhooks: 20 events to each of 500 endpoints, recorded and signed, against as many bare requests. */
import type { Measure } from "../kit/Options.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, spread } from "../kit/Rounds.ts"
import { type Side, startSide } from "../kit/Side.ts"
import type { DeliverAnswer, DeliverOrder } from "../sides/Deliver.ts"

export const deliveries: Measure = async ({ folder, postgres, rounds, tell }) => {
  const side: Side<DeliverOrder, DeliverAnswer> = await startSide("Deliver", {})
  let runs = 0
  const sides = {
    bare: () => side.ask({ _tag: "bare" }),
    SQLite: () => side.ask({ _tag: "sqlite", folder, name: `deliveries-${++runs}.db` }),
    PostgreSQL: async () => {
      const url = await postgres.newDatabase("deliveries")
      const delivered = await side.ask({ _tag: "postgres", url })
      await postgres.dropDatabase(url)
      return delivered
    }
  }
  try {
    for (const one of Object.values(sides)) await one()
    const measured = await inRounds(rounds, sides, (name, { perSecond }) => tell(`${name}: ${short(perSecond)}/s`))
    const median = (name: keyof typeof sides) => short(spread(measured, (round) => round[name].perSecond).median)
    const rows = (["SQLite", "PostgreSQL"] as const).map((name): Row => {
      const trips = spread(measured, (round) => round[name].roundTrips).median
      return {
        id: `deliveries-${name}`,
        what: `deliveries over ${name}, of bare requests`,
        value: spread(measured, (round) => round[name].perSecond / round.bare.perSecond),
        unit: "times",
        atLeast: name === "SQLite" ? 0.7 : 0.55,
        beside: `${median(name)}/s of ${median("bare")}/s; ${trips.toFixed(3)} round trips to the store for each`
      }
    })
    return {
      id: "deliveries",
      title: "Webhooks to 500 endpoints that answer after 50 ms, 128 at once, the receivers in the same process",
      rows,
      note: ""
    }
  } finally {
    await side.stop()
  }
}
