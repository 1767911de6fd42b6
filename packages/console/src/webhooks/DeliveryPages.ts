/** One delivery, and sending it again. */
import { mayAct, type Operator } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type ConsoleError, failure } from "../api/Errors.ts"
import { type Html, idView, time, timeOr } from "../frame/Layout.ts"
import { type Answer, noticeIn, page, pathOf, recordOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { stateView } from "./DeliveryTable.ts"
import * as Desk from "./WebhookDesk.ts"
import type { Delivery, DeliveryAttempt, FailureName } from "./WebhookRecords.ts"

const { html } = InProcess

const failureTexts: Readonly<Record<FailureName, string>> = {
  timed_out: "No response in time",
  no_connection: "No connection; nothing was sent",
  address_refused: "The address is not allowed; nothing was sent",
  no_answer: "The connection ended without a response",
  endpoint_withdrawn: "The endpoint was not active; nothing was sent",
  secret_unreadable: "The endpoint’s secret cannot be decrypted; nothing was sent"
}

const notices = {
  scheduled: "Scheduled. A running server sends it within a second, and this page shows the result.",
  already: "It was not sent again: it is on its way, or was sent again since."
} as const

const pathTo = (path: Desk.DeliveryPath): string => pathOf("webhooks", path, "deliveries", path.delivery)

const show = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "delivery")
  const { operator } = yield* CurrentOperator
  const { file, isActive } = yield* Desk.deliveryFile(path)
  const { attempts, body, delivery } = file
  const list = `${visit.mount}${pathOf("webhooks", path)}`
  return {
    title: `Webhook ${delivery.event_type}`,
    isLive: true,
    notice: noticeIn(visit, notices),
    main: html`<div class="card">
<p>${stateView(delivery.state)} · ${path.environment} · ${time(delivery.created)}</p>
<dl>
<dt>Delivery</dt><dd>${idView(delivery.id)}</dd>
<dt>Event</dt><dd>${idView(delivery.event_id)}</dd>
<dt>Payment</dt><dd><a href="${visit.mount}${pathOf("payments", path, delivery.payment_id)}">${idView(delivery.payment_id)}</a></dd>
<dt>Endpoint</dt><dd><a href="${list}/endpoints/${delivery.endpoint_id}">${delivery.url ?? delivery.endpoint_id}</a></dd>
<dt>Next attempt</dt><dd>${timeOr(delivery.next_attempt, "–")}</dd>
</dl>
${sendAgain(operator, path, delivery, isActive, visit.mount)}
</div>
<h2>Attempts</h2>
${attemptsTable(attempts)}
<h2>Body</h2>
<div class="card"><p class="soft">The body of the request, which is sent in one line.</p><pre>${JSON.stringify(JSON.parse(body), null, 2)}</pre></div>
<p><a href="${list}">All webhooks</a></p>`
  } satisfies Answer
})

/** What ended, and the operator may send again. */
const sendAgain = (
  operator: Operator,
  path: Desk.DeliveryPath,
  { attempts, state }: Delivery,
  isActive: boolean,
  mount: string
): Html | undefined => {
  const isEnded = state !== "due" && state !== "sending"
  if (!isEnded || !mayAct(operator, "webhook.redeliver", path.workspace)) return undefined
  if (!isActive) return html`<p class="note">The endpoint is not active, so the delivery cannot be sent again.</p>`
  return html`<form method="post" action="${mount}${pathTo(path)}/redeliver">
<input type="hidden" name="attempts" value="${attempts}"><p><button>Send again</button></p>
</form>`
}

const attemptsTable = (attempts: ReadonlyArray<DeliveryAttempt>): Html =>
  table({
    label: "Attempts",
    columns: [{ numbers: "Attempt" }, "Sent", "Ended", "Response"],
    none: "It was not sent yet.",
    rows: attempts.map(
      (one) => html`<tr><td class="number">${one.number}</td><td>${time(one.sent)}</td>
<td>${timeOr(one.ended, "–")}</td><td>${responseText(one)}</td></tr>`
    )
  })

const responseText = ({ failure, response_status }: DeliveryAttempt): string => {
  if (response_status !== null) return `HTTP ${response_status}`
  return failure === null ? "In flight, or not recorded" : failureTexts[failure]
}

/** The form names the attempts that the operator saw: sent twice, it sends the webhook once. */
const redeliver = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "delivery")
  const seen = visit.form.get("attempts") ?? ""
  if (!/^\d{1,9}$/u.test(seen)) {
    return yield* Effect.fail(failure("validation_error", "`attempts` must be the number of the form."))
  }
  const noticed = (notice: keyof typeof notices): Answer => ({ redirect: `${pathTo(path)}?notice=${notice}` })
  return yield* Desk.redeliver(path, Number(seen)).pipe(
    Effect.as(noticed("scheduled")),
    Effect.catchIf(
      (problem: ConsoleError) => problem.error.code === "not_redeliverable",
      () => Effect.succeed(noticed("already"))
    )
  )
})

const at = "/webhooks/:workspace/:environment/deliveries/:delivery" as const

export const deliveryPages = [
  page("GET", at, "payment.read", show),
  page("POST", `${at}/redeliver`, "webhook.redeliver", redeliver)
]
