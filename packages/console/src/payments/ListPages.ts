/** The list of payments, and its export. */
import { paymentStatuses } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type ConsoleCode, type ConsoleError, consoleCodes } from "../api/Errors.ts"
import { alert, type Html, time } from "../frame/Layout.ts"
import { type Answer, firstOf, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { attachment, csvType, exportCsv } from "./ExportDesk.ts"
import { decodeFilter, type FilterName, isDay, type ListFilter, listFilterOf, queryOf } from "./ListFilter.ts"
import * as Desk from "./PaymentDesk.ts"
import { money, statusText, statusView } from "./PaymentWords.ts"

const { html } = InProcess

const pageSize = 50

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const asked = listFilterOf(visit.query)
  const id = asked.text.toLowerCase()
  if (yield* Desk.isPayment(tenant, id)) {
    const answer: Answer = { redirect: pathOf("payments", tenant, id) }
    return answer
  }
  return yield* Effect.matchEffect(decodeFilter(asked), {
    onFailure: (problem) => Effect.succeed(listPage(visit, tenant, asked, undefined, problem)),
    onSuccess: (filter) =>
      Effect.gen(function* () {
        const before = visit.query.get("before") ?? undefined
        const found = yield* Desk.search(tenant, asked.text, { ...filter, before, limit: pageSize })
        return listPage(visit, tenant, asked, yield* tableOf(visit, tenant, asked, found))
      })
  })
})

const listPage = (
  visit: Visit,
  tenant: TenantPath,
  asked: ListFilter,
  table: Html | undefined,
  problem?: ConsoleError<ConsoleCode>
): Answer => {
  const here = `${visit.mount}${pathOf("payments", tenant)}`
  return {
    status: problem === undefined ? 200 : consoleCodes[problem.error.code].status,
    title: "Payments",
    isLive: problem === undefined && !visit.query.has("before"),
    changes: pathOf("live", tenant),
    main: html`${alert(problem?.error.message)}
${searchForm(here, asked)}
${chips(here, asked)}
${table}`
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
  const field = (name: Exclude<FilterName, "status">, type: "text" | "date") => {
    const value = given[name] ?? ""
    // A field of dates would show no other value than a day.
    const shown = type === "date" && value !== "" && !isDay(value) ? "text" : type
    return html`<div><label for="${name}">${labels[name]}</label><input id="${name}" name="${name}" type="${shown}" autocomplete="off" spellcheck="false" value="${value}"></div>`
  }
  return html`<form action="${here}" class="card fields" role="search">
<div class="wide"><label for="search">Search</label><input id="search" name="search" type="search" spellcheck="false" value="${text}" aria-describedby="search-hint"></div>
<div><label for="status">Status</label><select id="status" name="status"><option value="">All</option>${paymentStatuses.map(
    (one) =>
      html`<option value="${one}"${one === given.status ? html` selected` : undefined}>${statusText(one)}</option>`
  )}</select></div>
<button>Find</button>
<p id="search-hint" class="soft wide">A payment id, your reference, the provider’s reference, an amount (<code>19.99</code>, <code>EUR 20</code>) or metadata (<code>1001</code>, <code>order=1001</code>).</p>
<details class="wide"${isNarrowed ? html` open` : undefined}><summary>More filters</summary>
<div class="fields">${field("connection", "text")}${field("currency", "text")}${field("created_from", "date")}${field("created_before", "date")}</div>
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
    : html`<ul class="chips" aria-label="Filters">${narrowing.map(([name, label, value]) => {
        const rest = queryOf(asked, name).toString()
        return html`<li><a class="chip" href="${here}${rest === "" ? "" : `?${rest}`}" aria-label="Remove the filter ${label}: ${value}">${label}: ${value} ×</a></li>`
      })}</ul>`
}

const tableOf = Effect.fnUntraced(function* (
  visit: Visit,
  tenant: TenantPath,
  asked: ListFilter,
  { hasMore, items }: Effect.Success<ReturnType<typeof Desk.search>>
) {
  const views = yield* InProcess.PaymentViews
  const payments = yield* Effect.forEach(items, (payment) => views.payment(payment, false))
  const here = `${visit.mount}${pathOf("payments", tenant)}`
  const older = queryOf(asked)
  older.set("before", payments.at(-1)?.id ?? "")
  if (payments.length === 0) return html`<p>No payments found.</p>`
  return html`<div class="card scroll" tabindex="0" role="region" aria-label="Payments"><table>
<thead><tr><th scope="col">Created</th><th scope="col">Reference</th><th scope="col">Status</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>${payments.map(
    (payment) => html`<tr><td><a href="${here}/${payment.id}">${time(payment.created)}</a></td>
<td>${payment.reference ?? "–"}</td><td>${statusView(payment.status)}</td>
<td class="number">${money(payment.amount, payment.currency)}</td></tr>`
  )}</tbody></table></div>
<p class="fields">${hasMore ? html`<a class="button" href="${here}?${older.toString()}">Older payments</a>` : undefined}
<a class="button" href="${here}/export.csv?${queryOf(asked).toString()}">Export as CSV</a></p>`
})

const exportList = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const asked = listFilterOf(visit.query)
  const filter = yield* Desk.searchFilter(tenant, asked.text, yield* decodeFilter(asked))
  return HttpServerResponse.stream(yield* exportCsv(tenant, filter), {
    contentType: csvType,
    headers: { "content-disposition": attachment(tenant) }
  })
})

export const listPages = [
  page("GET", "/payments", "signedIn", () => firstOf("payments")),
  page("GET", "/payments/:workspace/:environment", "payment.read", list),
  page("GET", "/payments/:workspace/:environment/export.csv", "payment.read", exportList)
]
