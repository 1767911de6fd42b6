/** Differences between reports and the records, with the forms that close an open one and accept what is suggested for it. */
import type { SettlementEntry } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { hidden } from "../frame/Forms.ts"
import { ageText, type Html, idView, time } from "../frame/Layout.ts"
import { pathOf, recordLinks, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { noteLimit } from "./ReconciliationDesk.ts"
import { closingText, comparison } from "./ReconciliationViews.ts"
import { resultNames } from "./ReconciliationWords.ts"

const { html, timeView } = InProcess

export const differenceTable = Effect.fnUntraced(function* (
  visit: Visit,
  tenant: TenantPath,
  entries: ReadonlyArray<SettlementEntry>,
  { mayAct, none }: { readonly mayAct: boolean; readonly none: string }
) {
  const now = yield* Clock.currentTimeMillis
  const link = yield* recordLinks(visit, tenant)
  const action = `${visit.mount}${pathOf("reconciliation", tenant, "differences")}`
  return table({
    label: "Differences",
    columns: ["Difference", "Found", "Payment", "Report and record", "State"],
    none,
    rows: entries.map((entry, at) => {
      const { openedAt, paymentId, rowId, suggestedPaymentId: suggested } = entry
      const isOffered = mayAct && entry.closed === null
      const payment = suggested === null ? "–" : html`Perhaps ${link("payments", idView(suggested), suggested)}`
      return html`<tr><td>${resultNames[entry.result]}<br><span class="soft">${entry.connectionId}</span><br>${idView(rowId)}</td>
<td>${openedAt === null ? "–" : html`${ageText(now - openedAt)} <span class="soft">${time(timeView(openedAt))}</span>`}</td>
<td>${paymentId === null ? payment : link("payments", idView(paymentId), paymentId)}</td>
<td class="long">${comparison(entry)}</td>
<td class="long">${isOffered ? [acceptForm(action, entry), closeForm(action, entry, at)] : closingText(entry)}</td></tr>`
    })
  })
})

const acceptForm = (action: string, { connectionId, rowId, suggestedPaymentId }: SettlementEntry): Html | undefined =>
  suggestedPaymentId === null
    ? undefined
    : html`<form method="post" action="${action}/accept">${hidden("connection", connectionId)}${hidden("row", rowId)}
${hidden("payment", suggestedPaymentId)}<button>Accept the payment</button></form>`

const closeForm = (action: string, { connectionId, rowId }: SettlementEntry, at: number): Html =>
  html`<details><summary>Close…</summary>
<form method="post" action="${action}" class="stack">${hidden("connection", connectionId)}${hidden("row", rowId)}
<div><label for="note-${at}">What explains it</label>
<textarea id="note-${at}" name="note" rows="2" maxlength="${noteLimit}" required></textarea></div>
<button>Close</button></form></details>`
