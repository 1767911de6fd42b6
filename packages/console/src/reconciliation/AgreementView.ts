/** The panel that says how far the records agree with the providers. */
import { InProcess } from "@pointsman/http"
import { Clock, Effect, Option } from "effect"
import { ageText, type Html, time } from "../frame/Layout.ts"
import { pathOf, recordLinks, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import * as Desk from "./ReconciliationDesk.ts"
import { resultNames, stateNames, stateTones } from "./ReconciliationWords.ts"

const { html, timeView } = InProcess

const counted = (number: number): string =>
  number >= Desk.countedAtMost ? `${Desk.countedAtMost} or more` : String(number)

export const agreementView = Effect.fnUntraced(function* (visit: Visit, tenant: TenantPath) {
  const { contradicted, kinds, oldestAt, reports } = yield* Desk.agreement(tenant)
  const now = yield* Clock.currentTimeMillis
  const link = yield* recordLinks(visit, tenant)
  const differences = `${visit.mount}${pathOf("reconciliation", tenant, "differences")}`
  const list: Html =
    kinds.length + contradicted === 0
      ? html`<p>No difference is open.</p>`
      : html`<ul>${kinds.map(
          ({ count, result }) =>
            html`<li><a href="${differences}?result=${result}">${resultNames[result]}</a>: ${counted(count)}</li>`
        )}${contradicted === 0 ? undefined : html`<li>${link("reviews", "Payments that a provider contradicts")}: ${counted(contradicted)}</li>`}</ul>`
  return html`<h2>Agreement with providers</h2>
<div class="card">
<dl><dt>Oldest unexplained difference</dt><dd>${
    oldestAt === null
      ? html`<span class="good">None</span>`
      : html`<span class="bad">${ageText(now - oldestAt)}</span> <span class="soft">${time(timeView(oldestAt))}</span>`
  }</dd></dl>
${list}
</div>
${table({
  label: "Newest report of each connection",
  columns: ["Connection", "Newest report", "State", "Rows until"],
  none: "This environment has no active connection.",
  rows: reports.map(({ connection, newest }) => {
    const name = html`<td>${link("connections", connection.name, connection.id)}</td>`
    const run = Option.getOrUndefined(newest)
    return run === undefined
      ? html`<tr>${name}<td>No report was read.</td><td>–</td><td>–</td></tr>`
      : html`<tr>${name}<td><a href="${visit.mount}${pathOf("reconciliation", tenant, "reports", run.id)}">${run.fileName}</a></td>
<td class="${stateTones[run.state]}">${stateNames[run.state]}</td><td>${run.period === null ? "–" : time(timeView(run.period.until))}</td></tr>`
  })
})}`
})
