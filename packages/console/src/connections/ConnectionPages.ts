/** The connections of an environment, and one of them. */
import { feeRuleOf, feeText } from "@pointsman/configuration"
import { healthPayments } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { ownerText } from "../frame/FileJson.ts"
import { type Html, idView, time, timeOr } from "../frame/Layout.ts"
import { type Answer, noticeIn, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { ownerOf } from "../gate/Configuring.ts"
import { conditionText, limitTexts } from "../routing/ConditionText.ts"
import { circuitState } from "../routing/RoutingPages.ts"
import { type Connection, standingOf } from "./ConnectionApi.ts"
import * as Desk from "./ConnectionDesk.ts"
import { verbOf } from "./ConnectionFormPages.ts"

const { html } = InProcess

export const standingView = (connection: Connection): Html => {
  const [tone, text] = standingOf(connection)
  return html`<span class="status ${tone}">${text}</span>`
}

export const shareText = ({ health: { failed, succeeded } }: Connection): string =>
  succeeded + failed === 0 ? "–" : `${succeeded} of ${succeeded + failed}`

const recently = `Attempts and last outcomes are those of the last ${healthPayments} payments of this environment.`

const notices = {
  added: "The connection is added.",
  replaced: "The credentials are replaced.",
  changed: "The connection is changed."
} as const

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const connections = yield* Desk.connections(tenant)
  const here = `${visit.mount}${pathOf("connections", tenant)}`
  const { isInFile, isOffered } = yield* ownerOf(tenant, "connection.manage")
  return {
    title: "Connections",
    isLive: true,
    notice: noticeIn(visit, notices),
    main: html`<p class="soft">${ownerText(isInFile)} ${recently}</p>
${isOffered ? html`<p><a class="button" href="${here}/new/connection">Add a connection…</a></p>` : undefined}
${table({
  label: "Connections",
  columns: ["Connection", "Health", "Connector", { numbers: "Priority" }, { numbers: "Succeeded" }, "Last success"],
  none: "No connections found.",
  rows: connections.map(
    (
      connection
    ) => html`<tr><td><a href="${here}/${encodeURIComponent(connection.id)}">${connection.name}</a><br><span class="soft">${idView(connection.id)}</span></td>
<td>${standingView(connection)}</td><td>${connection.connector}</td><td class="number">${connection.priority}</td>
<td class="number">${shareText(connection)}</td><td>${timeOr(connection.health.last_success?.created ?? null, "–")}</td></tr>`
  )
})}`
  } satisfies Answer
})

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const connection = yield* Desk.connection({ ...tenant, connection: visit.params["connection"] ?? "" })
  const { circuit, circuit_breaker, health, webhook } = connection
  const { isOffered } = yield* ownerOf(tenant, "connection.manage")
  const here = `${visit.mount}${pathOf("connections", tenant, connection.id)}`
  return {
    title: connection.name,
    isLive: true,
    main: html`<div class="card">
<p>${standingView(connection)}${health.fault === null ? undefined : `: ${health.fault}.`}</p>
<dl>
<dt>Connection</dt><dd>${idView(connection.id)}</dd>
<dt>Connector</dt><dd>${connection.connector}</dd>
<dt>Active</dt><dd>${connection.active ? "yes" : "no: it receives no new payments, and serves its existing ones"}</dd>
<dt>Priority</dt><dd>${connection.priority}</dd>
<dt>Account</dt><dd>${accountView(connection)}</dd>
<dt>Succeeded</dt><dd>${shareText(connection)}</dd>
<dt>Last success</dt><dd>${outcomeView(health.last_success, visit.mount, tenant)}</dd>
<dt>Last failure</dt><dd>${outcomeView(health.last_failure, visit.mount, tenant)}</dd>
<dt>Circuit</dt><dd>${circuitState(circuit.state)} on this server${circuit.failures === 0 ? undefined : `; consecutive failures: ${circuit.failures}`}${
      circuit.probe === null ? undefined : html`; probe from ${time(circuit.probe)}`
    }<br><span class="soft">Opens for ${circuit_breaker.open_ms / 1000} s after ${circuit_breaker.failures} consecutive failures.</span></dd>
<dt>Timeout</dt><dd>${connection.timeout_ms === null ? "the server’s default" : `${connection.timeout_ms} ms`}</dd>
<dt>Webhooks</dt><dd><code>${webhook.path}</code>, ${secretsText(webhook)}</dd>
</dl>
<p class="soft">${recently}</p>
${
  isOffered
    ? html`<p class="fields"><a class="button" href="${here}/credentials">Replace the credentials…</a>
<a class="button" href="${here}/active">${verbOf(connection)}…</a></p>`
    : undefined
}
</div>
<h2>Limits</h2>
${limitsView(connection)}
<h2>Fees</h2>
${feesView(connection)}
<p><a href="${visit.mount}${pathOf("payments", tenant)}?${new URLSearchParams({ connection: connection.id }).toString()}">Payments of this connection</a></p>
<p><a href="${visit.mount}${pathOf("connections", tenant)}">All connections</a></p>`
  } satisfies Answer
})

const secretsText = ({ has_previous_secret, has_secret }: Connection["webhook"]): string => {
  if (!has_secret) return "without a secret"
  return has_previous_secret ? "with a secret and the previous one" : "with a secret"
}

const accountView = ({ account: { current, first, standing } }: Connection): string => {
  switch (standing) {
    case "verified":
      return `${first}`
    case "unanswered":
      return `${first}; the provider has not confirmed it since the server started`
    case "changed":
      return `${first}; the credentials opened another account, last ${current}: it receives no new payments`
    case "unverified":
      return "not known: the provider has not named it"
    case "none":
      return "the provider has no accounts to name"
  }
}

const outcomeView = (seen: Connection["health"]["last_success"], mount: string, tenant: TenantPath): Html =>
  seen === null
    ? html`–`
    : html`<a href="${mount}${pathOf("payments", tenant, seen.payment_id)}">${seen.outcome}${seen.code === null ? undefined : ` (${seen.code})`}</a>, ${time(seen.created)}`

const limitsView = ({ provider_supports, restrictions, supports }: Connection): Html => {
  const limits = [
    ...limitTexts(supports),
    ...limitTexts(provider_supports).map((text) => `The provider: ${text}`),
    ...restrictions.map((condition) => `Excluded: ${conditionText(condition)}.`)
  ]
  return limits.length === 0
    ? html`<p class="card">The connection has no limits.</p>`
    : html`<ul class="card">${limits.map((limit) => html`<li>${limit}</li>`)}</ul>`
}

const feesView = ({ fees }: Connection): Html =>
  fees.length === 0
    ? html`<p class="card">The connection states no fees.</p>`
    : html`<p class="soft">The first that a payment meets is charged.</p>
<ol class="card stack">${fees.map((fee) => html`<li>${feeText(feeRuleOf(fee))}</li>`)}</ol>`

export const connectionPages = [
  page("GET", "/connections/:workspace/:environment", "connection.read", list),
  page("GET", "/connections/:workspace/:environment/:connection", "connection.read", show)
]
