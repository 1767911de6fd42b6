/**
 * API keys: the list, a new key, and revoking.
 *
 * A form holds a draft of its key, so that a reload and a double click create no second key. The key itself is in the
 * answer of the request that created it, and in no other.
 */
import { scopes as allScopes } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, Redacted } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import { asTyped, field, formPage, hidden, momentIn, secretPage } from "../frame/Forms.ts"
import { type Document, type Html, idView, time, timeOr } from "../frame/Layout.ts"
import { type Answer, noticeIn, orShow, page, pathOf, recordOf, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import type { Key } from "./KeyApi.ts"
import * as Desk from "./KeyDesk.ts"

const { html } = InProcess

const notices = { revoked: "The key is revoked. Servers refuse it." } as const

const list = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* tenantOf(visit)
  const showsAll = visit.query.get("revoked") === "yes"
  const keys = (yield* Desk.keys(path)).filter(({ revoked }) => showsAll || revoked === null)
  const here = `${visit.mount}${pathOf("keys", path)}`
  return {
    title: "Keys",
    notice: noticeIn(visit, notices),
    main: html`<p class="fields"><a class="button main" href="${here}/new">Create a key…</a>
<a class="button" href="${here}${showsAll ? "" : "?revoked=yes"}">${showsAll ? "Hide" : "Show"} revoked keys</a></p>
${table({
  label: "Keys",
  columns: ["Key", "State", "Scopes", "Networks", "Created", "Expires", "Last used", "Action"],
  none: "No keys found.",
  rows: keys.map((key) => row(here, key))
})}`
  } satisfies Answer
})

const row = (here: string, key: Key): Html => html`<tr>
<th scope="row">${key.name ?? "Unnamed"}<br><span class="soft">${idView(key.id)}</span></th>
<td class="word">${key.revoked === null ? "Active" : html`<span class="status bad">Revoked</span><br>${time(key.revoked)}`}</td>
<td>${scopesText(key)}</td><td>${key.networks?.join(", ") ?? "Any"}</td>
<td>${time(key.created)}<br><span class="soft">${key.source === "configuration" ? "By the configuration file" : "By an operator"}</span></td><td>${timeOr(key.expires, "Never")}</td><td>${timeOr(key.last_used, "Never")}</td>
<td>${
  key.revoked === null && key.source === "operator"
    ? html`<a class="button" href="${here}/${key.id}/revoke">Revoke…</a>`
    : "–"
}</td></tr>`

const scopesText = ({ scopes }: Key): string => scopes?.join(", ") ?? "All"

const form = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* tenantOf(visit)
  return newPage(visit, path, yield* Desk.draft(path))
})

/** The value of the box for every scope. */
const everyScope = "all"

const newPage = (visit: Visit, path: TenantPath, draft: string, problem?: ConsoleError): Document => {
  const { form } = visit
  const ticked = form.getAll("scopes")
  const here = `${visit.mount}${pathOf("keys", path)}`
  const typed = (name: string) => form.get(name) ?? ""
  const box = (value: string, text: string): Html =>
    html`<label class="choice"><input type="checkbox" name="scopes" value="${value}"${ticked.includes(value) ? html` checked` : undefined}>${text}</label>`
  return formPage({
    title: "Create a key",
    problem,
    action: `${here}/new`,
    showsSecret: true,
    fields: html`${hidden("draft", draft)}
${field({ name: "name", label: "Name (optional)", value: typed("name"), attributes: html`maxlength="120" autocomplete="off"` })}
<fieldset><legend>Scopes</legend>${box(everyScope, "All, also those that are added later")}${allScopes.map((scope) => box(scope, scope))}</fieldset>
${field({
  name: "expires",
  label: "Expires (optional)",
  value: typed("expires"),
  attributes: html`type="date"`,
  hint: "The key is refused from the beginning of this day in UTC."
})}
${field({
  name: "networks",
  label: "Networks (optional)",
  value: typed("networks"),
  attributes: asTyped,
  hint: "IP addresses and CIDR ranges that requests may come from, separated by commas."
})}`,
    button: "Create the key",
    back: here
  })
}

const submit = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* tenantOf(visit)
  const draft = visit.form.get("draft") ?? ""
  const again = (problem: ConsoleError): Answer =>
    problem.error.code === "key_created" ? createdBefore(visit, path, problem) : newPage(visit, path, draft, problem)
  const { at, fault } = momentIn(visit.form, "expires")
  if (fault !== undefined) return again(InProcess.validationErrorOf(fault))
  const text = (name: string) => visit.form.get(name)?.trim() || null
  const ticked = visit.form.getAll("scopes")
  const order: Desk.KeyOrder = {
    draft,
    name: text("name"),
    scopes: ticked.includes(everyScope) ? null : allScopes.filter((scope) => ticked.includes(scope)),
    expiresAt: at ?? null,
    networks:
      text("networks")
        ?.split(",")
        .map((network) => network.trim()) ?? null
  }
  return yield* Desk.create(path, order).pipe(
    Effect.map(({ secret, view }): Answer => createdPage(visit, path, view, Redacted.value(secret))),
    Effect.catch(orShow((problem: ConsoleError) => Effect.succeed(again(problem))))
  )
})

const createdPage = ({ mount }: Visit, path: TenantPath, key: Key, secret: string): Document =>
  secretPage({
    title: "The new key",
    advice: "Copy the key now. It is shown only once: only its hash is stored.",
    secret,
    more: html`<dl><dt>Key</dt><dd>${idView(key.id)}</dd><dt>Scopes</dt><dd>${scopesText(key)}</dd><dt>Expires</dt><dd>${timeOr(key.expires, "Never")}</dd></dl>`,
    done: `${mount}${pathOf("keys", path)}`
  })

const createdBefore = ({ mount }: Visit, path: TenantPath, problem: ConsoleError): Document => ({
  problem,
  title: "The key was created before",
  isSmall: true,
  main: html`<p><a class="button" href="${mount}${pathOf("keys", path)}">All keys</a></p>`
})

const confirm = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "key")
  const key = yield* Desk.key(path)
  const here = `${visit.mount}${pathOf("keys", path)}`
  return formPage({
    title: `Revoke ${key.name ?? key.id}`,
    action: `${here}/${key.id}/revoke`,
    fields: html`<p>Servers refuse the key from their next request on. It cannot be undone.</p>
<dl><dt>Key</dt><dd>${idView(key.id)}</dd><dt>Scopes</dt><dd>${scopesText(key)}</dd><dt>Last used</dt><dd>${timeOr(key.last_used, "Never")}</dd></dl>`,
    button: "Revoke the key",
    back: here
  })
})

const revoke = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "key")
  yield* Desk.revoke(path)
  return { redirect: `${pathOf("keys", path)}?notice=revoked` } satisfies Answer
})

export const keyPages = [
  page("GET", "/keys/:workspace/:environment", "key.manage", list),
  page("GET", "/keys/:workspace/:environment/new", "key.manage", form),
  page("POST", "/keys/:workspace/:environment/new", "key.manage", submit),
  page("GET", "/keys/:workspace/:environment/:key/revoke", "key.manage", confirm),
  page("POST", "/keys/:workspace/:environment/:key/revoke", "key.manage", revoke)
]
