/** Webhooks: 20 events to each of 500 endpoints, recorded and signed, against as many bare requests. */
import { compare } from "../kit/Compare.ts"
import { type Measure, row, short } from "../kit/Result.ts"
import { type Side, startSide } from "../kit/Side.ts"
import type { DeliverAnswer, DeliverOrder } from "../sides/Deliver.ts"

export const deliveries: Measure = async (options) => {
  const { folder, postgres } = options
  const side: Side<DeliverOrder, DeliverAnswer> = await startSide("Deliver", {})
  let runs = 0
  const { median, times } = await compare(
    options,
    {
      bare: () => side.ask({ _tag: "bare" }),
      SQLite: () => side.ask({ _tag: "sqlite", folder, name: `deliveries-${++runs}.db` }),
      PostgreSQL: async () => {
        const url = await postgres.newDatabase("deliveries")
        const delivered = await side.ask({ _tag: "postgres", url })
        await postgres.dropDatabase(url)
        return delivered
      }
    },
    (name, { perSecond }) => `${name}: ${short(perSecond)}/s`
  )
  const rate = ({ perSecond }: DeliverAnswer) => perSecond
  return {
    id: "deliveries",
    title: "Webhooks to 500 endpoints that answer after 50 ms, 128 at once, the receivers in the same process",
    rows: (["SQLite", "PostgreSQL"] as const).map((name) =>
      row(
        `deliveries-${name}`,
        `deliveries over ${name}, of bare requests`,
        times(name, "bare", rate),
        "times",
        `${median(name, rate)}/s of ${median("bare", rate)}/s; ${median(name, ({ roundTrips }) => roundTrips)} round trips to the store for each`,
        { atLeast: name === "SQLite" ? 0.7 : 0.55 }
      )
    ),
    note: ""
  }
}
