/** The list of providers' messages, one of them, and applying it again. */
import type { MessageFile } from "@pointsman/core"
import { messageOutcomes } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type ConsoleError, consoleCodes } from "../api/Errors.ts"
import { alert, type Document, time } from "../frame/Layout.ts"
import { type Answer, firstOf, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import * as Desk from "./MessageDesk.ts"
import { messagePath, messageTable } from "./MessageTable.ts"
import { aboutText, bodyText, outcomeNames, outcomeTexts } from "./MessageWords.ts"

const { html, timeView } = InProcess

const pageSize = 50

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const outcome = messageOutcomes.find((one) => one === visit.query.get("outcome"))
  const before = visit.query.get("before") ?? undefined
  const { items, next } = yield* Desk.messages(tenant, { outcome, before, limit: pageSize })
  const here = `${visit.mount}${pathOf("messages", tenant)}`
  const older = new URLSearchParams({ ...(outcome === undefined ? {} : { outcome }), before: next ?? "" })
  const answer: Answer = {
    title: "Messages",
    isLive: before === undefined,
    main: html`<form action="${here}" class="card fields">
<div><label for="outcome">Result</label><select id="outcome" name="outcome"><option value="">All</option>${messageOutcomes.map(
      (one) =>
        html`<option value="${one}"${one === outcome ? html` selected` : undefined}>${outcomeNames[one]}</option>`
    )}</select></div>
<button>Show</button>
</form>
${items.length === 0 ? html`<p class="card">No messages found.</p>` : messageTable(visit.mount, tenant, items)}
${next === null ? undefined : html`<p><a class="button" href="${here}?${older.toString()}">Older messages</a></p>`}`
  }
  return answer
})

const keyIn = (texts: URLSearchParams): Desk.MessageKey => ({
  connection: texts.get("connection") ?? "",
  id: texts.get("id") ?? ""
})

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const answer: Answer = messagePage(visit, tenant, yield* Desk.message(tenant, keyIn(visit.query)))
  return answer
})

const messagePage = (visit: Visit, tenant: TenantPath, message: MessageFile, problem?: ConsoleError): Document => {
  const { body, connectionId, disputeId, eventId, outcome, paymentId, reason, receivedAt, subjectId, writtenAt } =
    message
  return {
    status: problem === undefined ? 200 : consoleCodes[problem.error.code].status,
    title: `Message from ${connectionId}`,
    main: html`${alert(problem?.error.message ?? (visit.query.get("notice") === "decided" ? "It was decided again." : undefined))}
<div class="card">
<p><strong>${outcomeNames[outcome]}.</strong> ${outcomeTexts[outcome]}${reason === null ? undefined : ` (${reason})`}</p>
<dl>
<dt>Message</dt><dd>${eventId}</dd>
<dt>Connection</dt><dd>${connectionId}</dd>
<dt>About</dt><dd>${aboutText(message)}${disputeId === null ? undefined : `, ${disputeId}`}</dd>
<dt>Names</dt><dd>${subjectId === "" ? "–" : subjectId}</dd>
<dt>Payment</dt><dd>${
      paymentId === null ? "–" : html`<a href="${visit.mount}${pathOf("payments", tenant, paymentId)}">${paymentId}</a>`
    }</dd>
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
  }
}

const applyForm = (visit: Visit, tenant: TenantPath, { connectionId, eventId, paymentId }: MessageFile) =>
  html`<form method="post" action="${visit.mount}${pathOf("messages", tenant, "message")}" class="card">
<p>Apply reads the message again and decides it again on ${
    paymentId === null ? "the payment that it names, if that is stored now" : `payment ${paymentId}`
  }. It was verified when it arrived, and the provider is not asked.</p>
<input type="hidden" name="connection" value="${connectionId}"><input type="hidden" name="id" value="${eventId}">
<button class="main">Apply</button>
</form>`

const submit = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const key = keyIn(visit.form)
  return yield* Desk.apply(tenant, key).pipe(
    Effect.as<Answer>({ redirect: `${messagePath(tenant, key)}&notice=decided` }),
    Effect.catch((problem: ConsoleError) =>
      problem.error.code === "message_not_applicable"
        ? Effect.map(Desk.message(tenant, key), (message): Answer => messagePage(visit, tenant, message, problem))
        : Effect.fail(problem)
    )
  )
})

const at = "/messages/:workspace/:environment/message"

export const messagePages = [
  page("GET", "/messages", "signedIn", () => firstOf("messages")),
  page("GET", "/messages/:workspace/:environment", "message.apply", list),
  page("GET", at, "message.apply", show),
  page("POST", at, "message.apply", submit)
]
