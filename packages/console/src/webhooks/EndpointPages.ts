/**
 * One endpoint, and the rotation of its secret.
 *
 * The new secret belongs to the key in the form's address: a reload, a double click and a second tab get the same secret.
 * The page that shows it is the answer to the form and not a page of its own, so that no address leads to a secret.
 */
import { mayAct } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type ConsoleError, failure } from "../api/Errors.ts"
import { ownerText } from "../frame/FileJson.ts"
import { formPage, hidden, isFormKey, newKey, secretPage, select } from "../frame/Forms.ts"
import { type Document, idView, time } from "../frame/Layout.ts"
import { type Answer, page, pathOf, recordOf, type Visit } from "../frame/Page.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { ownerOf } from "../gate/Configuring.ts"
import * as Desk from "./WebhookDesk.ts"
import { eventsText, secretText } from "./WebhookPages.ts"
import type { Endpoint, RotatedSecret } from "./WebhookRecords.ts"

const { html } = InProcess

const pathTo = (path: Desk.EndpointPath): string => pathOf("webhooks", path, "endpoints", path.endpoint)

const show = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "endpoint")
  const { operator } = yield* CurrentOperator
  const { isInFile, isOffered } = yield* ownerOf(path, "endpoint.manage")
  const endpoint = yield* Desk.endpoint(path)
  const list = `${visit.mount}${pathOf("webhooks", path)}`
  const deliveries = new URLSearchParams({ endpoint: endpoint.id })
  return {
    title: "Webhook endpoint",
    main: html`<div class="card">
<dl>
<dt>Address</dt><dd>${endpoint.url}</dd>
<dt>Endpoint</dt><dd>${idView(endpoint.id)}</dd>
<dt>Events</dt><dd>${eventsText(endpoint)}</dd>
<dt>State</dt><dd>${endpoint.active ? "Active" : "Inactive"}</dd>
<dt>Secret</dt><dd>${secretText(endpoint)}</dd>
</dl>
${
  endpoint.active && mayAct(operator, "endpoint.manage", path.workspace)
    ? html`<p><a class="button" href="${visit.mount}${pathTo(path)}/secret">Rotate the secret…</a></p>`
    : undefined
}
${isOffered ? html`<p><a class="button" href="${visit.mount}${pathTo(path)}/active">${endpoint.active ? "Deactivate…" : "Activate…"}</a></p>` : undefined}
</div>
<p class="soft">${ownerText(isInFile)}</p>
<p><a href="${list}?${deliveries.toString()}">Deliveries to this endpoint</a></p>
<p><a href="${list}">All webhooks</a></p>`
  } satisfies Answer
})

/** By seconds. */
const overlaps = [
  ["3600", "1 hour"],
  ["86400", "24 hours"],
  ["604800", "7 days"],
  ["0", "None: the present secret has leaked"]
] as const
const usualOverlap = "86400"

/** In the form's address for a secret that was never rotated. */
const never = "never"

const form = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "endpoint")
  const endpoint = yield* Desk.endpoint(path)
  const key = visit.query.get("key")
  const seen = visit.query.get("seen")
  if (!isFormKey(key) || seen === null) {
    const asked = new URLSearchParams({ key: yield* newKey, seen: endpoint.secret_rotated ?? never })
    return { redirect: `${pathTo(path)}/secret?${asked.toString()}` } satisfies Answer
  }
  return rotationPage(visit, path, endpoint, { key, seen })
})

const rotationPage = (
  visit: Visit,
  path: Desk.EndpointPath,
  endpoint: Endpoint,
  { key, seen }: { readonly key: string; readonly seen: string },
  problem?: ConsoleError
): Document => {
  const here = `${visit.mount}${pathTo(path)}`
  return formPage({
    title: "Rotate the secret",
    problem,
    action: `${here}/secret`,
    fields: html`<p>The server makes a new secret for ${endpoint.url} and shows it on the next page only. Have access to the receiver before you continue.</p>
${
  endpoint.previous_secret === null
    ? undefined
    : html`<p class="note">Two secrets sign at present. The older one stops at once.</p>`
}
<p>A configuration that still names the present secret does not bring it back. Enter the new one there when you change it next: a configuration with any other secret replaces the new one.</p>
${hidden("key", key)}${hidden("seen", seen)}
${select({ name: "overlap", label: "The present secret signs too, for", choices: overlaps, selected: visit.form.get("overlap") ?? usualOverlap })}`,
    button: "Rotate the secret",
    back: here
  })
}

const submit = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "endpoint")
  const endpoint = yield* Desk.endpoint(path)
  const key = visit.form.get("key") ?? ""
  const seen = visit.form.get("seen") ?? ""
  const overlap = overlaps.find(([seconds]) => seconds === visit.form.get("overlap"))
  if (!isFormKey(key) || seen === "") {
    return yield* Effect.fail(failure("validation_error", "`key` and `seen` must be those of the form."))
  }
  if (overlap === undefined) {
    const choices = overlaps.map(([seconds]) => seconds).join(", ")
    return yield* Effect.fail(failure("validation_error", `\`overlap\` must be one of ${choices} (seconds).`))
  }
  const order = { overlapSeconds: Number(overlap[0]), idempotencyKey: key, seen: seen === never ? null : seen }
  return yield* Desk.rotateSecret(path, order).pipe(
    Effect.map((rotated): Answer => rotatedPage(visit, path, rotated)),
    Effect.catch((problem: ConsoleError) =>
      Effect.succeed<Answer>(rotationPage(visit, path, endpoint, { key, seen }, problem))
    )
  )
})

const rotatedPage = (visit: Visit, path: Desk.EndpointPath, { endpoint, secret }: RotatedSecret): Document =>
  secretPage({
    title: "The new secret",
    advice: "Copy the secret now. No other page shows it.",
    secret,
    more:
      endpoint.previous_secret?.until == null
        ? html`<p>The new secret alone signs from now on.</p>`
        : html`<p>Both secrets sign until ${time(endpoint.previous_secret.until)}. Switch the receiver to the new one before then.</p>`,
    done: `${visit.mount}${pathTo(path)}`
  })

const at = "/webhooks/:workspace/:environment/endpoints/:endpoint" as const

export const endpointPages = [
  page("GET", at, "payment.read", show),
  page("GET", `${at}/secret`, "endpoint.manage", form),
  page("POST", `${at}/secret`, "endpoint.manage", submit)
]
