/** The operators of the console: the list, and one of them. */
import { operatorRoles, type Workspace } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type ConsoleError, failure } from "../api/Errors.ts"
import { asTyped, field, formPage, hidden, named, options } from "../frame/Forms.ts"
import { type Document, type Html, time } from "../frame/Layout.ts"
import { type Answer, noticeIn, orShow, page, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { directoryContents } from "../gate/Caller.ts"
import type { OperatorRecord } from "./OperatorApi.ts"
import * as Desk from "./OperatorDesk.ts"
import { linkPage, operatorPath } from "./OperatorLinkPages.ts"

const { html } = InProcess

type Roles = OperatorRecord["roles"]

/** The value of the choice of all workspaces: no workspace has this id. */
const everywhere = "*"

const notices = {
  removed: "The operator is removed. All of its sessions ended.",
  saved: "Saved."
} as const

const list = Effect.fnUntraced(function* (visit: Visit) {
  const showsAll = visit.query.get("removed") === "yes"
  const operators = (yield* Desk.operators).filter(({ active }) => showsAll || active)
  const here = `${visit.mount}/operators`
  return {
    title: "Operators",
    notice: noticeIn(visit, notices),
    main: html`<p class="fields"><a class="button main" href="${here}/new">Add an operator…</a>
<a class="button" href="${here}${showsAll ? "" : "?removed=yes"}">${showsAll ? "Hide" : "Show"} removed operators</a></p>
${table({
  label: "Operators",
  columns: ["Operator", "State", "Roles", "Last sign-in", { numbers: "Sessions" }, "Password"],
  rows: operators.map(row(visit))
})}
<p class="soft">The last sign-in is shown only while a session of the operator is open. The audit trail has all of them.</p>`
  } satisfies Answer
})

const row =
  (visit: Visit) =>
  (operator: OperatorRecord): Html => {
    const [newest] = operator.sessions
    return html`<tr><th scope="row"><a href="${visit.mount}${operatorPath(operator.id)}">${operator.name}</a><br><span class="soft">${operator.login}</span></th>
<td class="word">${operator.active ? "Active" : html`<span class="status bad">Removed</span>`}</td><td>${rolesText(operator.roles)}</td><td>${newest === undefined ? "–" : time(newest.signed_in)}</td>
<td class="number">${operator.sessions.length}</td><td>${operator.has_password ? "Yes" : "No"}</td></tr>`
  }

const rolesText = (roles: Roles): string =>
  roles.map(({ role, workspace_id }) => `${role} (${workspace_id ?? "all workspaces"})`).join(", ")

const workspacesHere = Effect.map(directoryContents, ({ workspaces }) => workspaces)

/** One row for each role there is, and one for another. */
const roleFields = (roles: Roles, workspaces: ReadonlyArray<Workspace>): Html => {
  const nameOf = (id: string | null) =>
    id === null ? "All workspaces" : (workspaces.find((one) => one.id === id)?.name ?? id)
  const taken = new Set(roles.map(({ workspace_id }) => workspace_id))
  return html`<fieldset><legend>Roles</legend>${roles.map(
    ({ role, workspace_id }, at) =>
      html`<div><label for="role-${at}">${nameOf(workspace_id)}</label><input type="hidden" name="workspace" value="${workspace_id ?? everywhere}">
<select id="role-${at}" name="role">${options(named(operatorRoles), role)}<option value="">No role</option></select></div>`
  )}
<div><label for="workspace-more">${roles.length === 0 ? "Workspace" : "Another workspace"}</label><select id="workspace-more" name="workspace"${roles.length === 0 ? html` required` : undefined}>
<option value="">${roles.length === 0 ? "Choose…" : "None"}</option>
${taken.has(null) ? undefined : html`<option value="${everywhere}">All workspaces, also later ones</option>`}
${workspaces.filter(({ id }) => !taken.has(id)).map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select></div>
<div><label for="role-more">${roles.length === 0 ? "Role" : "Role there"}</label><select id="role-more" name="role">${options(named(operatorRoles), "viewer")}</select></div>
</fieldset>
<p class="soft">Viewer reads payments and webhooks. Support also captures, voids and refunds, and sends webhooks again. Operations also settles reviews, applies messages and reads routing. Admin also manages keys and the secrets of webhooks, and reads connections and the audit trail; with the role in all workspaces, also operators and partners.</p>`
}

/** A workspace and a role for each row. A row without a role or a workspace is left out. */
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
  return formPage({
    title: "Add an operator",
    problem,
    action: `${visit.mount}/operators/new`,
    showsSecret: true,
    fields: html`${field({
      name: "login",
      label: "E-mail or name to sign in with",
      value: visit.form.get("login") ?? "",
      attributes: html`maxlength="254" ${asTyped} required`
    })}
${nameField(visit.form.get("name") ?? "")}
${roleFields([], workspaces)}`,
    button: "Add, and show a sign-in link",
    back: `${visit.mount}/operators`
  })
})

const nameField = (value: string): Html =>
  field({ name: "name", label: "Name", value, attributes: html`maxlength="120" autocomplete="off" required` })

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
    Effect.catch(orShow((problem: ConsoleError) => addForm(visit, problem)))
  )
})

const show = Effect.fnUntraced(function* (visit: Visit) {
  const operator = yield* Desk.operator(visit.params["operator"] ?? "")
  return operatorPage(visit, operator, operator, yield* workspacesHere)
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
  return {
    title: operator.name,
    problem,
    notice: noticeIn(visit, notices),
    isSmall: true,
    main: html`<dl class="card"><dt>Login</dt><dd>${operator.login}</dd><dt>Added</dt><dd>${time(operator.created)}</dd>
<dt>Password</dt><dd>${operator.has_password ? "Set" : "None"}</dd><dt>State</dt><dd>${operator.active ? "Active" : "Removed"}</dd>
${operator.active ? undefined : html`<dt>Roles then</dt><dd>${rolesText(operator.roles)}</dd>`}</dl>
${
  operator.active
    ? html`<form method="post" action="${here}" class="card stack">
${hidden("version", typed.version)}
${nameField(typed.name)}
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
    ? html`<p class="card">No open sessions.</p>`
    : html`<ul class="card">${operator.sessions.map(
        ({ last_request, method, signed_in }) =>
          html`<li>By ${method} at ${time(signed_in)}, last request at ${time(last_request)}</li>`
      )}</ul>`
}
<p><a href="${visit.mount}/audit?${new URLSearchParams({ actor: operator.login }).toString()}">Audit entries of this operator</a></p>
<p><a href="${visit.mount}/operators">All operators</a></p>`
  }
}

const save = Effect.fnUntraced(function* (visit: Visit) {
  const id = visit.params["operator"] ?? ""
  const version = visit.form.get("version") ?? ""
  if (!/^\d{1,9}$/u.test(version)) {
    return yield* Effect.fail(failure("validation_error", "`version` must be the number of the form."))
  }
  const typed = { name: visit.form.get("name")?.trim() ?? "", roles: rolesIn(visit), version: Number(version) }
  return yield* Desk.edit(id, typed).pipe(
    Effect.map((): Answer => ({ redirect: `${operatorPath(id)}?notice=saved` })),
    Effect.catch(
      orShow(
        Effect.fnUntraced(function* (problem: ConsoleError) {
          const operator = yield* Desk.operator(id)
          return operatorPage(visit, operator, typed, yield* workspacesHere, problem)
        })
      )
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
