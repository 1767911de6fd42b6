/** Changing the routing: its JSON, what it would do, and then the change. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import { fileJson } from "../frame/FileJson.ts"
import { formPage, hidden } from "../frame/Forms.ts"
import { type Answer, orShow, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { takeOpenWorkspace } from "../gate/Configuring.ts"
import * as Desk from "./RoutingDesk.ts"
import { rulesView, settingsView } from "./RoutingPages.ts"

const { html } = InProcess

const form = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const tenant = yield* tenantOf(visit)
  yield* takeOpenWorkspace(tenant)
  const { seen, settings } = yield* Desk.stored(tenant)
  const here = `${visit.mount}${pathOf("routing", tenant)}`
  const text = visit.form.get("routing") ?? JSON.stringify(settings, null, 2)
  return formPage({
    title: "Change the routing",
    problem,
    isWide: true,
    action: `${here}/change`,
    fields: html`${hidden("seen", visit.form.get("seen") ?? seen)}
<div><label for="routing">Routing, as in the configuration file</label>
<textarea id="routing" name="routing" rows="24" required spellcheck="false" autocapitalize="none" aria-describedby="routing-hint">${text}</textarea>
<p id="routing-hint" class="soft">JSON. Nothing changes until you confirm on the next page.</p></div>`,
    button: "Check",
    back: here
  })
})

/** The first post shows what the routing would be, the second one changes it. A refusal is shown above the form. */
const submit = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const text = visit.form.get("routing") ?? ""
  const seen = visit.form.get("seen") ?? ""
  const next: Effect.Effect<Answer, ConsoleError, Effect.Services<ReturnType<typeof Desk.change>>> = visit.form.get(
    "confirmed"
  ) === "yes"
    ? Effect.as(Desk.change(tenant, text, seen), { redirect: `${pathOf("routing", tenant)}?notice=changed` })
    : Effect.map(Desk.proposed(tenant, text), (proposed) => confirmPage(visit, tenant, seen, proposed))
  return yield* Effect.catch(
    Effect.andThen(takeOpenWorkspace(tenant), next),
    orShow((problem: ConsoleError) => form(visit, problem))
  )
})

type Proposed = Effect.Success<ReturnType<typeof Desk.proposed>>

const confirmPage = ({ mount }: Visit, tenant: TenantPath, seen: string, { settings, view }: Proposed): Answer => {
  const here = `${mount}${pathOf("routing", tenant)}`
  return formPage({
    title: "The new routing",
    isWide: true,
    before: html`${settingsView(view)}${rulesView(view)}`,
    action: `${here}/change`,
    fields: html`${hidden("routing", JSON.stringify(settings))}${hidden("seen", seen)}${hidden("confirmed", "yes")}
<p>New payments follow the new routing. Payments under way keep the old one.</p>
${fileJson(tenant, { routing: { [tenant.environment]: settings } })}`,
    button: "Change the routing",
    back: `${here}/change`
  })
}

const at = "/routing/:workspace/:environment/change"

export const routingFormPages = [
  page("GET", at, "routing.manage", (visit) => form(visit)),
  page("POST", at, "routing.manage", submit)
]
