/** How attempts ended over time, as plots and as the numbers behind them. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type Html, time } from "../frame/Layout.ts"
import { type Answer, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { plot } from "./Plot.ts"
import * as Desk from "./RoutingDesk.ts"
import { ratesTable } from "./RoutingPages.ts"
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
  const answer: Answer = {
    title: "Success over time",
    main: html`<form action="${here}/history" class="card fields">
<div><label for="period">Period</label><select id="period" name="period">${historyPeriods.map((one) =>
      option(one, periodNames[one], one === period)
    )}</select></div>
<div class="wide"><label for="segment">Payments</label><select id="segment" name="segment">${option("", "All payments", segment === "")}${segmentsOf(
      history,
      segment
    ).map((one) => option(one, one, one === segment))}</select></div>
<button>Show</button>
</form>
${
  history.series.length === 0
    ? html`<p>No attempts in this period.</p>`
    : html`<p class="soft">${countedText(history)} The range contains the true rate with a confidence of 95 %.</p>
${history.series.map((one) => seriesView(one, history.until))}`
}
${
  history.segments.length === 0
    ? undefined
    : html`<h2>Whole period</h2>
${ratesTable(history.segments, (one) => `${here}/history?${new URLSearchParams({ period, segment: one }).toString()}`)}`
}
<p><a href="${here}">Routing</a></p>`
  }
  return answer
})

const option = (value: string, name: string, isSelected: boolean): Html =>
  html`<option value="${value}"${isSelected ? html` selected` : undefined}>${name}</option>`

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
<details><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="Numbers of ${connection_id}"><table>
<thead><tr><th scope="col">From</th><th scope="col" class="number">Success</th><th scope="col">Range</th><th scope="col" class="number">Outcomes</th></tr></thead>
<tbody>${steps.map((step, at) => {
    const range = points[at]
    return html`<tr><td>${time(step.from)}</td><td class="number">${range === undefined ? "–" : percent(range.rate)}</td>
<td>${rangeText(range)}</td><td class="number">${outcomesText(step)}</td></tr>`
  })}</tbody></table></div></details>
</section>`
}

export const historyPages = [page("GET", "/routing/:workspace/:environment/history", "routing.read", show)]
