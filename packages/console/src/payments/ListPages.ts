/** The list of payments, and its export. */
import { type Payment, paymentStatuses } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { ConsoleError } from "../api/Errors.ts"
import { nextId } from "../api/Records.ts"
import { all, field, select } from "../frame/Forms.ts"
import { ago, type Html } from "../frame/Layout.ts"
import { nextPage, pageSize, queryText } from "../frame/Lists.ts"
import { type Answer, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { attachment, csvType, exportCsv } from "./ExportDesk.ts"
import { decodeFilter, type FilterName, isDay, type ListFilter, listFilterOf, queryOf } from "./ListFilter.ts"
import * as Desk from "./PaymentDesk.ts"
import type { PaymentFile } from "./PaymentRecords.ts"
import { declineText, money, statusText, statusView } from "./PaymentWords.ts"

const { html } = InProcess

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const asked = listFilterOf(visit.query)
  const opened = (id: string): Answer => ({ redirect: pathOf("payments", tenant, id) })
  const id = asked.text.toLowerCase()
  if (yield* Desk.isPayment(tenant, id)) return opened(id)
  return yield* Effect.matchEffect(decodeFilter(asked), {
    onFailure: (problem) => Effect.succeed(listPage(visit, tenant, asked, undefined, problem)),
    onSuccess: (filter) =>
      Effect.gen(function* () {
        const before = visit.query.get("before") ?? undefined
        const found = yield* Desk.search(tenant, asked.text, { ...filter, before, limit: pageSize })
        const [first] = found.items
        // A filter alone narrows the list, and the last page of a search is not all that it found.
        const isOne = found.items.length === 1 && !found.hasMore && asked.text !== "" && before === undefined
        if (first !== undefined && isOne) return opened(first.id)
        return listPage(visit, tenant, asked, yield* tableOf(visit, tenant, asked, found))
      })
  })
})

const listPage = (
  visit: Visit,
  tenant: TenantPath,
  asked: ListFilter,
  found: Html | undefined,
  problem?: ConsoleError
): Answer => {
  const here = `${visit.mount}${pathOf("payments", tenant)}`
  return {
    problem,
    title: "Payments",
    isLive: problem === undefined && !visit.query.has("before"),
    changes: pathOf("live", tenant),
    main: html`${searchForm(here, asked)}
${chips(here, asked)}
${found}`
  }
}

const labels: Readonly<Record<FilterName, string>> = {
  status: "Status",
  connection: "Connection",
  currency: "Currency",
  created_from: "Created from",
  created_before: "Created before"
}

const searchForm = (here: string, { given, text }: ListFilter): Html => {
  const isNarrowed = Object.keys(given).some((name) => name !== "status")
  const filter = (name: Exclude<FilterName, "status">, type: "text" | "date") => {
    const value = given[name] ?? ""
    // A field of dates would show no other value than a day.
    const shown = type === "date" && value !== "" && !isDay(value) ? "text" : type
    const attributes = html`type="${shown}" autocomplete="off" spellcheck="false"`
    return field({ name, label: labels[name], value, attributes })
  }
  return html`<form action="${here}" class="card fields" role="search">
<div class="wide"><label for="search">Search</label><input id="search" name="search" type="search" spellcheck="false" value="${text}" aria-describedby="search-hint"></div>
${select({
  name: "status",
  label: "Status",
  choices: [all, ...paymentStatuses.map((one) => [one, statusText(one)] as const)],
  selected: given.status
})}
<button>Find</button>
<p id="search-hint" class="soft wide">A payment id, your reference, the provider’s reference, an amount (<code>19.99</code>, <code>EUR 20</code>) or metadata (<code>1001</code>, <code>order=1001</code>).</p>
<details class="wide"${isNarrowed ? html` open` : undefined}><summary>More filters</summary>
<div class="fields">${filter("connection", "text")}${filter("currency", "text")}${filter("created_from", "date")}${filter("created_before", "date")}</div>
<p class="soft">Days begin at midnight UTC.</p></details>
</form>`
}

/** Each filter that narrows the list, as a link to the list without it. */
const chips = (here: string, asked: ListFilter): Html | undefined => {
  const { given, text } = asked
  const narrowing: ReadonlyArray<readonly [FilterName | "search", string, string]> = [
    ...(text === "" ? [] : [["search", "Search", text] as const]),
    ...(Object.entries(given) as ReadonlyArray<[FilterName, string]>).map(
      ([name, value]) => [name, labels[name], name === "status" ? statusText(value) : value] as const
    )
  ]
  return narrowing.length === 0
    ? undefined
    : html`<ul class="chips" aria-label="Filters">${narrowing.map(
        ([name, label, value]) =>
          html`<li><a class="chip" href="${here}${queryText(queryOf(asked, name))}" aria-label="Remove the filter ${label}: ${value}">${label}: ${value} ×</a></li>`
      )}</ul>`
}

const tableOf = Effect.fnUntraced(function* (
  visit: Visit,
  tenant: TenantPath,
  asked: ListFilter,
  found: Effect.Success<ReturnType<typeof Desk.search>>
) {
  const views = yield* InProcess.PaymentViews
  const payments = yield* Effect.forEach(found.items, (payment) => views.payment(payment, false))
  const here = `${visit.mount}${pathOf("payments", tenant)}`
  const query = queryOf(asked)
  const now = yield* Clock.currentTimeMillis
  return html`${searchedView(asked, found.compared)}
${table({
  label: "Payments",
  isInTwoLines: true,
  columns: ["Reference", "Status", "Method", "Connection", "Created", { numbers: "Amount" }],
  none: found.walkedTo === undefined ? "No payments found." : "No payments found so far: older ones may match.",
  rows: payments.map(
    (payment, at) => html`<tr><td><a href="${here}/${payment.id}">${payment.reference ?? payment.id}</a></td>
<td>${statusView(payment.status, payment.refund_pending_amount)}${declineView(payment)}</td>
<td>${payment.card_brand ?? payment.method}, ${payment.country}</td><td>${connectionOf(found.items[at]) ?? "–"}</td>
<td>${ago(payment.created, now)}</td><td class="number">${money(payment.amount, payment.currency)}</td></tr>`
  )
})}
<p class="fields">${nextPage({ here, query, by: "before", cursor: nextId(found), text: "Older payments" })}
${payments.length === 0 ? undefined : html`<a class="button" href="${here}/export.csv${queryText(query)}">Export as CSV</a>`}</p>`
})

const searchedView = ({ text }: ListFilter, compared: ReadonlyArray<string>): Html | undefined =>
  text === ""
    ? undefined
    : html`<p class="soft">Searched: ${["payment id", ...compared].join(", ")}. A reference is also found by its beginning.</p>`

const declineView = ({ decline_category, decline_reason }: PaymentFile["payment"]): Html | undefined =>
  decline_category === null
    ? undefined
    : html`<br><span class="soft">${declineText(decline_category, decline_reason)}</span>`

/** The one that holds the money, or was asked last. */
const connectionOf = (payment: Payment | undefined): string | undefined =>
  payment?.connectionId ?? payment?.routing?.attempts.at(-1)?.connectionId

const exportList = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const asked = listFilterOf(visit.query)
  const filter = yield* Desk.searchFilter(tenant, asked.text, yield* decodeFilter(asked))
  return HttpServerResponse.stream(yield* exportCsv(tenant, filter), {
    contentType: csvType,
    headers: { "content-disposition": attachment(tenant, "payments") }
  })
})

export const listPages = [
  page("GET", "/payments/:workspace/:environment", "payment.read", list),
  page("GET", "/payments/:workspace/:environment/export.csv", "payment.read", exportList)
]
