/** The list of reports that were read, one of them, and how far the records agree with the providers. */
import { differenceResults, mayAct, type ReconciliationRun, settlementResults } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { timeOrNull } from "../api/Records.ts"
import { type Html, idView, time, timeOr } from "../frame/Layout.ts"
import { nextPage, pageSize } from "../frame/Lists.ts"
import { type Answer, noticeIn, page, pathOf, recordLinks, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { money } from "../payments/PaymentWords.ts"
import { agreementView } from "./AgreementView.ts"
import { differenceTable } from "./DifferenceTable.ts"
import * as Desk from "./ReconciliationDesk.ts"
import { pageLinks } from "./ReconciliationViews.ts"
import { count, resultNames, stateNames, stateTones } from "./ReconciliationWords.ts"

const { html, timeView } = InProcess

const isUnderWay = ({ state }: ReconciliationRun): boolean => state === "reading" || state === "matching_missing"

const stateView = ({ state }: ReconciliationRun): Html =>
  html`<span class="status ${stateTones[state]}">${stateNames[state]}</span>`

const differencesOf = ({ counts }: ReconciliationRun): number =>
  differenceResults.reduce((sum, result) => sum + counts[result], 0)

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const before = visit.query.get("before") ?? undefined
  const { items, next } = yield* Desk.runs(tenant, { before, limit: pageSize })
  const link = yield* recordLinks(visit, tenant)
  const { operator } = yield* CurrentOperator
  const here = `${visit.mount}${pathOf("reconciliation", tenant)}`
  return {
    title: "Reconciliation",
    isLive: before === undefined,
    main: html`${pageLinks(visit, tenant, "reports")}
${before === undefined ? yield* agreementView(visit, tenant) : undefined}
<h2>Reports</h2>
${mayAct(operator, "difference.close", tenant.workspace) ? html`<p><a class="button" href="${here}/read">Read a report…</a></p>` : undefined}
${table({
  label: "Reports",
  columns: [
    "Begun",
    "Report",
    "Connection",
    "State",
    { numbers: "Rows" },
    { numbers: "Matched" },
    { numbers: "Differences" }
  ],
  none: "No report was read.",
  rows: items.map(
    (run) => html`<tr><td>${time(timeView(run.startedAt))}</td>
<td><a href="${here}/reports/${run.id}">${run.fileName}</a><br><span class="soft">${run.format}</span></td>
<td>${link("connections", idView(run.connectionId), run.connectionId)}</td><td>${stateView(run)}</td>
<td class="number">${count(run.rowsDone)}</td><td class="number">${count(run.counts.matched)}</td>
<td class="number">${count(differencesOf(run))}</td></tr>`
  )
})}
<p class="fields">${nextPage({ here, query: new URLSearchParams(), by: "before", cursor: next, text: "Older reports" })}</p>`
  } satisfies Answer
})

const notices = { known: "This file was read before. Nothing was changed." } as const

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const run = yield* Desk.run(tenant, visit.params["run"] ?? "")
  const after = visit.query.get("after") ?? undefined
  const { items, next } = yield* Desk.differences(tenant, { runId: run.id, state: "all" }, { after, limit: pageSize })
  const link = yield* recordLinks(visit, tenant)
  const here = `${visit.mount}${pathOf("reconciliation", tenant, "reports", run.id)}`
  return {
    title: run.fileName,
    isLive: isUnderWay(run),
    notice: noticeIn(visit, notices),
    main: html`<div class="card">
<p>${stateView(run)} · ${run.format} · ${tenant.environment}</p>
${run.failure === null ? undefined : html`<p class="note">The report cannot be read further: ${run.failure}. Upload the same file to continue from there.</p>`}
<dl>
<dt>Report</dt><dd>${idView(run.id)}</dd>
<dt>Connection</dt><dd>${link("connections", idView(run.connectionId), run.connectionId)}</dd>
<dt>Begun</dt><dd>${time(timeView(run.startedAt))}</dd>
<dt>Ended</dt><dd>${timeOr(timeOrNull(run.endedAt), "–")}</dd>
<dt>Rows</dt><dd>${count(run.rowsDone)} read, ${count(run.rowsApplied)} applied, ${count(run.rowsKnown)} read before, ${count(run.rowsUnreadable)} unreadable</dd>
<dt>Times of rows</dt><dd>${run.period === null ? "–" : html`${time(timeView(run.period.from))} to ${time(timeView(run.period.until))}`}</dd>
<dt>SHA-256</dt><dd><code>${run.sha256}</code></dd>
</dl>
</div>
<h2>Results</h2>
${table({
  label: "Results",
  columns: ["Result", { numbers: "Rows" }],
  rows: settlementResults.map(
    (result) => html`<tr><td>${resultNames[result]}</td><td class="number">${count(run.counts[result])}</td></tr>`
  )
})}
${sumsView(run)}
${unreadableView(run)}
<h2>Differences</h2>
${yield* differenceTable(visit, tenant, items, { mayAct: false, none: "This report has no differences." })}
<p class="fields">${nextPage({ here, query: new URLSearchParams(), by: "after", cursor: next, text: "Next differences" })}</p>
<p><a href="${visit.mount}${pathOf("reconciliation", tenant)}">All reports</a></p>`
  } satisfies Answer
})

const sumsView = ({ sums }: ReconciliationRun): Html | undefined =>
  Object.keys(sums).length === 0
    ? undefined
    : html`<h2>Sums</h2>
${table({
  label: "Sums",
  columns: ["Currency", { numbers: "Amounts" }, { numbers: "Fees" }, { numbers: "Net" }],
  rows: Object.entries(sums).map(
    ([currency, { feeMinor, grossMinor, netMinor }]) => html`<tr><td>${currency}</td>
${[grossMinor, feeMinor, netMinor].map((sum) => html`<td class="number">${money(sum, currency)}</td>`)}</tr>`
  )
})}`

const unreadableView = ({ rowsUnreadable, unreadable }: ReconciliationRun): Html | undefined =>
  unreadable.length === 0
    ? undefined
    : html`<h2>Unreadable rows</h2>
<ul class="card">${unreadable.map(
        ({ field, reason, row }) => html`<li>Row ${row}, <code>${field}</code>: expected ${reason}</li>`
      )}</ul>
${rowsUnreadable > unreadable.length ? html`<p class="soft">The first ${unreadable.length} of ${count(rowsUnreadable)}.</p>` : undefined}`

export const runPages = [
  page("GET", "/reconciliation/:workspace/:environment", "reconciliation.read", list),
  page("GET", "/reconciliation/:workspace/:environment/reports/:run", "reconciliation.read", show)
]
