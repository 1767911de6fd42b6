/**
 * The audit trail. An operator with a role in all workspaces sees all entries. One with a role in some workspaces sees the
 * entries of each, on a page of its own.
 */
import { auditActions, Directory } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { failure } from "../api/Errors.ts"
import { internalError } from "../Failures.ts"
import { momentIn, options } from "../frame/Forms.ts"
import { alert, type Html, time } from "../frame/Layout.ts"
import { type Answer, page, type Visit } from "../frame/Page.ts"
import { isAllowed } from "../gate/Access.ts"
import { CurrentOperator } from "../gate/CurrentOperator.ts"
import type { AuditRecord } from "./AuditApi.ts"
import * as Desk from "./AuditDesk.ts"

const { html } = InProcess

const pageSize = 50

const auditPath = (workspace: string | undefined): string =>
  workspace === undefined ? "/audit" : `/audit/${encodeURIComponent(workspace)}`

/** The workspaces whose entries the operator may read, and whether it may read all entries. */
const readable = Effect.gen(function* () {
  const { operator } = yield* CurrentOperator
  const { workspaces } = yield* Effect.catch((yield* Directory).contents, internalError)
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
  if (workspace === undefined) {
    const answer: Answer = {
      title: "Audit",
      main: html`<p>Your roles allow this in no workspace of this installation.</p>`
    }
    return answer
  }
  const query = new URLSearchParams([...visit.query].filter(([name, value]) => name !== "workspace" && value !== ""))
  const answer: Answer = { redirect: `${auditPath(workspace)}${query.size === 0 ? "" : `?${query}`}` }
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
  const from = momentIn(query, "from")
  const until = momentIn(query, "until")
  const faults = [from.fault, until.fault].filter((fault) => fault !== undefined)
  const before = /^\d{1,15}$/u.test(query.get("before") ?? "") ? Number(query.get("before")) : undefined
  const found =
    faults.length > 0
      ? { data: [], next_cursor: null }
      : yield* Desk.entries(workspace, {
          actor: actor === "" ? undefined : actor,
          action,
          from: from.at,
          until: until.at,
          before,
          limit: pageSize
        })
  const older = new URLSearchParams([...query].filter(([name]) => name !== "before"))
  older.set("before", found.next_cursor ?? "")
  const answer: Answer = {
    status: faults.length > 0 ? 422 : 200,
    title: "Audit",
    main: html`${alert(faults.length > 0 ? `${faults.join("; ")}.` : undefined)}
<form action="${mount}/audit" class="card fields" role="search">
<div><label for="workspace">Workspace</label><select id="workspace" name="workspace">${
      readsAll ? html`<option value="">All entries</option>` : undefined
    }${workspaces.map(
      ({ id, name }) => html`<option value="${id}"${id === workspace ? html` selected` : undefined}>${name}</option>`
    )}</select></div>
<div><label for="actor">Actor</label><input id="actor" size="12" name="actor" autocomplete="off" autocapitalize="none" spellcheck="false" value="${actor}"></div>
<div><label for="action">Action</label><select id="action" name="action"><option value="">All</option>${options(auditActions, action ?? "")}</select></div>
<div><label for="from">From</label><input id="from" name="from" type="date" value="${query.get("from") ?? ""}"></div>
<div><label for="until">Before</label><input id="until" name="until" type="date" value="${query.get("until") ?? ""}"></div>
<button>Find</button>
<p class="soft wide">Days begin in UTC. ${workspace === undefined ? undefined : "Entries about several workspaces or none, such as changes of operators, are not here."}</p>
</form>
${
  found.data.length === 0
    ? html`<p>No entries found.</p>`
    : html`<div class="card scroll" tabindex="0" role="region" aria-label="Entries"><table>
<thead><tr><th scope="col" class="number">Number</th><th scope="col">Time</th><th scope="col">Actor</th><th scope="col">Action</th><th scope="col">Subject</th></tr></thead>
<tbody>${found.data.map(row)}</tbody></table></div>`
}
${found.next_cursor === null ? undefined : html`<p><a class="button" href="${mount}${auditPath(workspace)}?${older.toString()}">Older entries</a></p>`}`
  }
  return answer
})

const row = ({ action, actor, at, details, hash, number, subject }: AuditRecord): Html =>
  html`<tr><td class="number">${number}</td><td>${time(at)}</td><td>${actor}</td><td class="whole-words">${action}</td><td>${subject}
<details><summary>Details</summary><pre>${JSON.stringify(details, null, 2)}</pre><p class="soft">Hash ${hash}</p></details></td></tr>`

export const auditPages = [
  page("GET", "/audit", "signedIn", start),
  page("GET", "/audit/:workspace", "audit.read", (visit) => list(visit.params["workspace"], visit))
]
