/**
 * API keys: the list, a new key, and revoking.
 *
 * A form holds a draft of its key, so that a reload and a double click create no second key. The key itself is in the
 * answer of the request that created it, and in no other.
 */
import { scopes as allScopes } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, Redacted } from "effect"
import { type ConsoleError, consoleCodes } from "../api/Errors.ts"
import { momentIn, secretView } from "../frame/Forms.ts"
import { alert, type Document, type Html, time, timeOr } from "../frame/Layout.ts"
import { type Answer, firstOf, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import type { Key } from "./KeyApi.ts"
import * as Desk from "./KeyDesk.ts"

const { html } = InProcess

const list = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* tenantOf(visit)
  const showsAll = visit.query.get("revoked") === "yes"
  const keys = (yield* Desk.keys(path)).filter(({ revoked }) => showsAll || revoked === null)
  const here = `${visit.mount}${pathOf("keys", path)}`
  const answer: Answer = {
    title: "API keys",
    main: html`${alert(visit.query.get("notice") === "revoked" ? "The key is revoked. Servers refuse it." : undefined)}
<p class="fields"><a class="button main" href="${here}/new">Create a key…</a>
<a class="button" href="${here}${showsAll ? "" : "?revoked=yes"}">${showsAll ? "Hide" : "Show"} revoked keys</a></p>
${
  keys.length === 0
    ? html`<p>No keys found.</p>`
    : html`<div class="card scroll" tabindex="0" role="region" aria-label="API keys"><table>
<thead><tr><th scope="col">Key</th><th scope="col">Scopes</th><th scope="col">Networks</th><th scope="col">Source</th><th scope="col">Created</th><th scope="col">Expires</th><th scope="col">Last used</th><th scope="col">State</th></tr></thead>
<tbody>${keys.map((key) => row(here, key))}</tbody></table></div>`
}`
  }
  return answer
})

const row = (here: string, key: Key): Html => html`<tr>
<th scope="row">${key.name ?? "Unnamed"}<br><code class="soft">${key.id}</code></th>
<td>${scopesText(key)}</td><td>${key.networks?.join(", ") ?? "Any"}</td>
<td>${key.source === "configuration" ? "Configuration file" : "Operator"}</td>
<td>${time(key.created)}</td><td>${timeOr(key.expires, "Never")}</td><td>${timeOr(key.last_used, "Never")}</td>
<td>${
  key.revoked !== null
    ? html`<span class="status bad">Revoked</span> ${time(key.revoked)}`
    : key.source === "configuration"
      ? "Change it in the configuration file"
      : html`<a class="button" href="${here}/${key.id}/revoke">Revoke…</a>`
}</td></tr>`

const scopesText = ({ scopes }: Key): string => scopes?.join(", ") ?? "All"

const form = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* tenantOf(visit)
  const answer: Answer = formPage(visit, path, yield* Desk.draft(path))
  return answer
})

/** The value of the box for every scope. */
const everyScope = "all"

const formPage = (visit: Visit, path: TenantPath, draft: string, problem?: ConsoleError): Document => {
  const { form } = visit
  const ticked = form.getAll("scopes")
  const here = `${visit.mount}${pathOf("keys", path)}`
  const box = (value: string, text: string): Html =>
    html`<label class="choice"><input type="checkbox" name="scopes" value="${value}"${ticked.includes(value) ? html` checked` : undefined}>${text}</label>`
  return {
    status: problem === undefined ? 200 : consoleCodes[problem.error.code].status,
    title: "Create an API key",
    isSmall: true,
    main: html`${alert(problem?.error.message)}
<form method="post" action="${here}/new" class="card stack" data-once="yes">
<input type="hidden" name="draft" value="${draft}">
<div><label for="name">Name (optional)</label><input id="name" name="name" maxlength="120" autocomplete="off" value="${form.get("name") ?? ""}"></div>
<fieldset><legend>Scopes</legend>${box(everyScope, "All, also those that are added later")}${allScopes.map((scope) => box(scope, scope))}</fieldset>
<div><label for="expires">Expires (optional)</label><input id="expires" name="expires" type="date" value="${form.get("expires") ?? ""}" aria-describedby="expires-hint"><p id="expires-hint" class="soft">The key is refused from the beginning of this day in UTC.</p></div>
<div><label for="networks">Networks (optional)</label><input id="networks" name="networks" autocomplete="off" spellcheck="false" value="${form.get("networks") ?? ""}" aria-describedby="networks-hint"><p id="networks-hint" class="soft">IP addresses and CIDR ranges that requests may come from, separated by commas.</p></div>
<button class="main">Create the key</button>
<a class="button" href="${here}">Back</a>
</form>`
  }
}

const submit = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* tenantOf(visit)
  const draft = visit.form.get("draft") ?? ""
  const again = (problem: ConsoleError): Answer =>
    problem.error.code === "key_created" ? createdBefore(visit, path, problem) : formPage(visit, path, draft, problem)
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
    Effect.catch((problem: ConsoleError) => Effect.succeed(again(problem)))
  )
})

const createdPage = ({ mount }: Visit, path: TenantPath, key: Key, secret: string): Document => ({
  title: "The key was created",
  isSmall: true,
  main: html`<div class="card stack">
<p class="note">Copy the key now. It is shown only once: only its hash is stored.</p>
${secretView(secret)}
<dl><dt>Id</dt><dd>${key.id}</dd><dt>Scopes</dt><dd>${scopesText(key)}</dd><dt>Expires</dt><dd>${timeOr(key.expires, "Never")}</dd></dl>
<a class="button" href="${mount}${pathOf("keys", path)}">All keys</a>
</div>`
})

const createdBefore = ({ mount }: Visit, path: TenantPath, { error }: ConsoleError): Document => ({
  status: consoleCodes[error.code].status,
  title: "The key was created before",
  isSmall: true,
  main: html`${alert(error.message)}<p><a class="button" href="${mount}${pathOf("keys", path)}">All keys</a></p>`
})

const keyOf = (visit: Visit) =>
  Effect.map(tenantOf(visit), (tenant): Desk.KeyPath => ({ ...tenant, key: visit.params["key"] ?? "" }))

const confirm = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* keyOf(visit)
  const key = yield* Desk.key(path)
  const here = `${visit.mount}${pathOf("keys", path)}`
  const answer: Answer = {
    title: `Revoke ${key.name ?? key.id}`,
    isSmall: true,
    main: html`<form method="post" action="${here}/${key.id}/revoke" class="card stack">
<p>Servers refuse the key from their next request on. It cannot be undone.</p>
<dl><dt>Id</dt><dd>${key.id}</dd><dt>Scopes</dt><dd>${scopesText(key)}</dd><dt>Last used</dt><dd>${timeOr(key.last_used, "Never")}</dd></dl>
<button class="main">Revoke the key</button>
<a class="button" href="${here}">Back</a>
</form>`
  }
  return answer
})

const revoke = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* keyOf(visit)
  yield* Desk.revoke(path)
  const answer: Answer = { redirect: `${pathOf("keys", path)}?notice=revoked` }
  return answer
})

export const keyPages = [
  page("GET", "/keys", "signedIn", () => firstOf("keys")),
  page("GET", "/keys/:workspace/:environment", "key.manage", list),
  page("GET", "/keys/:workspace/:environment/new", "key.manage", form),
  page("POST", "/keys/:workspace/:environment/new", "key.manage", submit),
  page("GET", "/keys/:workspace/:environment/:key/revoke", "key.manage", confirm),
  page("POST", "/keys/:workspace/:environment/:key/revoke", "key.manage", revoke)
]
