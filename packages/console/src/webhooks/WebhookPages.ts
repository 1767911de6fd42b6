/** The endpoints of an environment, and its deliveries. */
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { nextId } from "../api/Records.ts"
import { ownerText } from "../frame/FileJson.ts"
import { all, field, select } from "../frame/Forms.ts"
import { type Html, time } from "../frame/Layout.ts"
import { nextPage, pageSize } from "../frame/Lists.ts"
import { type Answer, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { ownerOf } from "../gate/Configuring.ts"
import { deliveryTable, stateTexts } from "./DeliveryTable.ts"
import * as Desk from "./WebhookDesk.ts"
import { type Endpoint, type StateName, states } from "./WebhookRecords.ts"

const { html } = InProcess

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const asked = searchOf(visit.query)
  const before = visit.query.get("before") ?? undefined
  const endpoints = yield* Desk.endpoints(tenant)
  const found = yield* Desk.deliveries(tenant, { ...asked, before, limit: pageSize })
  const here = `${visit.mount}${pathOf("webhooks", tenant)}`
  const query = new URLSearchParams({ ...asked })
  const { isInFile, isOffered } = yield* ownerOf(tenant, "endpoint.manage")
  return {
    title: "Webhooks",
    isLive: before === undefined,
    main: html`<h2>Endpoints</h2>
<p class="soft">${ownerText(isInFile)}</p>
${isOffered ? html`<p><a class="button" href="${here}/new/endpoint">Add an endpoint…</a></p>` : undefined}
${endpointTable(endpoints, here)}
<h2>Deliveries</h2>
${searchForm(asked, endpoints, here)}
${deliveryTable(found.items, tenant, visit.mount, yield* Clock.currentTimeMillis)}
<p class="fields">${nextPage({ here, query, by: "before", cursor: nextId(found), text: "Older deliveries" })}</p>`
  } satisfies Answer
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

const searchForm = (asked: Asked, endpoints: ReadonlyArray<Endpoint>, here: string): Html =>
  html`<form action="${here}" class="card fields" role="search">
${select({
  name: "state",
  label: "State",
  choices: [all, ...states.map((one) => [one, stateTexts[one]] as const)],
  selected: asked.state
})}
${select({
  name: "endpoint",
  label: "Endpoint",
  choices: [all, ...endpoints.map(({ id, url }) => [id, url] as const)],
  selected: asked.endpoint,
  isWide: true
})}
${field({ name: "payment", label: "Payment id", value: asked.payment, attributes: html`type="search" spellcheck="false"`, isWide: true })}
<button>Find</button>
</form>`

const endpointTable = (endpoints: ReadonlyArray<Endpoint>, here: string): Html =>
  table({
    label: "Endpoints",
    columns: ["Address", "Events", "State", "Secret"],
    none: "No endpoints found.",
    rows: endpoints.map(
      (one) => html`<tr><td><a href="${here}/endpoints/${one.id}">${one.url}</a></td>
<td>${eventsText(one)}</td><td class="word">${one.active ? "Active" : "Inactive"}</td><td>${secretText(one)}</td></tr>`
    )
  })

export const eventsText = ({ events }: Endpoint): string =>
  events.includes("*") ? "All events" : events.length === 0 ? "No events" : events.join(", ")

export const secretText = ({ previous_secret, secret_rotated }: Endpoint): Html =>
  html`${secret_rotated === null ? "Never rotated" : html`Rotated ${time(secret_rotated)}`}${
    previous_secret === null
      ? undefined
      : previous_secret.until === null
        ? html`; the configuration’s previous secret signs too`
        : html`; the former secret signs too until ${time(previous_secret.until)}`
  }`

export const webhookPages = [page("GET", "/webhooks/:workspace/:environment", "payment.read", list)]
