/** How payments of an environment are routed now, and how its connections fare. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { ownerText } from "../frame/FileJson.ts"
import { type Html, idView, timeOr } from "../frame/Layout.ts"
import { type Answer, noticeIn, page, pathOf, recordLinks, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { ownerOf } from "../gate/Configuring.ts"
import { conditionText, modeTexts } from "./ConditionText.ts"
import { rangeBar } from "./Plot.ts"
import * as Desk from "./RoutingDesk.ts"
import type { Rate, RoutingSettings } from "./RoutingRecords.ts"
import { outcomesText, percent, rangeText, successRange } from "./SuccessRange.ts"

const { html } = InProcess

const notices = { changed: "The routing is changed." } as const

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const routing = yield* Desk.routing(tenant)
  const rates = yield* Desk.rates(tenant)
  const here = `${visit.mount}${pathOf("routing", tenant)}`
  const connection = yield* connectionLinks(visit, tenant)
  const { isInFile, isOffered } = yield* ownerOf(tenant, "routing.manage")
  return {
    title: "Routing",
    notice: noticeIn(visit, notices),
    main: html`<p class="fields"><a class="button" href="${here}/preview">Where would this payment go?</a>
<a class="button" href="${here}/history">Success over time</a>
${isOffered ? html`<a class="button" href="${here}/change">Change the routing…</a>` : undefined}</p>
<p class="soft">${ownerText(isInFile)}</p>
${settingsView(routing)}
${rulesView(routing)}
${circuitsView(routing, connection)}
<h2>Success rates now</h2>
${
  tenant.environment === "sandbox"
    ? html`<p class="card">Success rates are measured in production. <a href="${here}/history">Success over time</a> is counted in the sandbox too.</p>`
    : rates.length === 0
      ? html`<p class="card">Nothing is measured yet.</p>`
      : html`<p class="soft">What mode auto orders connections by. A rate covers about the last 50 outcomes. The range contains the true rate with a confidence of 95 %.</p>
${ratesTable(rates, connection, (segment) => `${here}/history?${new URLSearchParams({ segment }).toString()}`)}`
}`
  } satisfies Answer
})

export const settingsView = (settings: RoutingSettings): Html => {
  const { control, exploration, findings, max_approval_loss, max_attempts, mode, objective, order, strategy } = settings
  return html`<div class="card">
<p><strong>Mode ${mode}</strong>: ${modeTexts[mode]}.</p>
<dl>
<dt>Order</dt><dd>${order === null ? "all connections, by priority" : order.join(", ")}</dd>
<dt>Attempts</dt><dd>${mode === "fixed" ? 1 : max_attempts} at most</dd>
${strategy === null ? undefined : html`<dt>Strategy</dt><dd>${strategy}</dd>`}
${mode === "auto" ? html`<dt>Exploration</dt><dd>${percent(exploration)} of the payments</dd>` : undefined}
${
  mode === "auto"
    ? html`<dt>Objective</dt><dd>${objective === "value" ? `value, giving up at most ${Number((100 * max_approval_loss).toFixed(4))} points of approval` : "approval"}</dd>`
    : undefined
}
<dt>Control group</dt><dd>${control === null ? "none" : html`${percent(control.share)} of the payments that match no rule: ${control.order.join(", ")}`}</dd>
</dl>
${findingsView(findings)}${control === null ? undefined : findingsView(control.findings)}
</div>`
}

const findingsView = (findings: RoutingSettings["findings"]): Html | undefined =>
  findings.length === 0
    ? undefined
    : html`<ul class="note findings">${findings.map(({ kind, reason }) => html`<li><strong>${kind}</strong>: ${reason}</li>`)}</ul>`

export const rulesView = ({ rules }: RoutingSettings): Html => html`<h2>Rules</h2>
${
  rules.length === 0
    ? html`<p class="card">There are no rules: all payments are routed as above.</p>`
    : html`<p class="soft">The first rule that matches decides. Other payments are routed as above.</p>
<ol class="card stack">${rules.map((rule) => {
        const { max_attempts, mode, order, split, strategy } = rule
        const parts = [
          `mode ${mode}`,
          ...(split === null ? [] : [`split ${splitText(split)}`]),
          ...(order === null ? [] : [`order ${order.join(", ")}`]),
          ...(strategy === null ? [] : [`strategy ${strategy}`]),
          ...(max_attempts === null ? [] : [`${max_attempts} attempts at most`])
        ]
        return html`<li><strong>${rule.name}</strong>: ${conditionText(rule.when)}<br>
<span class="soft">${parts.join("; ")}</span>${findingsView(rule.findings)}</li>`
      })}</ol>`
}`

/** Weights as shares of their sum. */
const splitText = (split: Readonly<Record<string, number>>): string => {
  const total = Object.values(split).reduce((sum, weight) => sum + weight, 0)
  return Object.entries(split)
    .map(([id, weight]) => (total === 0 ? id : `${percent(weight / total)} ${id}`))
    .join(", ")
}

type ConnectionLink = (id: string) => Html

/** To the pages of connections, for operators who may open them. */
export const connectionLinks = (visit: Visit, tenant: TenantPath) =>
  Effect.map(
    recordLinks(visit, tenant),
    (link): ConnectionLink =>
      (id) =>
        link("connections", idView(id), id)
  )

const circuitsView = ({ circuits }: RoutingSettings, connection: ConnectionLink): Html => html`<h2>Circuits</h2>
${table({
  label: "Circuits",
  columns: ["Connection", "State", { numbers: "Failures in a row" }, "Opened", "Next probe"],
  none: "All circuits on this server are closed.",
  rows: circuits.map(
    ({ connection_id, failures, opened, probe, state }) =>
      html`<tr><td>${connection(connection_id)}</td><td>${circuitState(state)}</td><td class="number">${failures}</td>
<td>${timeOr(opened, "–")}</td><td>${timeOr(probe, "–")}</td></tr>`
  )
})}
${circuits.length === 0 ? undefined : html`<p class="soft">As this server sees them. All other circuits are closed.</p>`}`

const circuitTones = { closed: "good", "half-open": "wait", open: "bad" } as const

export const circuitState = (state: keyof typeof circuitTones): Html =>
  html`<span class="status ${circuitTones[state]}">${state}</span>`

/** `pathOf`: of the page of a segment; empty for all payments. */
export const ratesTable = (
  rates: ReadonlyArray<Rate>,
  connection: ConnectionLink,
  pathOf: (segment: string) => string
): Html =>
  table({
    label: "Success rates",
    columns: ["Connection", "Payments", { numbers: "Success" }, "Range", "0 to 100 %", { numbers: "Outcomes" }],
    rows: rates.map((rate) => {
      const range = successRange(rate)
      return html`<tr><td>${connection(rate.connection_id)}</td><td><a href="${pathOf(rate.segment ?? "")}">${rate.segment ?? "all"}</a></td>
<td class="number">${range === undefined ? "–" : percent(range.rate)}</td><td>${rangeText(range)}</td><td>${rangeBar(range)}</td>
<td class="number">${outcomesText(rate)}</td></tr>`
    })
  })

export const routingPages = [page("GET", "/routing/:workspace/:environment", "routing.read", show)]
