/** Adding a webhook endpoint, whose secret its answer alone shows, and whether one is active. */
import { eventTypes } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, Redacted } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import { fileJson, fromEnvironment } from "../frame/FileJson.ts"
import { asTyped, field, formPage, hidden, isFormKey, newKey, secretPage } from "../frame/Forms.ts"
import { type Html, idView } from "../frame/Layout.ts"
import { type Answer, orShow, page, pathOf, recordOf, tenantOf, type Visit } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { takeOpenWorkspace } from "../gate/Configuring.ts"
import * as Desk from "./WebhookDesk.ts"

const { html } = InProcess

/** As the configuration file has it, without its secret. */
const fileOf = (form: URLSearchParams, { environment }: TenantPath) => ({
  environment,
  url: form.get("url")?.trim() ?? "",
  events: form.getAll("events")
})

/** The form has a key of its own, so that a reload and a double click show the same secret. */
const form = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const tenant = yield* tenantOf(visit)
  yield* takeOpenWorkspace(tenant)
  const key = visit.form.get("key")
  const file = fileOf(visit.form, tenant)
  const here = `${visit.mount}${pathOf("webhooks", tenant)}`
  const box = (value: string, text: string): Html =>
    html`<label class="choice"><input type="checkbox" name="events" value="${value}"${file.events.includes(value) ? html` checked` : undefined}>${text}</label>`
  return formPage({
    title: "Add a webhook endpoint",
    problem,
    action: `${here}/new/endpoint`,
    showsSecret: true,
    fields: html`${hidden("key", isFormKey(key) ? key : yield* newKey)}
<p>The server creates the signing secret and shows it once, on the next page.</p>
${field({ name: "url", label: "Address", value: file.url, attributes: html`type="url" required ${asTyped}` })}
<fieldset><legend>Events</legend>${box("*", "All, also those that are added later")}${eventTypes.map((type) => box(type, type))}</fieldset>
${fileJson(tenant, { webhooks: [{ ...file, secret: fromEnvironment("webhookSecret") }] })}`,
    button: "Add the endpoint",
    back: here
  })
})

const add = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const key = visit.form.get("key")
  if (!isFormKey(key)) return yield* Effect.fail(InProcess.validationErrorOf("`key` must be that of the form"))
  return yield* Effect.andThen(takeOpenWorkspace(tenant), Desk.add(tenant, fileOf(visit.form, tenant), key)).pipe(
    Effect.map(({ id, secret }): Answer => addedPage(visit, tenant, id, Redacted.value(secret))),
    Effect.catch(orShow((problem: ConsoleError) => form(visit, problem)))
  )
})

const addedPage = ({ mount }: Visit, tenant: TenantPath, id: string, secret: string): Answer =>
  secretPage({
    title: "The new endpoint",
    advice: "Copy the secret now. No other page shows it.",
    secret,
    more: html`<dl><dt>Endpoint</dt><dd>${idView(id)}</dd></dl>`,
    done: `${mount}${pathOf("webhooks", tenant, "endpoints", id)}`
  })

const activeForm = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const path = yield* recordOf(visit, "endpoint")
  yield* takeOpenWorkspace(path)
  const { url } = yield* Desk.endpoint(path)
  const { endpoint, seen } = yield* Desk.stored(path)
  const here = `${visit.mount}${pathOf("webhooks", path, "endpoints", path.endpoint)}`
  const verb = endpoint.active ? "Deactivate" : "Activate"
  const json = { environment: path.environment, url, events: endpoint.events, secret: fromEnvironment("webhookSecret") }
  return formPage({
    title: `${verb} the endpoint`,
    problem,
    action: `${here}/active`,
    fields: html`${hidden("seen", seen)}${hidden("active", endpoint.active ? "no" : "yes")}
<p>${endpoint.active ? `Nothing is sent to ${url} from then on.` : `Events are sent to ${url} from then on, and those that were given up meanwhile.`}</p>
${endpoint.active ? html`<p class="soft">A configuration file leaves the endpoint out.</p>` : fileJson(path, { webhooks: [json] })}`,
    button: `${verb} the endpoint`,
    back: here
  })
})

const setActive = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "endpoint")
  const edit = { seen: visit.form.get("seen") ?? "", active: visit.form.get("active") === "yes" }
  return yield* Desk.setActive(path, edit).pipe(
    Effect.as<Answer>({ redirect: pathOf("webhooks", path, "endpoints", path.endpoint) }),
    Effect.catch(orShow((problem: ConsoleError) => activeForm(visit, problem)))
  )
})

const at = "/webhooks/:workspace/:environment" as const

export const endpointFormPages = [
  page("GET", `${at}/new/endpoint`, "endpoint.manage", (visit) => form(visit)),
  page("POST", `${at}/new/endpoint`, "endpoint.manage", add),
  page("GET", `${at}/endpoints/:endpoint/active`, "endpoint.manage", (visit) => activeForm(visit)),
  page("POST", `${at}/endpoints/:endpoint/active`, "endpoint.manage", setActive)
]
