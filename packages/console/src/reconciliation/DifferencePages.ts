/** Differences between providers' reports and the records, closing one with a note, and accepting what is suggested. */
import { differenceResults, mayAct } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import { all, select } from "../frame/Forms.ts"
import { nextPage, pageSize } from "../frame/Lists.ts"
import { type Answer, noticeIn, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { differenceTable } from "./DifferenceTable.ts"
import * as Desk from "./ReconciliationDesk.ts"
import { pageLinks } from "./ReconciliationViews.ts"
import { resultNames } from "./ReconciliationWords.ts"

const { html } = InProcess

const notices = { closed: "Closed.", accepted: "Accepted: the row is one of the payment now." } as const

const list = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const tenant = yield* tenantOf(visit)
  const { operator } = yield* CurrentOperator
  const result = differenceResults.find((one) => one === visit.query.get("result"))
  const connectionId = visit.query.get("connection") || undefined
  const state = visit.query.get("state") === "all" ? "all" : "open"
  const after = visit.query.get("after") ?? undefined
  const filter = { connectionId, result, state } as const
  const { items, next } = yield* Desk.differences(tenant, filter, { after, limit: pageSize })
  const connections = yield* Desk.connections(tenant)
  const here = `${visit.mount}${pathOf("reconciliation", tenant, "differences")}`
  const query = new URLSearchParams({ result: result ?? "", connection: connectionId ?? "", state })
  return {
    title: "Differences",
    problem,
    notice: noticeIn(visit, notices),
    main: html`${pageLinks(visit, tenant, "differences")}
<form action="${here}" class="card fields" role="search">
${select({ name: "result", label: "Difference", choices: [all, ...differenceResults.map((one) => [one, resultNames[one]] as const)], selected: result })}
${select({ name: "connection", label: "Connection", choices: [all, ...connections.map(({ id, name }) => [id, name] as const)], selected: connectionId })}
${select({
  name: "state",
  label: "State",
  choices: [
    ["open", "Open"],
    ["all", "Open and closed"]
  ],
  selected: state
})}
<button>Find</button>
</form>
<p class="soft">The oldest come first. A note explains a difference and moves no money. A suggested payment means nothing until it is accepted: then what the row states is applied to it.</p>
${yield* differenceTable(visit, tenant, items, {
  mayAct: mayAct(operator, "difference.close", tenant.workspace),
  none: "No differences found."
})}
<p class="fields">${nextPage({ here, query, by: "after", cursor: next, text: "Next differences" })}</p>`
  } satisfies Answer
})

/** A refusal is shown above the differences as they are now. */
const close = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const text = (name: string) => visit.form.get(name) ?? ""
  const order = { connection: text("connection"), row: text("row"), note: text("note") }
  return yield* Desk.close(tenant, order).pipe(
    Effect.as<Answer>({ redirect: `${pathOf("reconciliation", tenant, "differences")}?notice=closed` }),
    Effect.catch((problem: ConsoleError) => list(visit, problem))
  )
})

const accept = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const text = (name: string) => visit.form.get(name) ?? ""
  const order = { connection: text("connection"), row: text("row"), payment: text("payment") }
  return yield* Desk.accept(tenant, order).pipe(
    Effect.as<Answer>({ redirect: `${pathOf("reconciliation", tenant, "differences")}?notice=accepted` }),
    Effect.catch((problem: ConsoleError) => list(visit, problem))
  )
})

const at = "/reconciliation/:workspace/:environment/differences"

export const differencePages = [
  page("GET", at, "reconciliation.read", (visit) => list(visit)),
  page("POST", at, "difference.close", close),
  page("POST", `${at}/accept`, "difference.close", accept)
]
