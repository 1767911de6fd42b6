/**
 * Adding a connection, replacing its credentials, and whether it is active.
 *
 * The page that asks for credentials is the answer to a form that took a recent sign-in: no page that asks for the password
 * again has to repeat them. No answer has a credential in it.
 */
import { type Connection as Core, paymentMethods } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, Redacted } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import { fileJson, fromEnvironment } from "../frame/FileJson.ts"
import { asTyped, field, formPage, hidden, select } from "../frame/Forms.ts"
import type { Html } from "../frame/Layout.ts"
import { type Answer, orShow, page, pathOf, recordOf, tenantOf, type Visit } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { takeOpenWorkspace } from "../gate/Configuring.ts"
import { takeRecentSignIn } from "../gate/RecentSignIn.ts"
import * as Desk from "./ConnectionDesk.ts"

const { html } = InProcess

type Connector = Effect.Success<ReturnType<typeof Desk.connectors>>[number]

const notRepeated: Html = html`<p class="soft">No page shows credentials: enter them again.</p>`

const choose = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const tenant = yield* tenantOf(visit)
  yield* takeOpenWorkspace(tenant)
  const here = `${visit.mount}${pathOf("connections", tenant)}`
  const choices = (yield* Desk.connectors(tenant)).map(({ name }) => [name, name] as const)
  return formPage({
    title: "Add a connection",
    problem,
    action: `${here}/new/connection`,
    fields: html`${problem === undefined ? undefined : notRepeated}
${select({ name: "connector", label: "Connector", choices, selected: visit.form.get("connector") ?? undefined })}`,
    button: "Continue",
    back: here
  })
})

/** The first post names the connector, the second one has its credentials. */
const add = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  yield* takeOpenWorkspace(tenant)
  const connector = (yield* Desk.connectors(tenant)).find(({ name }) => name === visit.form.get("connector"))
  if (connector === undefined)
    return yield* choose(visit, InProcess.validationErrorOf("`connector` must be of the list"))
  if (!visit.form.has("id")) {
    yield* takeRecentSignIn
    return addPage(visit, tenant, connector)
  }
  return yield* Desk.add(tenant, fileOf(visit.form, tenant, connector), secretsOf(visit.form, connector)).pipe(
    Effect.as<Answer>({ redirect: `${pathOf("connections", tenant)}?notice=added` }),
    Effect.catch((problem: ConsoleError) =>
      problem.error.code === "sign_in_again"
        ? choose(visit, problem)
        : Effect.succeed(addPage(visit, tenant, connector, problem))
    )
  )
})

const secretName = "webhookSecret"

/** A field that was left empty is left out. */
const secretsOf = (form: URLSearchParams, { credentials }: Connector): Desk.GivenSecrets => ({
  credentials: Object.fromEntries(
    Object.keys(credentials).flatMap((name) => {
      const text = form.get(`credentials.${name}`) ?? ""
      return text === "" ? [] : [[name, text]]
    })
  ),
  webhookSecret: form.get(secretName) || undefined
})

/** As the configuration file has it, without its secrets. */
const fileOf = (form: URLSearchParams, { environment }: TenantPath, { name }: Connector) => {
  const text = (field: string) => form.get(field)?.trim() ?? ""
  const list = (field: string) =>
    text(field)
      .split(",")
      .map((one) => one.trim().toUpperCase())
      .filter((one) => one !== "")
  const supports = {
    ...(list("currencies").length === 0 ? {} : { currencies: list("currencies") }),
    ...(list("payerCountries").length === 0 ? {} : { payerCountries: list("payerCountries") }),
    ...(form.has("methods") ? { methods: form.getAll("methods") } : {})
  }
  return {
    id: text("id"),
    ...(text("name") === "" ? {} : { name: text("name") }),
    environment,
    connector: name,
    ...(form.get("active") === "no" ? { active: false } : {}),
    priority: Number(text("priority") || 1),
    ...(Object.keys(supports).length === 0 ? {} : { supports })
  }
}

const masked = html`type="password" autocomplete="new-password" spellcheck="false"`

const secretFields = ({ credentials }: Connector): ReadonlyArray<Html> => [
  ...Object.entries(credentials).map(([name, expected]) =>
    field({ name: `credentials.${name}`, label: name, attributes: masked, hint: `Expected: ${expected}.` })
  ),
  field({
    name: secretName,
    label: "Webhook secret (optional)",
    attributes: masked,
    hint: "The provider signs its messages with it."
  })
]

const secretsInFile = ({ credentials }: Connector) => ({
  credentials: Object.fromEntries(Object.keys(credentials).map((name) => [name, fromEnvironment(name)])),
  webhookSecret: fromEnvironment(secretName)
})

const addPage = (visit: Visit, tenant: TenantPath, connector: Connector, problem?: ConsoleError): Answer => {
  const { form, mount } = visit
  const here = `${mount}${pathOf("connections", tenant)}`
  const typed = (name: string, label: string, hint?: string): Html =>
    field({ name, label, value: form.get(name) ?? "", attributes: asTyped, ...(hint === undefined ? {} : { hint }) })
  const file = fileOf(form, tenant, connector)
  return formPage({
    title: `Add a connection of ${connector.name}`,
    problem,
    action: `${here}/new/connection`,
    fields: html`${problem === undefined ? undefined : notRepeated}
${hidden("connector", connector.name)}
${typed("id", "Id", "1 to 64 letters, digits, dots, dashes and underscores. It never changes, and is unique in this installation.")}
${typed("name", "Name (optional)")}
${secretFields(connector)}
${typed("priority", "Priority (optional)", "1 is asked first.")}
${typed("currencies", "Currencies (optional)", "Such as EUR, USD. Any, if you leave it empty.")}
${typed("payerCountries", "Countries of customers (optional)", "Such as NL, DE. Any, if you leave it empty.")}
<fieldset><legend>Methods (all, if you choose none)</legend>${paymentMethods.map(
      (method) =>
        html`<label class="choice"><input type="checkbox" name="methods" value="${method}"${form.getAll("methods").includes(method) ? html` checked` : undefined}>${method}</label>`
    )}</fieldset>
${select({
  name: "active",
  label: "State",
  choices: [
    ["yes", "Active: it takes payments at once where the routing asks it"],
    ["no", "Inactive"]
  ],
  selected: form.get("active") ?? undefined
})}
${fileJson(tenant, { connections: [{ ...file, ...secretsInFile(connector) }] })}`,
    button: "Add the connection",
    back: here
  })
}

const credentials = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const path = yield* recordOf(visit, "connection")
  yield* takeOpenWorkspace(path)
  const { connection, seen } = yield* Desk.stored(path)
  const isAsked = visit.request.method === "POST" && problem?.error.code !== "sign_in_again"
  const connector = (yield* Desk.connectors(path)).find(({ name }) => name === connection.connector)
  const here = `${visit.mount}${pathOf("connections", path, connection.id)}`
  const fields =
    connector === undefined
      ? html`<p>The console does not know the credentials of this connector.</p>`
      : isAsked
        ? html`${hidden("seen", visit.form.get("seen") ?? seen)}${secretFields(connector)}
<p class="soft">Fields that you leave empty are left out, and an empty webhook secret stays as it is.</p>
${fileJson(path, { connections: [{ id: connection.id, ...secretsInFile(connector) }] })}`
        : html`<p>Enter all credentials anew on the next page. They have to be of the same account: another account needs another connection.</p>`
  return formPage({
    title: `Replace the credentials of ${connection.name}`,
    problem,
    action: `${here}/credentials`,
    fields: html`${problem === undefined ? undefined : notRepeated}${fields}`,
    button: isAsked ? "Replace the credentials" : "Continue",
    back: here
  })
})

/** The first post takes the sign-in, the second one has the credentials. */
const replace = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "connection")
  const { connection } = yield* Desk.stored(path)
  const connector = (yield* Desk.connectors(path)).find(({ name }) => name === connection.connector)
  const seen = visit.form.get("seen")
  if (seen === null || connector === undefined) {
    yield* takeRecentSignIn
    return yield* credentials(visit)
  }
  const { credentials: given, webhookSecret } = secretsOf(visit.form, connector)
  const edit = {
    seen,
    credentials: Redacted.make(given),
    ...(webhookSecret === undefined ? {} : { webhookSecret: Redacted.make(webhookSecret) })
  }
  return yield* Desk.change(path, edit).pipe(
    Effect.as<Answer>({ redirect: `${pathOf("connections", path)}?notice=replaced` }),
    Effect.catch((problem: ConsoleError) => credentials(visit, problem))
  )
})

const activeForm = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const path = yield* recordOf(visit, "connection")
  yield* takeOpenWorkspace(path)
  const { connection, seen } = yield* Desk.stored(path)
  const here = `${visit.mount}${pathOf("connections", path, connection.id)}`
  return formPage({
    title: `${verbOf(connection)} ${connection.name}`,
    problem,
    action: `${here}/active`,
    fields: html`${hidden("seen", seen)}${hidden("active", connection.active ? "no" : "yes")}
<p>${connection.active ? "It receives no new payments from then on, and serves its existing ones." : "It takes new payments from then on, where the routing asks it."}</p>
${fileJson(path, { connections: [{ id: connection.id, active: !connection.active }] })}`,
    button: `${verbOf(connection)} the connection`,
    back: here
  })
})

export const verbOf = ({ active }: Pick<Core, "active">): string => (active ? "Deactivate" : "Activate")

const setActive = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "connection")
  const edit = { seen: visit.form.get("seen") ?? "", active: visit.form.get("active") === "yes" }
  return yield* Desk.change(path, edit).pipe(
    Effect.as<Answer>({ redirect: `${pathOf("connections", path)}?notice=changed` }),
    Effect.catch(orShow((problem: ConsoleError) => activeForm(visit, problem)))
  )
})

const at = "/connections/:workspace/:environment" as const

export const connectionFormPages = [
  page("GET", `${at}/new/connection`, "connection.manage", (visit) => choose(visit)),
  page("POST", `${at}/new/connection`, "connection.manage", add),
  page("GET", `${at}/:connection/credentials`, "connection.manage", (visit) => credentials(visit)),
  page("POST", `${at}/:connection/credentials`, "connection.manage", replace),
  page("GET", `${at}/:connection/active`, "connection.manage", (visit) => activeForm(visit)),
  page("POST", `${at}/:connection/active`, "connection.manage", setActive)
]
