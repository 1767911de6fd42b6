/** Deliveries in a table, for their own pages and for the page of a payment. */
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { ago, type Html, timeOr } from "../frame/Layout.ts"
import { pathOf } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
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

/** With a word, because some readers do not see colours. */
export const stateView = (state: StateName): Html =>
  html`<span class="status ${tones[state]}">${stateTexts[state]}</span>`

/** `now`: epoch milliseconds. */
export const deliveryTable = (
  deliveries: ReadonlyArray<Delivery>,
  tenant: TenantPath,
  mount: string,
  now: number,
  none = "No deliveries found."
): Html =>
  table({
    label: "Deliveries",
    columns: ["Event", "State", "Created", { numbers: "Attempts" }, "Next attempt", "Endpoint"],
    none,
    rows: deliveries.map(
      (
        one
      ) => html`<tr><td class="word"><a href="${mount}${pathOf("webhooks", tenant, "deliveries", one.id)}">${one.event_type}</a></td>
<td>${stateView(one.state)}</td><td>${ago(one.created, now)}</td><td class="number">${one.attempts}</td>
<td>${timeOr(one.next_attempt, "–")}</td><td class="long">${one.url ?? one.endpoint_id}</td></tr>`
    )
  })

/** More are a page of their own. */
const shownOfPayment = 10

/** The deliveries of one payment, for its page. */
export const paymentDeliveries = Effect.fnUntraced(function* (tenant: TenantPath, payment: string, mount: string) {
  const { hasMore, items } = yield* Desk.deliveries(tenant, { payment, limit: shownOfPayment })
  const all = new URLSearchParams({ payment })
  return html`<h2>Webhooks</h2>
${deliveryTable(items, tenant, mount, yield* Clock.currentTimeMillis, "No webhook of this payment was sent.")}
${
  hasMore
    ? html`<p><a href="${mount}${pathOf("webhooks", tenant)}?${all.toString()}">All deliveries of this payment</a></p>`
    : undefined
}`
})
