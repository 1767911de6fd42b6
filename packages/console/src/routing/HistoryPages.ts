/** How attempts ended over time, as plots and as the numbers behind them. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { named, select } from "../frame/Forms.ts"
import { type Html, time } from "../frame/Layout.ts"
import { type Answer, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { plot } from "./Plot.ts"
import * as Desk from "./RoutingDesk.ts"
import { connectionLinks, ratesTable } from "./RoutingPages.ts"
import { type History, type HistoryPeriod, historyPeriods } from "./RoutingRecords.ts"
import { outcomesText, percent, rangeText, successRange } from "./SuccessRange.ts"

const { html } = InProcess

const periodNames: Readonly<Record<HistoryPeriod, string>> = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days"
}

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const period = historyPeriods.find((one) => one === visit.query.get("period")) ?? "24h"
  const segment = visit.query.get("segment") ?? ""
  const history = yield* Desk.history(tenant, period, segment)
  const here = `${visit.mount}${pathOf("routing", tenant)}`
  const connection = yield* connectionLinks(visit, tenant)
  return {
    title: "Success over time",
    main: html`<form action="${here}/history" class="card fields">
${select({
  name: "period",
  label: "Period",
  choices: historyPeriods.map((one) => [one, periodNames[one]] as const),
  selected: period
})}
${select({
  name: "segment",
  label: "Payments",
  choices: [["", "All payments"], ...named(segmentsOf(history, segment))],
  selected: segment,
  isWide: true
})}
<button>Show</button>
</form>
${
  history.series.length === 0
    ? html`<p class="card">No attempts in this period.</p>`
    : html`<p class="soft">${countedText(history)} The range contains the true rate with a confidence of 95 %.</p>
${history.series.map((one) => seriesView(one, history.until))}`
}
${
  history.segments.length === 0
    ? undefined
    : html`<h2>Whole period</h2>
${ratesTable(history.segments, connection, (one) => `${here}/history?${new URLSearchParams({ period, segment: one }).toString()}`)}`
}
<p><a href="${here}">Back to routing</a></p>`
  } satisfies Answer
})

/** Those of the period, and the one that was asked for. */
const segmentsOf = ({ segments }: History, asked: string): ReadonlyArray<string> => {
  const found = new Set(segments.flatMap(({ segment }) => segment ?? []))
  return asked === "" ? [...found] : [...found.add(asked)]
}

const countedText = ({ is_sampled, payments }: History): string =>
  is_sampled
    ? `Counted from a sample of ${payments} payments: the last 100 to 200 of each step.`
    : `Counted from all ${payments} payments of the period.`

const seriesView = ({ connection_id, steps }: History["series"][number], until: string): Html => {
  const points = steps.map(successRange)
  const rates = points.flatMap((range) => (range === undefined ? [] : [range.rate]))
  const [first] = steps
  return html`<section class="card" aria-label="${connection_id}"><h2>${connection_id}</h2>
${
  first === undefined || rates.length === 0
    ? html`<p>No outcomes that count.</p>`
    : plot({
        points,
        label: `Success of ${connection_id}: from ${percent(Math.min(...rates))} to ${percent(Math.max(...rates))}. The numbers follow.`,
        ends: [time(first.from), time(until)]
      })
}
<details><summary>Numbers</summary>${table({
    label: `Numbers of ${connection_id}`,
    columns: ["From", { numbers: "Success" }, "Range", { numbers: "Outcomes" }],
    isInCard: true,
    rows: steps.map((step, at) => {
      const range = points[at]
      return html`<tr><td>${time(step.from)}</td><td class="number">${range === undefined ? "–" : percent(range.rate)}</td>
<td>${rangeText(range)}</td><td class="number">${outcomesText(step)}</td></tr>`
    })
  })}</details>
</section>`
}

export const historyPages = [page("GET", "/routing/:workspace/:environment/history", "routing.read", show)]
