/** The list of providers' messages, one of them, and applying it again. */
import type { MessageFile } from "@pointsman/core"
import { messageOutcomes } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import { all, hidden, select } from "../frame/Forms.ts"
import { type Document, type Html, idView, time } from "../frame/Layout.ts"
import { nextPage, pageSize } from "../frame/Lists.ts"
import { type Answer, noticeIn, page, pathOf, recordLinks, tenantOf, type Visit } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import * as Desk from "./MessageDesk.ts"
import { messagePath, messageTable } from "./MessageTable.ts"
import { aboutText, bodyText, outcomeNames, outcomeTexts } from "./MessageWords.ts"

const { html, timeView } = InProcess

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const outcome = messageOutcomes.find((one) => one === visit.query.get("outcome"))
  const before = visit.query.get("before") ?? undefined
  const { items, next } = yield* Desk.messages(tenant, { outcome, before, limit: pageSize })
  const here = `${visit.mount}${pathOf("messages", tenant)}`
  const query = new URLSearchParams(outcome === undefined ? {} : { outcome })
  return {
    title: "Messages",
    isLive: before === undefined,
    main: html`<form action="${here}" class="card fields" role="search">
${select({
  name: "outcome",
  label: "Result",
  choices: [all, ...messageOutcomes.map((one) => [one, outcomeNames[one]] as const)],
  selected: outcome
})}
<button>Find</button>
</form>
${messageTable(visit.mount, tenant, items, yield* Clock.currentTimeMillis)}
<p class="fields">${nextPage({ here, query, by: "before", cursor: next, text: "Older messages" })}</p>`
  } satisfies Answer
})

const keyIn = (texts: URLSearchParams): Desk.MessageKey => ({
  connection: texts.get("connection") ?? "",
  id: texts.get("id") ?? ""
})

const notices = { decided: "It was decided again." } as const

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  return yield* messagePage(visit, tenant, yield* Desk.message(tenant, keyIn(visit.query)))
})

const messagePage = Effect.fnUntraced(function* (
  visit: Visit,
  tenant: TenantPath,
  message: MessageFile,
  problem?: ConsoleError
) {
  const link = yield* recordLinks(visit, tenant)
  const { body, connectionId, disputeId, eventId, outcome, paymentId, reason, receivedAt, subjectId, writtenAt } =
    message
  return {
    title: `Message from ${connectionId}`,
    problem,
    notice: noticeIn(visit, notices),
    main: html`<div class="card">
<p><strong>${outcomeNames[outcome]}.</strong> ${outcomeTexts[outcome]}${reason === null ? undefined : ` (${reason})`}</p>
<dl>
<dt>Message</dt><dd>${idView(eventId)}</dd>
<dt>Connection</dt><dd>${link("connections", idView(connectionId), connectionId)}</dd>
<dt>About</dt><dd>${aboutText(message)}${disputeId === null ? undefined : html`, ${idView(disputeId)}`}</dd>
<dt>Names</dt><dd>${idView(subjectId === "" ? null : subjectId)}</dd>
<dt>Payment</dt><dd>${paymentId === null ? "–" : link("payments", idView(paymentId), paymentId)}</dd>
<dt>Written</dt><dd>${time(timeView(writtenAt))}</dd>
<dt>Received</dt><dd>${time(timeView(receivedAt))}</dd>
</dl>
</div>
${outcome === "applied" ? undefined : applyForm(visit, tenant, message)}
<h2>Body</h2>
${
  body === ""
    ? html`<p class="card">It was erased with the personal data of the payment.</p>`
    : html`<pre class="card" dir="ltr">${bodyText(body)}</pre>`
}
<p><a href="${visit.mount}${pathOf("messages", tenant)}">All messages</a></p>`
  } satisfies Document
})

const applyForm = (visit: Visit, tenant: TenantPath, { connectionId, eventId, paymentId }: MessageFile): Html =>
  html`<form method="post" action="${visit.mount}${pathOf("messages", tenant, "message")}" class="card">
<p>Apply reads the message again and decides it again on ${
    paymentId === null ? "the payment that it names, if that is stored now" : `payment ${paymentId}`
  }. It was verified when it arrived, and the provider is not asked.</p>
${hidden("connection", connectionId)}${hidden("id", eventId)}
<button class="main">Apply</button>
</form>`

const submit = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const key = keyIn(visit.form)
  return yield* Desk.apply(tenant, key).pipe(
    Effect.as<Answer>({ redirect: `${messagePath(tenant, key)}&notice=decided` }),
    Effect.catchIf(
      (problem: ConsoleError) => problem.error.code === "message_not_applicable",
      (problem) => Effect.flatMap(Desk.message(tenant, key), (message) => messagePage(visit, tenant, message, problem))
    )
  )
})

const at = "/messages/:workspace/:environment/message"

export const messagePages = [
  page("GET", "/messages/:workspace/:environment", "message.apply", list),
  page("GET", at, "message.apply", show),
  page("POST", at, "message.apply", submit)
]
