/** Deliveries in a table, for their own pages and for the page of a payment. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type Html, time, timeOr } from "../frame/Layout.ts"
import { pathOf } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import * as Desk from "./WebhookDesk.ts"
import type { Delivery, StateName } from "./WebhookRecords.ts"

const { html } = InProcess

export const stateTexts: Readonly<Record<StateName, string>> = {
  due: "Due",
  sending: "Sending",
  delivered: "Delivered",
  refused: "Refused",
  given_up: "Given up"
}

const tones: Readonly<Record<StateName, "good" | "bad" | "wait">> = {
  due: "wait",
  sending: "wait",
  delivered: "good",
  refused: "bad",
  given_up: "bad"
}

/** With a word, so that no one has to see colours. */
export const stateView = (state: StateName): Html =>
  html`<span class="status ${tones[state]}">${stateTexts[state]}</span>`

export const deliveryTable = (deliveries: ReadonlyArray<Delivery>, tenant: TenantPath, mount: string): Html =>
  html`<div class="card scroll" tabindex="0" role="region" aria-label="Deliveries"><table>
<thead><tr><th scope="col">Created</th><th scope="col">Event</th><th scope="col">State</th><th scope="col" class="number">Attempts</th><th scope="col">Next attempt</th><th scope="col">Endpoint</th></tr></thead>
<tbody>${deliveries.map(
    (
      one
    ) => html`<tr><td><a href="${mount}${pathOf("webhooks", tenant, "deliveries", one.id)}">${time(one.created)}</a></td>
<td class="word">${one.event_type}</td><td>${stateView(one.state)}</td><td class="number">${one.attempts}</td>
<td>${timeOr(one.next_attempt, "–")}</td><td class="long">${one.url ?? one.endpoint_id}</td></tr>`
  )}</tbody></table></div>`

/** More are a page of their own. */
const shownOfPayment = 10

/** The deliveries of one payment, for its page. */
export const paymentDeliveries = Effect.fnUntraced(function* (tenant: TenantPath, payment: string, mount: string) {
  const { hasMore, items } = yield* Desk.deliveries(tenant, { payment, limit: shownOfPayment })
  const all = new URLSearchParams({ payment })
  return html`<h2>Webhooks</h2>
${items.length === 0 ? html`<p>No webhooks of this payment were sent.</p>` : deliveryTable(items, tenant, mount)}
${
  hasMore
    ? html`<p><a href="${mount}${pathOf("webhooks", tenant)}?${all.toString()}">All webhooks of this payment</a></p>`
    : undefined
}`
})
