/** The list of disputes, and one of them: its deadline, what is kept for it, and what was sent. */
import { type Dispute, disputeStatuses, mayAct } from "@pointsman/core"
import { awaitsResponse, openSubmission } from "@pointsman/core/internal"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { nextId, timeOrNull } from "../api/Records.ts"
import { select } from "../frame/Forms.ts"
import { type Html, idView, time, timeOr } from "../frame/Layout.ts"
import { nextPage, pageSize } from "../frame/Lists.ts"
import { type Answer, noticeIn, page, pathOf, recordLinks, recordOf, tenantOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import * as Desk from "./DisputeDesk.ts"
import { disputeTable } from "./DisputeTable.ts"
import {
  disputedAmount,
  disputeStatusView,
  kindNames,
  reasonNames,
  stageTexts,
  statusNames,
  statusTexts,
  timeLeft
} from "./DisputeWords.ts"

const { html, timeView } = InProcess

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const status = disputeStatuses.find((one) => one === visit.query.get("status"))
  const before = visit.query.get("before") ?? undefined
  const { hasMore, items } =
    status === undefined
      ? yield* Desk.openDisputes(tenant)
      : yield* Desk.disputes(tenant, { status, before, limit: pageSize })
  const here = `${visit.mount}${pathOf("disputes", tenant)}`
  return {
    title: "Disputes",
    isLive: before === undefined,
    changes: pathOf("live", tenant),
    main: html`<form action="${here}" class="card fields" role="search">
${select({
  name: "status",
  label: "Status",
  choices: [["", "Open"], ...disputeStatuses.map((one) => [one, statusNames[one]] as const)],
  selected: status
})}
<button>Find</button>
</form>
<p class="soft">${status === undefined ? "The next deadline comes first." : "The newest come first."}</p>
${disputeTable(visit.mount, tenant, items, yield* Clock.currentTimeMillis)}
${
  status === undefined
    ? hasMore
      ? html`<p class="note">More disputes are open than this page shows. Choose a status to see all of them.</p>`
      : undefined
    : html`<p class="fields">${nextPage({ here, query: new URLSearchParams({ status }), by: "before", cursor: nextId({ hasMore, items }), text: "Older disputes" })}</p>`
}`
  } satisfies Answer
})

const notices = {
  kept: "Kept. Nothing was sent yet.",
  done: "The provider has it.",
  in_progress: "This request is still being processed. This page shows the result.",
  unknown:
    "The provider did not respond, and may have it. This page shows the result once the provider’s record is known. " +
    "Do not send it again."
} as const
export type Notice = keyof typeof notices

/** Whether the merchant may still keep evidence and answer. */
const isAnswerable = (dispute: Dispute): boolean =>
  awaitsResponse(dispute) && dispute.evidenceSubmittedAt === null && openSubmission(dispute) === undefined

const show = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "dispute")
  const { operator } = yield* CurrentOperator
  const dispute = yield* Desk.dispute(path)
  const link = yield* recordLinks(visit, path)
  const now = yield* Clock.currentTimeMillis
  const { connectionId, evidenceDueBy, paymentId, providerReason, reason } = dispute
  const here = `${visit.mount}${pathOf("disputes", path, dispute.id)}`
  const isOffered = isAnswerable(dispute) && mayAct(operator, "dispute.answer", path.workspace)
  return {
    title: `Dispute ${dispute.providerDisputeId ?? dispute.id}`,
    isLive: true,
    changes: `${pathOf("live", path)}?payment=${paymentId}`,
    notice: noticeIn(visit, notices),
    main: html`<div class="card">
<p class="amount">${disputedAmount(dispute)}</p>
<p>${disputeStatusView(dispute.status)} · ${path.environment} · ${time(timeView(dispute.createdAt))}</p>
<p>${statusTexts[dispute.status]}</p>
<dl>
<dt>Evidence due by</dt><dd>${timeOr(timeOrNull(evidenceDueBy), "–")} <strong>${awaitsResponse(dispute) ? timeLeft(dispute, now) : undefined}</strong></dd>
<dt>Reason</dt><dd>${reason === null ? "–" : reasonNames[reason]}${providerReason === null ? undefined : html` (${providerReason})`}</dd>
<dt>Dispute</dt><dd><code>${dispute.id}</code></dd>
<dt>Payment</dt><dd>${link("payments", idView(paymentId), paymentId)}</dd>
<dt>Connection</dt><dd>${link("connections", idView(connectionId), connectionId)}</dd>
<dt>At the provider</dt><dd>${idView(dispute.providerDisputeId)}</dd>
</dl>
${
  isOffered
    ? html`<p class="fields"><a class="button" href="${here}/evidence">Write evidence…</a>
${dispute.evidence === null ? undefined : html`<a class="button" href="${here}/submit">Submit evidence…</a>`}
<a class="button" href="${here}/accept">Accept the dispute…</a></p>`
    : undefined
}
</div>
${evidenceView(dispute)}
${submissionsView(dispute)}
<p><a href="${visit.mount}${pathOf("disputes", path)}">All open disputes</a></p>`
  } satisfies Answer
})

const evidenceView = ({ evidence }: Dispute): Html =>
  html`<h2>Evidence</h2>
${
  evidence === null
    ? html`<p class="card">No evidence is kept for this dispute.</p>`
    : html`<div class="card">
<p>Kept since ${time(timeView(evidence.keptAt))} and encrypted. The console never shows the contents. They are deleted when the provider has them or the dispute ends.</p>
<ul>${evidence.texts.map((name) => html`<li>Text <code>${name}</code></li>`)}${evidence.files.map(
        ({ bytes, name, type }) => html`<li>File <code>${name}</code>, ${type}, ${bytes} bytes</li>`
      )}</ul>
</div>`
}`

const submissionsView = ({ submissions }: Dispute): Html | undefined =>
  submissions.length === 0
    ? undefined
    : html`<h2>What was sent</h2>
${table({
  label: "What was sent",
  columns: ["Sent", "What", "Result", "Answered"],
  rows: submissions.toReversed().map(
    ({ answeredAt, failureReason, kind, operationId, sentAt, stage }) => html`<tr><td>${time(timeView(sentAt))}</td>
<td>${kindNames[kind]}<br>${idView(operationId)}</td>
<td class="long">${stage}: ${stageTexts[stage]}${failureReason === null ? undefined : html`<br><span class="soft">${failureReason}</span>`}</td>
<td>${timeOr(timeOrNull(answeredAt), "–")}</td></tr>`
  )
})}`

export const disputePages = [
  page("GET", "/disputes/:workspace/:environment", "payment.read", list),
  page("GET", "/disputes/:workspace/:environment/:dispute", "payment.read", show)
]
