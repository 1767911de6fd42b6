/** The books: the balances of the accounts at a date, and the journal of a month for an accounting program. */
import { type AccountBalance, type JournalFormat, journalFormats, type PendingBalance } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { ConsoleError } from "../api/Errors.ts"
import { all, field, momentIn, select } from "../frame/Forms.ts"
import { type Html, idView, time } from "../frame/Layout.ts"
import { type Answer, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { attachment, csvType, exportJournal, readMonth } from "../payments/ExportDesk.ts"
import { money } from "../payments/PaymentWords.ts"
import * as Desk from "./BooksDesk.ts"
import { connections } from "./ReconciliationDesk.ts"
import { count } from "./ReconciliationWords.ts"

const { html, timeView, validationErrorOf } = InProcess

const show = Effect.fnUntraced(function* (visit: Visit, refused?: ConsoleError) {
  const tenant = yield* tenantOf(visit)
  const here = `${visit.mount}${pathOf("books", tenant)}`
  const thisMonth = timeView(yield* Clock.currentTimeMillis).slice(0, 7)
  const { at, fault } = momentIn(visit.query, "until")
  const read: BalancesRead =
    at === undefined
      ? { balances: undefined, problem: fault === undefined ? undefined : validationErrorOf(fault) }
      : yield* Effect.match(Desk.balances(tenant, at), {
          onFailure: (problem) => ({ balances: undefined, problem }),
          onSuccess: (balances) => ({ balances, problem: undefined })
        })
  const month = visit.query.get("month") ?? ""
  return {
    title: "Books",
    problem: refused ?? read.problem,
    main: html`<h2>Balances</h2>
<form action="${here}" class="card fields" role="search">
${field({ name: "until", label: "Before", value: timeView(at ?? Date.parse(`${thisMonth}-01T00:00:00Z`)).slice(0, 10), attributes: html`type="date" required` })}
<button>Show</button>
</form>
${at === undefined || read.balances === undefined ? undefined : balancesView(at, read.balances)}
<h2>Journal</h2>
<form action="${here}/journal" class="card fields">
${field({ name: "month", label: "Month", value: readMonth(month) === undefined ? previous(thisMonth) : month, attributes: html`type="month" required pattern="\\d{4}-\\d{2}"` })}
${select({ name: "connection", label: "Connection", choices: [all, ...(yield* connections(tenant)).map(({ id, name }) => [id, name] as const)], selected: visit.query.get("connection") ?? undefined })}
${select({ name: "format", label: "Format", choices: journalFormats.map((one) => [one, formatNames[one]] as const), selected: undefined })}
<button>Download</button>
</form>
<p class="soft">Each transaction of the month adds up to zero in each currency. A month is closed five days after its end, in UTC: until then its journal may grow.</p>`
  } satisfies Answer
})

interface BalancesRead {
  readonly balances: Effect.Success<ReturnType<typeof Desk.balances>> | undefined
  readonly problem: ConsoleError | undefined
}

const formatNames: Readonly<Record<JournalFormat, string>> = {
  beancount: "Beancount",
  ledger: "ledger and hledger",
  csv: "CSV, for a spreadsheet"
}

/** The month before. */
const previous = (month: string): string => timeView(Date.parse(`${month}-01T00:00:00Z`) - 1).slice(0, 7)

const balancesView = (
  before: number,
  {
    accounts,
    pending
  }: { readonly accounts: ReadonlyArray<AccountBalance>; readonly pending: ReadonlyArray<PendingBalance> }
): Html =>
  html`<p class="soft">Positive amounts are debits. What is posted before this time may change until ${time(timeView(Desk.openUntil(before)))}.</p>
${table({
  label: "Balances",
  columns: ["Account", { numbers: "Amount" }],
  none: "No transaction is posted before this time.",
  rows: accounts.map(
    ({ account, amount, currency }) =>
      html`<tr><td>${idView(account)}</td><td class="number">${money(amount, currency)}</td></tr>`
  )
})}
${
  pending.length === 0
    ? undefined
    : html`<h3>Without a known result</h3>
${table({
  label: "Without a known result",
  columns: ["What", "Connection", { numbers: "Count" }, { numbers: "Amount" }],
  rows: pending.map(
    ({ amount, connection, count: number, currency, what }) => html`<tr><td>${pendingNames[what]}</td>
<td>${idView(connection || null)}</td><td class="number">${count(number)}</td><td class="number">${money(amount, currency)}</td></tr>`
  )
})}`
}`

const pendingNames: Readonly<Record<PendingBalance["what"], string>> = {
  charge: "Charges",
  capture: "Captures",
  refund: "Refunds",
  dispute: "Disputes"
}

const download = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const month = visit.query.get("month")?.trim() ?? ""
  const format = journalFormats.find((one) => one === visit.query.get("format"))
  if (format === undefined) {
    return yield* Effect.fail(validationErrorOf(`\`format\` must be ${journalFormats.join(", ")}`))
  }
  const connection = visit.query.get("connection") || undefined
  return yield* exportJournal(tenant, { month, format, connection }).pipe(
    Effect.map(
      (journal): Answer =>
        HttpServerResponse.stream(journal, {
          contentType: format === "csv" ? csvType : "text/plain; charset=utf-8",
          headers: { "content-disposition": attachment(tenant, `journal-${month}`, format) }
        })
    ),
    Effect.catch((problem: ConsoleError) => show(visit, problem))
  )
})

export const booksPages = [
  page("GET", "/books/:workspace/:environment", "reconciliation.read", (visit) => show(visit)),
  page("GET", "/books/:workspace/:environment/journal", "reconciliation.read", download)
]
