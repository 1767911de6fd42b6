/** The start page: how an environment does today, and what waits for a person. */
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { field } from "../frame/Forms.ts"
import { type Html, time, timeOr } from "../frame/Layout.ts"
import { type Answer, page, pathOf, recordLinks, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { declineNames, money } from "../payments/PaymentWords.ts"
import { plot, rangeBar } from "../routing/Plot.ts"
import { percent, rangeText, type SuccessRange, successRange } from "../routing/SuccessRange.ts"
import { type Ages, type Day, daysBefore, type Outcomes, paymentsAtMost, paymentsOfDay } from "./DayApi.ts"
import { hourChart, shareBar } from "./DayCharts.ts"
import * as Desk from "./DayDesk.ts"
import { bounded, counted, todosOf } from "./DayText.ts"
import { agreementSection, connectionSection, type Link, section } from "./DayViews.ts"

const { html } = InProcess

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const day = yield* Desk.day(tenant)
  const link = yield* recordLinks(visit, tenant)
  const now = yield* Clock.currentTimeMillis
  return {
    title: "Today",
    isLive: true,
    main: html`<form action="${visit.mount}${pathOf("payments", tenant)}" class="card fields" role="search">
${field({ name: "search", label: "Search payments", attributes: html`type="search" spellcheck="false"`, isWide: true })}
<button>Find</button>
</form>
${todoList(day, visit, tenant)}
<div class="day">
${volumeSection(day)}
${approvalSection(day)}
${declineSection(day, link)}
${waitingSection(day, link)}
${connectionSection(day, link)}
${agreementSection(day, visit.mount, tenant, now)}
</div>`
  } satisfies Answer
})

const todoList = (day: Day, { mount }: Visit, tenant: TenantPath): Html => {
  const todos = todosOf(day)
  return todos.length === 0
    ? html`<p class="card">Nothing waits for you.</p>`
    : html`<ul class="card todo" aria-label="What waits for you">${todos.map(
        ({ act, area, path = [], query = "", words }) =>
          html`<li>${words}: <a href="${mount}${pathOf(area, tenant, ...path)}${query}">${act}</a></li>`
      )}</ul>`
}

const volumeSection = ({ from, today }: Day): Html =>
  section(
    "Volume",
    html`<p class="soft">${
      today.is_cut
        ? html`Counted are the newest ${paymentsAtMost} of today, since ${time(today.since)}.`
        : html`${counted(today.payments, "payment")} since ${time(from)}, midnight UTC.`
    }</p>
${table({
  label: "Volume by currency",
  isInCard: true,
  columns: ["Currency", { numbers: "Payments" }, { numbers: "Amount" }, { numbers: "Captured" }],
  none: "No payments today.",
  rows: today.volume.map(
    ({ amount, captured_amount, currency, payments }) =>
      html`<tr><td>${currency}</td><td class="number">${payments}</td><td class="number">${money(amount, currency)}</td>
<td class="number">${money(captured_amount, currency)}</td></tr>`
  )
})}
${today.payments === 0 ? undefined : hoursView(today.hours)}`
  )

const hoursView = (hours: Day["today"]["hours"]): Html => html`${hourChart(hours)}
<details><summary>Payments by hour</summary>${table({
  label: "Payments by hour",
  isInCard: true,
  columns: ["From", { numbers: "Authorized" }, { numbers: "Declined" }, { numbers: "Others" }],
  rows: hours
    .filter(({ failed, open, succeeded }) => failed + open + succeeded > 0)
    .map(
      ({ failed, from, open, succeeded }) =>
        html`<tr><td>${time(from)}</td><td class="number">${succeeded}</td><td class="number">${failed}</td><td class="number">${open}</td></tr>`
    )
})}</details>`

const rateText = (range: SuccessRange | undefined): string => (range === undefined ? "–" : percent(range.rate))

const approvalSection = ({ approval: { before, days, today } }: Day): Html => {
  const all = [...days, today]
  const points = all.map(successRange)
  const rows: ReadonlyArray<readonly [Html, Outcomes]> = [
    [html`Today`, today],
    [html`The ${daysBefore} days before`, before]
  ]
  const ofDays = days.map((one) => [html`Until ${time(one.until)}`, one] as const)
  return section(
    "Authorization rate",
    html`<p class="soft">Of the payments with a result. Of each day before, the last ${paymentsOfDay} until this time of the day count.</p>
${ratesTable("Authorization rate", rows)}
${
  points.every((one) => one === undefined)
    ? undefined
    : html`${plot({
        points,
        label: `Authorization rate of ${daysBefore} days and today: ${rateText(successRange(before))} before, ${rateText(successRange(today))} today. The numbers follow.`,
        ends: [html`${time(days[0]?.until ?? "")}`, html`today`]
      })}
<details><summary>Authorization rate by day</summary>${ratesTable("Authorization rate by day", ofDays)}</details>`
}`
  )
}

const ratesTable = (label: string, rows: ReadonlyArray<readonly [Html, Outcomes]>): Html =>
  table({
    label,
    isInCard: true,
    columns: ["Payments", { numbers: "Rate" }, "Range", "0 to 100 %", { numbers: "Count" }],
    rows: rows.map(([name, outcomes]) => {
      const range = successRange(outcomes)
      return html`<tr><td>${name}</td><td class="number">${rateText(range)}</td><td>${rangeText(range)}</td><td>${rangeBar(range)}</td>
<td class="number">${outcomes.succeeded + outcomes.failed}</td></tr>`
    })
  })

const declineSection = ({ today: { declines } }: Day, link: Link): Html => {
  const most = Math.max(1, ...declines.map(({ payments }) => payments))
  return section(
    "Declined today",
    html`${table({
      label: "Declined today",
      isInCard: true,
      columns: ["Reason", "Share", { numbers: "Payments" }],
      none: "No payment was declined today.",
      rows: declines.map(
        ({ category, payments }) =>
          html`<tr><td>${declineNames[category]}</td><td>${shareBar(payments / most)}</td><td class="number">${payments}</td></tr>`
      )
    })}
${declines.length === 0 ? undefined : html`<p>${link("payments", "All payments")}</p>`}`
  )
}

const waitingSection = ({ disputes, reviews, unknown }: Day, link: Link): Html => {
  const { in_3_days, in_7_days, is_cut, later, next_deadline, passed, without_deadline } = disputes
  const ages = (name: Html, { day, hour, is_cut, older }: Ages) =>
    html`<tr><td>${name}${is_cut ? html` <span class="soft">(the first ${hour + day + older})</span>` : undefined}</td><td class="number">${hour}</td><td class="number">${day}</td><td class="number">${older}</td></tr>`
  return section(
    "Waiting",
    html`${table({
      label: "Unknown payments and reviews by age",
      isInCard: true,
      columns: ["What", { numbers: "Under 1 h" }, { numbers: "Under 1 day" }, { numbers: "Older" }],
      rows: [
        ages(html`Unknown payments`, unknown),
        ...(reviews === null ? [] : [ages(link("reviews", "Open reviews"), reviews)])
      ]
    })}
<h3>${link("disputes", "Open disputes")}</h3>
${table({
  label: "Open disputes by deadline",
  isInCard: true,
  columns: [
    { numbers: "Passed" },
    { numbers: "In 3 days" },
    { numbers: "In 7 days" },
    { numbers: "Later" },
    { numbers: "Not stated" }
  ],
  rows: [
    html`<tr>${[passed, in_3_days, in_7_days, later, without_deadline].map((count) => html`<td class="number">${count}</td>`)}</tr>`
  ]
})}
<p class="soft">Next deadline: ${timeOr(next_deadline, "none")}.${is_cut ? ` Counted are ${bounded(100)} of a status.` : undefined}</p>`
  )
}

export const dayPages = [page("GET", "/day/:workspace/:environment", "payment.read", show)]
