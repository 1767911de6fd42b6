/**
 * The audit trail. An operator with a role in all workspaces sees all entries. One with a role in some workspaces sees the
 * entries of each, on a page of its own.
 */
import { auditActions } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { failure } from "../api/Errors.ts"
import { all, asTyped, field, named, periodFields, periodIn, select } from "../frame/Forms.ts"
import { type Html, time } from "../frame/Layout.ts"
import { nextPage, pageSize, queryText, queryWithout } from "../frame/Lists.ts"
import { type Answer, inNoWorkspace, page, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { isAllowed } from "../gate/Access.ts"
import { CurrentOperator, directoryContents } from "../gate/Caller.ts"
import type { AuditRecord } from "./AuditApi.ts"
import * as Desk from "./AuditDesk.ts"
import { subjectPage } from "./AuditSubject.ts"

const { html } = InProcess

const auditPath = (workspace: string | undefined): string =>
  workspace === undefined ? "/audit" : `/audit/${encodeURIComponent(workspace)}`

/** The workspaces whose entries the operator may read, and whether it may read all entries. */
const readable = Effect.gen(function* () {
  const { operator } = yield* CurrentOperator
  const { workspaces } = yield* directoryContents
  return {
    readsAll: isAllowed(operator, "audit.read", undefined),
    workspaces: workspaces.filter(({ id }) => isAllowed(operator, "audit.read", id))
  }
})

/** Leads to the page of the workspace that was chosen, or of the first that the operator may read. */
const start = Effect.fnUntraced(function* (visit: Visit) {
  const { readsAll, workspaces } = yield* readable
  const chosen = visit.query.get("workspace") ?? ""
  if (chosen === "" && readsAll) return yield* list(undefined, visit)
  const workspace = chosen === "" ? workspaces[0]?.id : chosen
  const answer: Answer =
    workspace === undefined
      ? inNoWorkspace("audit")
      : { redirect: `${auditPath(workspace)}${queryText(queryWithout(visit.query, "workspace"))}` }
  return answer
})

const list = Effect.fnUntraced(function* (workspace: string | undefined, visit: Visit) {
  const { mount, query } = visit
  const { readsAll, workspaces } = yield* readable
  if (workspace !== undefined && workspaces.every(({ id }) => id !== workspace)) {
    return yield* Effect.fail(failure("not_found", "Workspace not found."))
  }
  const actor = query.get("actor")?.trim() ?? ""
  const action = auditActions.find((one) => one === query.get("action"))
  const { faults, period } = periodIn(query)
  const before = /^\d{1,15}$/u.test(query.get("before") ?? "") ? Number(query.get("before")) : undefined
  const found =
    faults.length > 0
      ? { data: [], next_cursor: null }
      : yield* Desk.entries(workspace, {
          actor: actor === "" ? undefined : actor,
          action,
          ...period,
          before,
          limit: pageSize
        })
  const { operator } = yield* CurrentOperator
  const here = `${mount}${auditPath(workspace)}`
  return {
    problem: faults.length > 0 ? InProcess.validationErrorOf(...faults) : undefined,
    title: "Audit",
    main: html`<form action="${mount}/audit" class="card fields" role="search">
${select({
  name: "workspace",
  label: "Workspace",
  choices: [
    ...(readsAll ? [["", "All entries"] as const] : []),
    ...workspaces.map(({ id, name }) => [id, name] as const)
  ],
  selected: workspace
})}
${field({ name: "actor", label: "Actor", value: actor, attributes: asTyped })}
${select({ name: "action", label: "Action", choices: [all, ...named(auditActions)], selected: action })}
${periodFields(query)}
<button>Find</button>
<p class="soft wide">Days begin at midnight UTC. ${workspace === undefined ? undefined : "Entries about several workspaces or none, such as changes of operators, are not here."}</p>
</form>
${table({
  label: "Entries",
  columns: [{ numbers: "Number" }, "Time", "Actor", "By way of", "Action", "Subject"],
  none: "No entries found.",
  rows: found.data.map((entry) => row(entry, subjectPage(operator, entry), mount))
})}
<p class="fields">${nextPage({ here, query, by: "before", cursor: found.next_cursor, text: "Older entries" })}</p>`
  } satisfies Answer
})

/** `path`: of the page of the subject. */
const row = (
  { action, actor, at, details, hash, number, subject, via }: AuditRecord,
  path: string | undefined,
  mount: string
): Html =>
  html`<tr><td class="number">${number}</td><td>${time(at)}</td><td>${actor}</td><td class="word">${via}</td><td class="word">${action}</td>
<td>${path === undefined ? subject : html`<a href="${mount}${path}">${subject}</a>`}
<details><summary>Details</summary><pre>${JSON.stringify(details, null, 2)}</pre><p class="soft">Hash ${hash}</p></details></td></tr>`

export const auditPages = [
  page("GET", "/audit", "signedIn", start),
  page("GET", "/audit/:workspace", "audit.read", (visit) => list(visit.params["workspace"], visit))
]
