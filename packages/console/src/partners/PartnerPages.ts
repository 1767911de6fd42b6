/** Partners, their merchants, and usage. */
import { Directory } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { internalError } from "../Failures.ts"
import { momentIn, secretView } from "../frame/Forms.ts"
import { type Html, time } from "../frame/Layout.ts"
import { type Answer, page, type Visit } from "../frame/Page.ts"
import * as Desk from "./PartnerDesk.ts"

const { html } = InProcess

const periodIn = Effect.fnUntraced(function* ({ query }: Visit) {
  const from = momentIn(query, "from")
  const until = momentIn(query, "until")
  const faults = [from.fault, until.fault].filter((fault) => fault !== undefined)
  if (faults.length > 0) return yield* Effect.fail(InProcess.validationErrorOf(...faults))
  return yield* Desk.periodOf({ from: from.at, until: until.at })
})

/** The fields of a period. It is in the address of the page. */
const periodFields = ({ query }: Visit): Html => html`
<div><label for="from">From</label><input id="from" name="from" type="date" value="${query.get("from") ?? ""}"></div>
<div><label for="until">Before</label><input id="until" name="until" type="date" value="${query.get("until") ?? ""}"></div>`

const isoTime = (millis: number): Html => time(InProcess.timeView(millis))

const meaning = ({ from, until }: Desk.Period): Html =>
  html`<p class="soft">Usage counts the production payments that were created from ${isoTime(from)} until ${isoTime(until)} and reached a provider, regardless of the result.</p>`

const list = Effect.fnUntraced(function* (visit: Visit) {
  const { mount, query } = visit
  const period = yield* periodIn(visit)
  const partners = yield* Desk.partners(period)
  const { workspaces } = yield* Effect.catch((yield* Directory).contents, internalError)
  const asked = query.get("workspace") ?? ""
  const usage = asked === "" ? undefined : yield* Desk.usage(asked, period)
  const kept = keptPeriod(visit)
  const answer: Answer = {
    title: "Partners and usage",
    main: html`<form action="${mount}/partners" class="card fields">${periodFields(visit)}
<div><label for="workspace">Usage of</label><select id="workspace" name="workspace"><option value="">Partners only</option>${workspaces.map(
      ({ id, name }) => html`<option value="${id}"${id === asked ? html` selected` : undefined}>${name}</option>`
    )}</select></div>
<button>Count</button>
</form>
${meaning(period)}
${usage === undefined ? undefined : html`<p class="card"><strong>${usage.workspace_id}</strong>: ${usage.payments} payments</p>`}
${
  partners.length === 0
    ? html`<p>No partners found. The configuration file names them.</p>`
    : html`<div class="card scroll" tabindex="0" role="region" aria-label="Partners"><table>
<thead><tr><th scope="col">Partner</th><th scope="col" class="number">Merchants</th><th scope="col" class="number">Allowance</th><th scope="col" class="number">Payments</th></tr></thead>
<tbody>${partners.map(
        ({ allowance, merchants, name, usage, workspace_id }) =>
          html`<tr><th scope="row"><a href="${mount}${partnerPath(workspace_id)}${kept}">${name}</a></th>
<td class="number">${merchants === Desk.merchantsCounted ? `${merchants} or more` : merchants}</td><td class="number">${allowance}</td><td class="number">${usage.payments}</td></tr>`
      )}</tbody></table></div>`
}`
  }
  return answer
})

const partnerPath = (id: string): string => `/partners/${encodeURIComponent(id)}`

const keptPeriod = ({ query }: Visit): string => {
  const kept = new URLSearchParams(
    [...query].filter(([name, value]) => ["from", "until"].includes(name) && value !== "")
  )
  return kept.size === 0 ? "" : `?${kept}`
}

const pageSize = 50

const show = Effect.fnUntraced(function* (visit: Visit) {
  const { mount, params, query } = visit
  const period = yield* periodIn(visit)
  const { id, name, partner } = yield* Desk.partner(params["partner"] ?? "")
  const before = query.get("before") ?? undefined
  const { data, next_cursor } = yield* Desk.merchants(id, { before, limit: pageSize }, period)
  const here = `${mount}${partnerPath(id)}`
  const older = new URLSearchParams([...query].filter(([one]) => one !== "before"))
  older.set("before", next_cursor ?? "")
  const answer: Answer = {
    title: name,
    main: html`<form action="${here}" class="card fields">${periodFields(visit)}<button>Count</button></form>
${meaning(period)}
<p>The partner may have ${partner.allowance} merchants.</p>
${
  data.length === 0
    ? html`<p>No merchants found.</p>`
    : html`<div class="card scroll" tabindex="0" role="region" aria-label="Merchants"><table>
<thead><tr><th scope="col">Merchant</th><th scope="col">Owner</th><th scope="col">State</th><th scope="col">Added</th><th scope="col" class="number">Payments</th><th scope="col">Invitation</th></tr></thead>
<tbody>${data.map(
        (merchant) => html`<tr><th scope="row">${merchant.name}<br><span class="soft">${merchant.id}</span></th>
<td>${merchant.email}</td><td>${merchant.status}</td><td>${time(merchant.created)}</td><td class="number">${merchant.usage.payments}</td>
<td><a class="button" href="${here}/${merchant.id}/invite">Invite again…</a></td></tr>`
      )}</tbody></table></div>`
}
${next_cursor === null ? undefined : html`<p><a class="button" href="${here}?${older.toString()}">Older merchants</a></p>`}
<p><a href="${mount}/partners${keptPeriod(visit)}">All partners</a></p>`
  }
  return answer
})

const confirm = Effect.fnUntraced(function* ({ mount, params }: Visit) {
  const { id, name } = yield* Desk.partner(params["partner"] ?? "")
  const merchant = params["merchant"] ?? ""
  const here = `${mount}${partnerPath(id)}`
  const answer: Answer = {
    title: "Invite a merchant again",
    isSmall: true,
    main: html`<form method="post" action="${here}/${encodeURIComponent(merchant)}/invite" class="card stack" data-once="yes">
<p>The owner of ${merchant}, a merchant of ${name}, needs the new token. The token before becomes invalid.</p>
<button class="main">Create a token</button>
<a class="button" href="${here}">Back</a>
</form>`
  }
  return answer
})

/** A repeated request makes another token, and shows that one. */
const invite = Effect.fnUntraced(function* ({ mount, params }: Visit) {
  const partner = params["partner"] ?? ""
  const { email, invitation_token, merchant_id } = yield* Desk.invite(partner, params["merchant"] ?? "")
  const answer: Answer = {
    title: "Invitation token",
    isSmall: true,
    main: html`<div class="card stack">
<p class="note">Send the token to ${email} now. It is shown only once: only its hash is stored.</p>
${secretView(invitation_token)}
<p>It invites the owner of ${merchant_id}.</p>
<a class="button" href="${mount}${partnerPath(partner)}">The partner</a>
</div>`
  }
  return answer
})

export const partnerPages = [
  page("GET", "/partners", "usage.read", list),
  page("GET", "/partners/:partner", "usage.read", show),
  page("GET", "/partners/:partner/:merchant/invite", "merchant.invite", confirm),
  page("POST", "/partners/:partner/:merchant/invite", "merchant.invite", invite)
]
