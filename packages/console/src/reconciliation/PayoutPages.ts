/** What moved at each connection by day, as the providers report it. */
import type { PayoutStatus, SettlementEntry } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { failure } from "../api/Errors.ts"
import { timeOrNull } from "../api/Records.ts"
import { all, periodFields, periodIn, select } from "../frame/Forms.ts"
import { type Html, idView, time, timeOr } from "../frame/Layout.ts"
import { type Answer, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { money } from "../payments/PaymentWords.ts"
import { daysShown, listedAtMost, payoutStatuses, payouts } from "./PayoutDesk.ts"
import * as Desk from "./ReconciliationDesk.ts"
import { pageLinks, payoutLink, payoutState, signed } from "./ReconciliationViews.ts"
import { count } from "./ReconciliationWords.ts"

const { html, timeView } = InProcess

const day = 86_400_000

type Row = Effect.Success<ReturnType<typeof Desk.balance>>[number]

const sums = [
  "chargesMinor",
  "refundsMinor",
  "disputesMinor",
  "feesMinor",
  "othersMinor",
  "payoutsMinor"
] as const satisfies ReadonlyArray<keyof Row>
const sumNames = ["Charges", "Refunds", "Disputes", "Fees", "Others", "Payouts"].map((numbers) => ({ numbers }))

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const connectionId = visit.query.get("connection") || undefined
  const { faults, period } = periodIn(visit.query)
  const today = Math.floor((yield* Clock.currentTimeMillis) / day) * day
  const until = period.until ?? today + day
  const from = period.from ?? until - daysShown * day
  const connections = yield* Desk.connections(tenant)
  const here = `${visit.mount}${pathOf("reconciliation", tenant, "payouts")}`
  const problem = faults.length === 0 ? undefined : failure("validation_error", `${faults.join(", and ")}.`)
  const rows = problem === undefined ? yield* Desk.balance(tenant, { connectionId, from, until }) : []
  const paid =
    problem === undefined ? yield* payouts(tenant, { connectionId, from, until, limit: listedAtMost + 1 }) : []
  const shown = new URLSearchParams({
    from: visit.query.get("from") || timeView(from).slice(0, 10),
    until: visit.query.get("until") || timeView(until).slice(0, 10)
  })
  return {
    title: "Payouts",
    problem,
    main: html`${pageLinks(visit, tenant, "payouts")}
<form action="${here}" class="card fields" role="search">
${select({ name: "connection", label: "Connection", choices: [all, ...connections.map(({ id, name }) => [id, name] as const)], selected: connectionId })}
${periodFields(shown)}
<button>Find</button>
</form>
<p class="soft">What providers’ reports say, by the day in UTC on which the money moved. A positive fee is a cost, and a payout leaves the balance at the provider.</p>
${rows.length === 0 ? undefined : html`<h2>Whole period</h2>${totals(rows)}${paidTable(visit, tenant, paid, yield* payoutStatuses(tenant, paid))}<h2>Days</h2>`}
${table({
  label: "Days",
  columns: ["Day", "Connection", ...sumNames, { numbers: "Rows" }],
  none: "No report has rows of this period.",
  rows: rows.map(
    (row) => html`<tr><td class="word">${timeView(row.day).slice(0, 10)}</td>${cells(row)}
<td class="number">${count(row.rows)}</td></tr>`
  )
})}`
  } satisfies Answer
})

const cells = (row: Pick<Row, "connectionId" | "currency" | (typeof sums)[number]>): Html =>
  html`<td>${idView(row.connectionId)}</td>${sums.map((name) => html`<td class="number">${money(row[name], row.currency)}</td>`)}`

/** What left the balance at the provider, each with the page of what it consists of. */
const paidTable = (
  visit: Visit,
  tenant: TenantPath,
  paid: ReadonlyArray<SettlementEntry>,
  statusOf: (entry: SettlementEntry) => PayoutStatus | null
): Html =>
  html`<h2>Payouts</h2>
${table({
  label: "Payouts",
  columns: ["Left", "Payout", "Connection", "Arrives", "Status", { numbers: "Amount" }],
  none: "No report has a payout of this period.",
  rows: paid.slice(0, listedAtMost).map(
    (entry) => html`<tr><td>${time(timeView(entry.occurredAt))}</td><td>${payoutLink(visit.mount, tenant, entry)}</td>
<td>${idView(entry.connectionId)}</td><td>${timeOr(timeOrNull(entry.settledAt), "–")}</td><td>${payoutState(statusOf(entry))}</td>
<td class="number">${signed(entry.converted ?? entry.gross)}</td></tr>`
  )
})}
${paid.length > listedAtMost ? html`<p class="soft">The newest ${listedAtMost} payouts. Choose a shorter period to see the others.</p>` : undefined}`

/** Of each connection and currency. */
const totals = (rows: ReadonlyArray<Row>): Html => {
  const groups = [
    ...Map.groupBy(rows, ({ connectionId, currency }) => JSON.stringify([connectionId, currency])).values()
  ]
  return table({
    label: "Whole period",
    columns: ["Connection", ...sumNames],
    rows: groups.flatMap((group) =>
      group.slice(0, 1).map((first) => {
        const added = Object.fromEntries(sums.map((name) => [name, group.reduce((sum, row) => sum + row[name], 0)]))
        return html`<tr>${cells({ ...first, ...added })}</tr>`
      })
    )
  })
}

export const payoutPages = [page("GET", "/reconciliation/:workspace/:environment/payouts", "reconciliation.read", list)]
