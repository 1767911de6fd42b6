/** The operators of the console: the list, and one of them. */
import { operatorRoles, type Workspace } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type ConsoleError, consoleCodes } from "../api/Errors.ts"
import { internalError } from "../Failures.ts"
import { options } from "../frame/Forms.ts"
import { alert, type Document, type Html, time } from "../frame/Layout.ts"
import { type Answer, page, type Visit } from "../frame/Page.ts"
import type { OperatorRecord } from "./OperatorApi.ts"
import * as Desk from "./OperatorDesk.ts"
import { linkPage, operatorPath } from "./OperatorLinkPages.ts"

const { html } = InProcess

type Roles = OperatorRecord["roles"]

/** The value of the choice of all workspaces: no workspace has this id. */
const everywhere = "*"

const list = Effect.fnUntraced(function* (visit: Visit) {
  const showsAll = visit.query.get("removed") === "yes"
  const operators = (yield* Desk.operators).filter(({ active }) => showsAll || active)
  const here = `${visit.mount}/operators`
  const answer: Answer = {
    title: "Operators",
    main: html`${alert(visit.query.get("notice") === "removed" ? "The operator is removed. All of its sessions ended." : undefined)}
<p class="fields"><a class="button main" href="${here}/new">Add an operator…</a>
<a class="button" href="${here}${showsAll ? "" : "?removed=yes"}">${showsAll ? "Hide" : "Show"} removed operators</a></p>
<div class="card scroll" tabindex="0" role="region" aria-label="Operators"><table>
<thead><tr><th scope="col">Operator</th><th scope="col">Roles</th><th scope="col">Last sign-in</th><th scope="col" class="number">Sessions</th><th scope="col">Password</th><th scope="col">State</th></tr></thead>
<tbody>${operators.map(row(visit))}</tbody></table></div>
<p class="soft">The last sign-in is known while one of the operator’s sessions is open. The audit trail has all of them.</p>`
  }
  return answer
})

const row =
  (visit: Visit) =>
  (operator: OperatorRecord): Html => {
    const [newest] = operator.sessions
    return html`<tr><th scope="row"><a href="${visit.mount}${operatorPath(operator.id)}">${operator.name}</a><br><span class="soft">${operator.login}</span></th>
<td>${rolesText(operator.roles)}</td><td>${newest === undefined ? "–" : time(newest.signed_in)}</td>
<td class="number">${operator.sessions.length}</td><td>${operator.has_password ? "Yes" : "No"}</td>
<td>${operator.active ? "Active" : html`<span class="status bad">Removed</span>`}</td></tr>`
  }

const rolesText = (roles: Roles): string =>
  roles.map(({ role, workspace_id }) => `${role} (${workspace_id ?? "all workspaces"})`).join(", ")

const workspacesHere = Effect.gen(function* () {
  const { workspaces } = yield* Effect.catch((yield* Directory).contents, internalError)
  return workspaces
})

/** One row for each role there is, and one for another. */
const roleFields = (roles: Roles, workspaces: ReadonlyArray<Workspace>): Html => {
  const nameOf = (id: string | null) =>
    id === null ? "All workspaces" : (workspaces.find((one) => one.id === id)?.name ?? id)
  const taken = new Set(roles.map(({ workspace_id }) => workspace_id))
  return html`<fieldset><legend>Roles</legend>${roles.map(
    ({ role, workspace_id }, at) =>
      html`<div><label for="role-${at}">${nameOf(workspace_id)}</label><input type="hidden" name="workspace" value="${workspace_id ?? everywhere}">
<select id="role-${at}" name="role">${options(operatorRoles, role)}<option value="">No role</option></select></div>`
  )}
<div><label for="workspace-more">${roles.length === 0 ? "Workspace" : "Another workspace"}</label><select id="workspace-more" name="workspace"${roles.length === 0 ? html` required` : undefined}>
<option value="">${roles.length === 0 ? "Choose…" : "None"}</option>
${taken.has(null) ? undefined : html`<option value="${everywhere}">All workspaces, also later ones</option>`}
${workspaces.filter(({ id }) => !taken.has(id)).map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select></div>
<div><label for="role-more">${roles.length === 0 ? "Role" : "Role there"}</label><select id="role-more" name="role">${options(operatorRoles, "viewer")}</select></div>
</fieldset>
<p class="soft">Viewer reads payments. Support also captures, voids and refunds, and sends webhooks again. Operations also settles reviews and applies messages. Admin also manages keys, connections, endpoints and, with the role in all workspaces, operators.</p>`
}

/** A workspace and a role for each row. A row without a role or a workspace is none. */
const rolesIn = ({ form }: Visit): Roles => {
  const named = form.getAll("role")
  return form.getAll("workspace").flatMap((workspace, at) => {
    const role = operatorRoles.find((one) => one === named[at])
    return workspace === "" || role === undefined
      ? []
      : [{ workspace_id: workspace === everywhere ? null : workspace, role }]
  })
}

const addForm = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const workspaces = yield* workspacesHere
  const answer: Answer = {
    status: problem === undefined ? 200 : consoleCodes[problem.error.code].status,
    title: "Add an operator",
    isSmall: true,
    main: html`${alert(problem?.error.message)}
<form method="post" action="${visit.mount}/operators/new" class="card stack" data-once="yes">
<div><label for="login">E-mail or name to sign in with</label><input id="login" name="login" maxlength="254" autocomplete="off" autocapitalize="none" spellcheck="false" value="${visit.form.get("login") ?? ""}" required></div>
<div><label for="name">Name</label><input id="name" name="name" maxlength="120" autocomplete="off" value="${visit.form.get("name") ?? ""}" required></div>
${roleFields([], workspaces)}
<button class="main">Add, and show a sign-in link</button>
<a class="button" href="${visit.mount}/operators">Back</a>
</form>`
  }
  return answer
})

const add = Effect.fnUntraced(function* (visit: Visit) {
  const order = {
    login: visit.form.get("login")?.trim() ?? "",
    name: visit.form.get("name")?.trim() ?? "",
    roles: rolesIn(visit)
  }
  return yield* Desk.add(order).pipe(
    Effect.flatMap((operator) =>
      Effect.map(Desk.createLink(operator.id), (link) => linkPage(visit, operator, link) as Answer)
    ),
    Effect.catch((problem: ConsoleError) => addForm(visit, problem))
  )
})

const show = Effect.fnUntraced(function* (visit: Visit) {
  const operator = yield* Desk.operator(visit.params["operator"] ?? "")
  const answer: Answer = operatorPage(visit, operator, operator, yield* workspacesHere)
  return answer
})

/** `typed`: what the form shows. */
const operatorPage = (
  visit: Visit,
  operator: OperatorRecord,
  typed: Pick<OperatorRecord, "name" | "roles" | "version">,
  workspaces: ReadonlyArray<Workspace>,
  problem?: ConsoleError
): Document => {
  const here = `${visit.mount}${operatorPath(operator.id)}`
  const notice = visit.query.get("notice") === "saved" ? "Saved." : undefined
  return {
    status: problem === undefined ? 200 : consoleCodes[problem.error.code].status,
    title: operator.name,
    isSmall: true,
    main: html`${alert(problem?.error.message ?? notice)}
<dl class="card"><dt>Login</dt><dd>${operator.login}</dd><dt>Added</dt><dd>${time(operator.created)}</dd>
<dt>Password</dt><dd>${operator.has_password ? "Set" : "None"}</dd><dt>State</dt><dd>${operator.active ? "Active" : "Removed"}</dd>
${operator.active ? undefined : html`<dt>Roles then</dt><dd>${rolesText(operator.roles)}</dd>`}</dl>
${
  operator.active
    ? html`<form method="post" action="${here}" class="card stack">
<input type="hidden" name="version" value="${typed.version}">
<div><label for="name">Name</label><input id="name" name="name" maxlength="120" autocomplete="off" value="${typed.name}" required></div>
${roleFields(typed.roles, workspaces)}
<button class="main">Save</button>
</form>
<form method="post" action="${here}/link" class="card stack" data-once="yes"><button>New sign-in link</button></form>
<p><a class="button" href="${here}/remove">Remove the operator…</a></p>`
    : html`<p>Add an operator with this login to let it in again.</p>`
}
<h2>Sessions</h2>
${
  operator.sessions.length === 0
    ? html`<p>No open sessions.</p>`
    : html`<ul class="card">${operator.sessions.map(
        ({ last_request, method, signed_in }) =>
          html`<li>By ${method} at ${time(signed_in)}, last request at ${time(last_request)}</li>`
      )}</ul>`
}
<p><a href="${visit.mount}/operators">All operators</a></p>`
  }
}

const save = Effect.fnUntraced(function* (visit: Visit) {
  const id = visit.params["operator"] ?? ""
  const typed = {
    name: visit.form.get("name")?.trim() ?? "",
    roles: rolesIn(visit),
    version: Number(visit.form.get("version"))
  }
  return yield* Desk.edit(id, typed).pipe(
    Effect.map((): Answer => ({ redirect: `${operatorPath(id)}?notice=saved` })),
    Effect.catch((problem: ConsoleError) =>
      Effect.gen(function* () {
        const operator = yield* Desk.operator(id)
        const answer: Answer = operatorPage(visit, operator, typed, yield* workspacesHere, problem)
        return answer
      })
    )
  )
})

export const operatorPages = [
  page("GET", "/operators", "operator.manage", list),
  page("GET", "/operators/new", "operator.manage", (visit) => addForm(visit)),
  page("POST", "/operators/new", "operator.manage", add),
  page("GET", "/operators/:operator", "operator.manage", show),
  page("POST", "/operators/:operator", "operator.manage", save)
]
