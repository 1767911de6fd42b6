/** Partners, their merchants, and usage. */
import { InProcess } from "@pointsman/http"
import { Effect, Result } from "effect"
import { formPage, periodFields, periodIn, secretPage, select } from "../frame/Forms.ts"
import { type Html, idView, time } from "../frame/Layout.ts"
import { nextPage, pageSize, queryText, queryWithout } from "../frame/Lists.ts"
import { type Answer, page, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { directoryContents } from "../gate/Caller.ts"
import * as Desk from "./PartnerDesk.ts"

const { html } = InProcess

const periodOf = Effect.fnUntraced(function* ({ query }: Visit) {
  const { faults, period } = periodIn(query)
  if (faults.length > 0) return yield* Effect.fail(InProcess.validationErrorOf(...faults))
  return yield* Desk.periodOf(period)
})

const isoTime = (millis: number): Html => time(InProcess.timeView(millis))

const meaning = ({ from, until }: Desk.Period): Html =>
  html`<p class="soft">Usage counts the production payments that were created from ${isoTime(from)} until ${isoTime(until)} and reached a provider, regardless of the result.</p>`

/** What the form of the period asks for. The form stays where the period is wrong. */
const countPage = Effect.fnUntraced(function* <E, R>(
  visit: Visit,
  title: string,
  form: Html,
  counted: (period: Desk.Period) => Effect.Effect<Html, E, R>
) {
  const period = yield* Effect.result(periodOf(visit))
  const answer: Answer = Result.isFailure(period)
    ? { title, problem: period.failure, main: form }
    : { title, main: html`${form}${meaning(period.success)}${yield* counted(period.success)}` }
  return answer
})

const list = Effect.fnUntraced(function* (visit: Visit) {
  const { mount, query } = visit
  const { workspaces } = yield* directoryContents
  const asked = query.get("workspace") ?? ""
  const form = html`<form action="${mount}/partners" class="card fields">${periodFields(query)}
${select({
  name: "workspace",
  label: "Usage of",
  choices: [["", "Partners only"], ...workspaces.map(({ id, name }) => [id, name] as const)],
  selected: asked
})}
<button>Count</button>
</form>`
  return yield* countPage(
    visit,
    "Partners",
    form,
    Effect.fnUntraced(function* (period) {
      const partners = yield* Desk.partners(period)
      const usage = asked === "" ? undefined : yield* Desk.usage(asked, period)
      return html`${usage === undefined ? undefined : html`<p class="card"><strong>${usage.workspace_id}</strong>: ${usage.payments} payments</p>`}
${table({
  label: "Partners",
  columns: ["Partner", { numbers: "Merchants" }, { numbers: "Allowance" }, { numbers: "Payments" }],
  none: "No partners found. The configuration file names them.",
  rows: partners.map(
    ({ allowance, merchants, name, usage, workspace_id }) =>
      html`<tr><th scope="row"><a href="${mount}${partnerPath(workspace_id)}${keptPeriod(visit)}">${name}</a></th>
<td class="number">${merchants === Desk.merchantsCounted ? `${merchants} or more` : merchants}</td><td class="number">${allowance}</td><td class="number">${usage.payments}</td></tr>`
  )
})}`
    })
  )
})

const partnerPath = (id: string): string => `/partners/${encodeURIComponent(id)}`

const keptPeriod = ({ query }: Visit): string => queryText(queryWithout(query, "workspace", "before"))

const show = Effect.fnUntraced(function* (visit: Visit) {
  const { mount, params, query } = visit
  const { id, name, partner } = yield* Desk.partner(params["partner"] ?? "")
  const here = `${mount}${partnerPath(id)}`
  const form = html`<form action="${here}" class="card fields">${periodFields(query)}<button>Count</button></form>`
  return yield* countPage(
    visit,
    name,
    form,
    Effect.fnUntraced(function* (period) {
      const before = query.get("before") ?? undefined
      const { data, next_cursor } = yield* Desk.merchants(id, { before, limit: pageSize }, period)
      return html`<p>The partner may have ${partner.allowance} merchants.</p>
${table({
  label: "Merchants",
  columns: ["Merchant", "State", "Owner", "Added", { numbers: "Payments" }, "Action"],
  none: "No merchants found.",
  rows: data.map(
    (merchant) => html`<tr><th scope="row">${merchant.name}<br><span class="soft">${idView(merchant.id)}</span></th>
<td class="word">${merchant.status}</td><td>${merchant.email}</td><td>${time(merchant.created)}</td><td class="number">${merchant.usage.payments}</td>
<td><a class="button" href="${here}/${merchant.id}/invite">Invite again…</a></td></tr>`
  )
})}
<p class="fields">${nextPage({ here, query, by: "before", cursor: next_cursor, text: "Older merchants" })}</p>
<p><a href="${mount}/partners${keptPeriod(visit)}">All partners</a></p>`
    })
  )
})

const confirm = Effect.fnUntraced(function* ({ mount, params }: Visit) {
  const { id, name } = yield* Desk.partner(params["partner"] ?? "")
  const merchant = params["merchant"] ?? ""
  const here = `${mount}${partnerPath(id)}`
  return formPage({
    title: "Invite a merchant again",
    action: `${here}/${encodeURIComponent(merchant)}/invite`,
    showsSecret: true,
    fields: html`<p>The owner of ${merchant}, a merchant of ${name}, needs the new token. The token before becomes invalid.</p>`,
    button: "Create a token",
    back: here
  })
})

/** A repeated request makes another token, and shows that one. */
const invite = Effect.fnUntraced(function* ({ mount, params }: Visit) {
  const partner = params["partner"] ?? ""
  const { email, invitation_token, merchant_id } = yield* Desk.invite(partner, params["merchant"] ?? "")
  return secretPage({
    title: "Invitation token",
    advice: `Send the token to ${email} now. It is shown only once: only its hash is stored.`,
    secret: invitation_token,
    more: html`<p>It invites the owner of ${merchant_id}.</p>`,
    done: `${mount}${partnerPath(partner)}`
  })
})

export const partnerPages = [
  page("GET", "/partners", "usage.read", list),
  page("GET", "/partners/:partner", "usage.read", show),
  page("GET", "/partners/:partner/:merchant/invite", "merchant.invite", confirm),
  page("POST", "/partners/:partner/:merchant/invite", "merchant.invite", invite)
]
