/** The parts of the start page that not every role sees. */
import { InProcess } from "@pointsman/http"
import type { Effect } from "effect"
import { shareText, standingView } from "../connections/ConnectionPages.ts"
import { ageText, type Html, time, timeOr } from "../frame/Layout.ts"
import { pathOf, type recordLinks } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { resultNames, stateNames, stateTones } from "../reconciliation/ReconciliationWords.ts"
import type { Day } from "./DayApi.ts"
import { bounded } from "./DayText.ts"

const { html } = InProcess

export type Link = Effect.Success<ReturnType<typeof recordLinks>>

/** A part of the page. */
export const section = (title: string, body: Html): Html => html`<div class="card"><h2>${title}</h2>${body}</div>`

export const connectionSection = ({ connections }: Day, link: Link): Html | undefined =>
  connections === null
    ? undefined
    : section(
        "Connections",
        table({
          label: "Connections",
          isInCard: true,
          columns: ["Connection", "Health", "Account", { numbers: "Succeeded" }, "Last payment"],
          none: "This environment has no active connection.",
          rows: connections.map((one) => {
            const { last_failure, last_success } = one.health
            const last = [last_success?.created, last_failure?.created]
              .filter((at) => at !== undefined)
              .toSorted()
              .at(-1)
            return html`<tr><td>${link("connections", one.name, one.id)}</td><td>${standingView(one)}</td>
<td>${one.account.first ?? "–"}</td><td class="number">${shareText(one)}</td><td>${timeOr(last ?? null, "–")}</td></tr>`
          })
        })
      )

export const agreementSection = (
  { agreement }: Day,
  mount: string,
  tenant: TenantPath,
  now: number
): Html | undefined => {
  if (agreement === null) return undefined
  const { contradicted, differences, oldest, reports } = agreement
  const all = `${mount}${pathOf("reconciliation", tenant, "differences")}`
  return section(
    "Agreement with providers",
    html`${
      differences.length === 0 && contradicted === 0
        ? html`<p>No difference is open.</p>`
        : html`<ul>${differences.map(
            ({ count, result }) =>
              html`<li><a href="${all}?result=${result}">${resultNames[result]}</a>: ${bounded(count)}</li>`
          )}${contradicted === 0 ? undefined : html`<li><a href="${mount}${pathOf("reviews", tenant)}">Payments that a provider contradicts</a>: ${bounded(contradicted)}</li>`}</ul>
<p class="soft">The oldest is open for ${oldest === null ? "–" : ageText(now - Date.parse(oldest))}.</p>`
    }
${table({
  label: "Newest report of each connection",
  isInCard: true,
  columns: ["Connection", "Newest report", "State", "Rows until"],
  none: "This environment has no active connection.",
  rows: reports.map(({ name, newest }) =>
    newest === null
      ? html`<tr><td>${name}</td><td>No report was read.</td><td>–</td><td>–</td></tr>`
      : html`<tr><td>${name}</td><td><a href="${mount}${pathOf("reconciliation", tenant, "reports", newest.id)}">${newest.file_name}</a></td>
<td class="${stateTones[newest.state]}">${stateNames[newest.state]}</td><td>${newest.rows_until === null ? "–" : time(newest.rows_until)}</td></tr>`
  )
})}`
  )
}
