/** The endpoints of an environment, and its deliveries. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type Html, time } from "../frame/Layout.ts"
import { type Answer, firstOf, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { deliveryTable, stateTexts } from "./DeliveryTable.ts"
import * as Desk from "./WebhookDesk.ts"
import { type Endpoint, type StateName, states } from "./WebhookRecords.ts"

const { html } = InProcess

const pageSize = 50

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const asked = searchOf(visit.query)
  const before = visit.query.get("before") ?? undefined
  const endpoints = yield* Desk.endpoints(tenant)
  const { hasMore, items } = yield* Desk.deliveries(tenant, { ...asked, before, limit: pageSize })
  const here = `${visit.mount}${pathOf("webhooks", tenant)}`
  const older = new URLSearchParams({ ...asked, before: items.at(-1)?.id ?? "" })
  const answer: Answer = {
    title: "Webhooks",
    isLive: before === undefined,
    main: html`<h2>Endpoints</h2>
${endpointTable(endpoints, here)}
<h2>Deliveries</h2>
${searchForm(asked, endpoints, here)}
${items.length === 0 ? html`<p>No deliveries found.</p>` : deliveryTable(items, tenant, visit.mount)}
${hasMore ? html`<p><a class="button" href="${here}?${older.toString()}">Older deliveries</a></p>` : undefined}`
  }
  return answer
})

interface Asked {
  readonly state?: StateName
  readonly endpoint?: string
  readonly payment?: string
}

const searchOf = (query: URLSearchParams): Asked => {
  const state = states.find((one) => one === query.get("state"))
  const endpoint = query.get("endpoint") ?? ""
  const payment = query.get("payment")?.trim() ?? ""
  return {
    ...(state === undefined ? {} : { state }),
    ...(endpoint === "" ? {} : { endpoint }),
    ...(payment === "" ? {} : { payment })
  }
}

const selected = (isSelected: boolean): Html | undefined => (isSelected ? html` selected` : undefined)

const searchForm = (asked: Asked, endpoints: ReadonlyArray<Endpoint>, here: string): Html =>
  html`<form action="${here}" class="card fields" role="search">
<div><label for="state">State</label><select id="state" name="state"><option value="">All</option>${states.map(
    (one) => html`<option value="${one}"${selected(one === asked.state)}>${stateTexts[one]}</option>`
  )}</select></div>
<div class="wide"><label for="endpoint">Endpoint</label><select id="endpoint" name="endpoint"><option value="">All</option>${endpoints.map(
    ({ id, url }) => html`<option value="${id}"${selected(id === asked.endpoint)}>${url}</option>`
  )}</select></div>
<div class="wide"><label for="payment">Payment id</label><input id="payment" name="payment" type="search" spellcheck="false" value="${asked.payment ?? ""}"></div>
<button>Find</button>
</form>`

const endpointTable = (endpoints: ReadonlyArray<Endpoint>, here: string): Html =>
  endpoints.length === 0
    ? html`<p>No webhook endpoints are configured here.</p>`
    : html`<div class="card scroll" tabindex="0" role="region" aria-label="Endpoints"><table>
<thead><tr><th scope="col">Address</th><th scope="col">Events</th><th scope="col">State</th><th scope="col">Secret</th></tr></thead>
<tbody>${endpoints.map(
        (one) => html`<tr><td><a href="${here}/endpoints/${one.id}">${one.url}</a></td>
<td>${eventsText(one)}</td><td class="word">${one.active ? "Active" : "Inactive"}</td><td>${secretView(one)}</td></tr>`
      )}</tbody></table></div>`

export const eventsText = ({ events }: Endpoint): string =>
  events.includes("*") ? "All events" : events.length === 0 ? "No events" : events.join(", ")

export const secretView = ({ previous_secret, secret_rotated }: Endpoint): Html =>
  html`${secret_rotated === null ? "From the configuration" : html`Rotated ${time(secret_rotated)}`}${
    previous_secret === null
      ? undefined
      : previous_secret.until === null
        ? html`; the configuration’s previous secret signs too`
        : html`; the former secret signs too until ${time(previous_secret.until)}`
  }`

export const webhookPages = [
  page("GET", "/webhooks", "signedIn", () => firstOf("webhooks")),
  page("GET", "/webhooks/:workspace/:environment", "payment.read", list)
]
