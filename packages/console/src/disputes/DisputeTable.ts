/** Disputes as a table. */
import type { Dispute } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { type Html, time } from "../frame/Layout.ts"
import { pathOf } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { disputes, shownAtMost } from "./DisputeDesk.ts"
import { disputedAmount, disputeStatusView, reasonNames, timeLeft } from "./DisputeWords.ts"

const { html, timeView } = InProcess

/** `now`: epoch milliseconds. */
export const disputeTable = (mount: string, tenant: TenantPath, disputes: ReadonlyArray<Dispute>, now: number): Html =>
  table({
    label: "Disputes",
    columns: ["Dispute", "Evidence due by", "Status", "Reason", "Opened", { numbers: "Amount" }],
    none: "No disputes found.",
    rows: disputes.map(
      (dispute) => html`<tr>
<td><a href="${mount}${pathOf("disputes", tenant, dispute.id)}">${dispute.providerDisputeId ?? dispute.id}</a></td>
<td>${timeLeft(dispute, now)}${dispute.evidenceDueBy === null ? undefined : html`<br><span class="soft">${time(timeView(dispute.evidenceDueBy))}</span>`}</td>
<td>${disputeStatusView(dispute.status)}</td>
<td>${dispute.reason === null ? "–" : reasonNames[dispute.reason]}</td>
<td>${time(timeView(dispute.createdAt))}</td>
<td class="number">${disputedAmount(dispute)}</td></tr>`
    )
  })

/** Nothing for a payment without disputes. */
export const disputesOfPayment = Effect.fnUntraced(function* (mount: string, tenant: TenantPath, paymentId: string) {
  const { items } = yield* disputes(tenant, { paymentId, limit: shownAtMost })
  if (items.length === 0) return undefined
  return html`<h2>Disputes</h2>
${disputeTable(mount, tenant, items, yield* Clock.currentTimeMillis)}`
})
