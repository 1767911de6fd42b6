/** What the pages of reconciliation share: the links between them, signed amounts, and a table of entries. */
import { mayAct, type PayoutStatus, type SettlementEntry, type SignedMoney } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type Html, idView, time } from "../frame/Layout.ts"
import { pathOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { CurrentOperator, type TenantPath } from "../gate/Caller.ts"
import { money } from "../payments/PaymentWords.ts"
import { payoutStatuses } from "./PayoutDesk.ts"
import { entriesOf } from "./ReconciliationDesk.ts"
import { kindNames, matchTexts, payoutNames, payoutTones, resultNames } from "./ReconciliationWords.ts"

const { html, timeView } = InProcess

const pages = [
  ["reports", "Reports"],
  ["differences", "Differences"],
  ["payouts", "Payouts"]
] as const

export type ReconciliationPage = (typeof pages)[number][0]

/** Under the mount. */
const pathOfPage = (tenant: TenantPath, page: ReconciliationPage): string =>
  page === "reports" ? pathOf("reconciliation", tenant) : pathOf("reconciliation", tenant, page)

export const pageLinks = (visit: Visit, tenant: TenantPath, here: ReconciliationPage): Html =>
  html`<nav class="fields places" aria-label="Reconciliation">${pages.map(
    ([page, name]) =>
      html`<a href="${visit.mount}${pathOfPage(tenant, page)}"${page === here ? html` aria-current="true"` : undefined}>${name}</a>`
  )}</nav>`

export const signed = (amount: SignedMoney | null): string =>
  amount === null ? "–" : money(amount.minorUnits, amount.currency)

/** What the report says of the money, and what the records say instead. */
export const comparison = ({ expected, gross, kind, number, reason }: SettlementEntry): Html =>
  number === 0
    ? html`No row. Recorded here: ${signed(gross)}`
    : html`${kindNames[kind]} of ${signed(gross)}, ${matchTexts[reason]}${
        expected === null ? undefined : html`<br><span class="soft">Recorded here: ${expected}</span>`
      }`

export const closingText = ({ closed, corrected }: SettlementEntry): Html => {
  if (closed === null) return html`<span class="wait">Open</span>`
  const texts = {
    person: `Closed: ${closed.note}`,
    row: "Ended by a later row",
    statement: "Recorded here since",
    comparison: "Compared again: it differs no longer"
  }
  const isCompared = corrected === null || closed.by === "comparison"
  const text = isCompared ? texts[closed.by] : "Replaced by a newer version of the row"
  return html`${text}<br><span class="soft">${time(timeView(closed.at))}</span>`
}

/** The page of a payout; – without one. */
export const payoutLink = (
  mount: string,
  tenant: TenantPath,
  { connectionId, payoutId }: Pick<SettlementEntry, "connectionId" | "payoutId">
): Html =>
  payoutId === null
    ? html`–`
    : html`<a href="${mount}${pathOf("reconciliation", tenant, "payout")}?${new URLSearchParams({ connection: connectionId, payout: payoutId }).toString()}">${idView(payoutId)}</a>`

export const payoutState = (status: PayoutStatus | null): Html =>
  status === null ? html`–` : html`<span class="status ${payoutTones[status]}">${payoutNames[status]}</span>`

/** Entries of one payment. */
const entryTable = (
  mount: string,
  tenant: TenantPath,
  entries: ReadonlyArray<SettlementEntry>,
  statusOf: (entry: SettlementEntry) => PayoutStatus | null
): Html =>
  table({
    label: "Rows of reports",
    columns: ["Moved", "Row", "Result", "Payout", { numbers: "Amount" }, { numbers: "Fee" }, { numbers: "Net" }],
    rows: entries.map(
      (entry) => html`<tr><td>${time(timeView(entry.occurredAt))}</td>
<td>${entry.number === 0 ? "No row" : kindNames[entry.kind]}<br>${idView(entry.rowId)}</td>
<td>${resultNames[entry.result]}</td><td>${payoutLink(mount, tenant, entry)}${entry.payoutId === null ? undefined : html`<br>${payoutState(statusOf(entry))}`}</td>
<td class="number">${signed(entry.gross)}</td><td class="number">${signed(entry.fee)}</td>
<td class="number">${signed(entry.net)}</td></tr>`
    )
  })

/** Nothing for those who may not read it, and for a payment that no report has. */
export const entriesOfPayment = Effect.fnUntraced(function* (mount: string, tenant: TenantPath, paymentId: string) {
  const { operator } = yield* CurrentOperator
  if (!mayAct(operator, "reconciliation.read", tenant.workspace)) return undefined
  const entries = yield* entriesOf(tenant, paymentId)
  if (entries.length === 0) return undefined
  return html`<h2>Reports</h2>
${entryTable(mount, tenant, entries, yield* payoutStatuses(tenant, entries))}`
})
