/** One payout: what it consists of, its rows with what they are about, and their export. */
import { type Payout, type PayoutSums, payoutRest, type SettlementEntry } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { timeOrNull } from "../api/Records.ts"
import { type Html, idView, time, timeOr } from "../frame/Layout.ts"
import { nextPage, pageSize } from "../frame/Lists.ts"
import { type Answer, page, pathOf, recordLinks, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { attachment, csvType, exportPayout } from "../payments/ExportDesk.ts"
import { money } from "../payments/PaymentWords.ts"
import * as Desk from "./PayoutDesk.ts"
import { pageLinks, payoutState, signed } from "./ReconciliationViews.ts"
import { count, kindNames, resultNames } from "./ReconciliationWords.ts"

const { html, timeView } = InProcess

/** Of the address. */
const keyOf = ({ query }: Visit): Desk.PayoutKey => ({
  connection: query.get("connection") ?? "",
  payout: query.get("payout") ?? ""
})

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const key = keyOf(visit)
  const payout = yield* Desk.payout(tenant, key)
  const after = visit.query.get("after") ?? undefined
  const { items, next } = yield* Desk.entries(tenant, key, { after, limit: pageSize })
  const link = yield* recordLinks(visit, tenant)
  const here = `${visit.mount}${pathOf("reconciliation", tenant, "payout")}`
  const query = new URLSearchParams({ connection: key.connection, payout: key.payout })
  return {
    title: `Payout ${key.payout}`,
    main: html`${pageLinks(visit, tenant, "payouts")}
<div class="card">
<dl>
<dt>Payout</dt><dd>${idView(payout.payoutId)}</dd>
<dt>Connection</dt><dd>${link("connections", idView(payout.connectionId), payout.connectionId)}</dd>
<dt>Status</dt><dd>${payoutState(payout.status)}</dd>
<dt>Arrives</dt><dd>${timeOr(timeOrNull(payout.settledAt), "–")}</dd>
<dt>Money moved</dt><dd>${time(timeView(payout.period.from))} to ${time(timeView(payout.period.until))}</dd>
</dl>
</div>
<h2>Amounts</h2>
${sumsTable(payout)}
<p class="soft">${restText(payout)}</p>
<h2>Rows</h2>
${yield* rowsTable(visit, tenant, items)}
<p class="fields">${nextPage({ here, query, by: "after", cursor: next, text: "Next rows" })}
<a class="button" href="${here}/export.csv?${query.toString()}">Export as CSV</a></p>`
  } satisfies Answer
})

const parts = [
  ["Charges", "chargesMinor"],
  ["Refunds", "refundsMinor"],
  ["Disputes", "disputesMinor"],
  ["Fees", "feesMinor"],
  ["Others", "othersMinor"],
  ["Paid out", "payoutsMinor"]
] as const satisfies ReadonlyArray<readonly [string, keyof PayoutSums]>

const sumsTable = ({ sums }: Payout): Html =>
  table({
    label: "Amounts",
    columns: ["Currency", { numbers: "Rows" }, ...parts.map(([name]) => ({ numbers: name })), { numbers: "Rest" }],
    rows: sums.map(
      (sum) => html`<tr><td>${sum.currency}</td><td class="number">${count(sum.rows)}</td>
${parts.map(([, name]) => html`<td class="number">${money(sum[name], sum.currency)}</td>`)}
<td class="number">${money(payoutRest(sum), sum.currency)}</td></tr>`
    )
  })

/** What the rest says, in words. */
const restText = ({ status, sums }: Payout): string => {
  if (status === "partly_returned" || status === "returned") {
    return "The payout came back. The rest is what the provider still has to pay out."
  }
  if (!sums.some(({ payoutsMinor }) => payoutsMinor !== 0)) {
    return "No report that was read has the payout itself. The rest is what its rows add up to."
  }
  return sums.every((sum) => payoutRest(sum) === 0)
    ? "The rows add up to what is paid out."
    : "The rows do not add up to what is paid out: a report is missing, or rows of payments were removed by retention."
}

const rowsTable = Effect.fnUntraced(function* (
  visit: Visit,
  tenant: TenantPath,
  entries: ReadonlyArray<SettlementEntry>
) {
  const link = yield* recordLinks(visit, tenant)
  const disputes = yield* Desk.disputesOf(tenant, entries)
  const about = ({ disputeId, paymentId, refundId }: SettlementEntry): Html => {
    const dispute = disputeId === null ? undefined : disputes.get(disputeId)
    return html`${paymentId === null ? "–" : link("payments", idView(paymentId), paymentId)}${
      refundId === null ? undefined : html`<br>Refund ${idView(refundId)}`
    }${
      disputeId === null
        ? undefined
        : html`<br>Dispute ${dispute === undefined ? idView(disputeId) : link("disputes", idView(disputeId), dispute)}`
    }`
  }
  return table({
    label: "Rows",
    columns: ["Moved", "Row", "Result", "About", { numbers: "Amount" }, { numbers: "Fee" }, { numbers: "Net" }],
    rows: entries.map(
      (entry) => html`<tr><td>${time(timeView(entry.occurredAt))}</td>
<td>${kindNames[entry.kind]}<br>${idView(entry.rowId)}</td>
<td>${resultNames[entry.result]}${entry.openedAt !== null && entry.closed === null ? html`<br><span class="wait">Open</span>` : undefined}</td>
<td>${about(entry)}</td>
<td class="number">${signed(entry.gross)}${entry.converted === null ? undefined : html`<br><span class="soft">${signed(entry.converted)}</span>`}</td>
<td class="number">${signed(entry.fee)}</td><td class="number">${signed(entry.net)}</td></tr>`
    )
  })
})

const exportRows = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  return HttpServerResponse.stream(yield* exportPayout(tenant, keyOf(visit)), {
    contentType: csvType,
    headers: { "content-disposition": attachment(tenant, "payout") }
  })
})

const at = "/reconciliation/:workspace/:environment/payout"

export const payoutPage = [
  page("GET", at, "reconciliation.read", show),
  page("GET", `${at}/export.csv`, "reconciliation.read", exportRows)
]
