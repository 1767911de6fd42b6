/** The list of payments under review, and one of them: what is known, and what the provider's page may show. */
import {
  type DecidedCorrection,
  isRefundProposal,
  type PossibleStatement,
  type ReviewFile,
  statusOf
} from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect, Result } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import { ageText, type Html, idView, time } from "../frame/Layout.ts"
import { nextPage, pageSize } from "../frame/Lists.ts"
import {
  type Answer,
  noticeIn,
  orShow,
  page,
  pathOf,
  recordLinks,
  recordOf,
  tenantOf,
  type Visit
} from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { messagesOfPayment } from "../messages/MessageTable.ts"
import type { Notice } from "../payments/PaymentPages.ts"
import { money, statusView } from "../payments/PaymentWords.ts"
import { correctionNotices, correctionsView } from "./CorrectionViews.ts"
import { evidenceQuery } from "./EvidencePages.ts"
import * as Desk from "./ReviewDesk.ts"
import {
  attemptText,
  becomesText,
  eventText,
  providerShows,
  reasonNames,
  reasonTexts,
  statementName,
  subjectText
} from "./ReviewWords.ts"

const { html, timeView } = InProcess

const orderNames = { age: "Longest waiting", amount: "Largest amount" } as const

const list = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const order = Desk.reviewOrders.find((one) => one === visit.query.get("order")) ?? "age"
  const after = visit.query.get("after") ?? undefined
  const { items, next } = yield* Desk.reviews(tenant, { order, after, limit: pageSize })
  const now = yield* Clock.currentTimeMillis
  const here = `${visit.mount}${pathOf("reviews", tenant)}`
  return {
    title: "Reviews",
    isLive: after === undefined,
    main: html`<nav class="fields places" aria-label="Order">${Desk.reviewOrders.map(
      (one) =>
        html`<a href="${here}?order=${one}"${one === order ? html` aria-current="true"` : undefined}>${orderNames[one]}</a>`
    )}</nav>
${table({
  label: "Payments under review",
  columns: ["Payment", "Waiting", "Reasons", "Status", { numbers: "Amount" }],
  none: "No payments are under review.",
  rows: items.map(
    ({ payment, review }) => html`<tr>
<td><a href="${here}/${payment.id}">${payment.reference ?? payment.id}</a></td>
<td>${ageText(now - review.since)} <span class="soft">${time(timeView(review.since))}</span></td>
<td>${review.reasons.map((reason) => reasonNames[reason]).join(", ")}</td>
<td>${statusView(statusOf[payment.state])}</td>
<td class="number">${money(payment.money.minorUnits, payment.money.currency)}</td></tr>`
  )
})}
<p class="fields">${nextPage({ here, query: new URLSearchParams({ order }), by: "after", cursor: next, text: "Next payments" })}</p>`
  } satisfies Answer
})

const show = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const path = yield* recordOf(visit, "payment")
  const { operator } = yield* CurrentOperator
  const file = yield* Desk.reviewFile(path)
  const { payment } = file
  const { currency } = payment.money
  const link = yield* recordLinks(visit, path)
  return {
    title: `Review of ${payment.reference ?? payment.id}`,
    isLive: true,
    problem,
    notice: noticeIn(visit, correctionNotices),
    main: html`<div class="card">
<p class="amount">${money(payment.money.minorUnits, currency)}</p>
<p>${statusView(statusOf[payment.state])} · ${path.environment} · ${time(timeView(payment.createdAt))}</p>
<dl>
<dt>Payment</dt><dd>${link("payments", idView(payment.id), payment.id)}</dd>
<dt>Recorded</dt><dd>${money(payment.authorizedMinor, currency)} authorized, ${money(payment.capturedMinor, currency)} captured, ${money(payment.refundedMinor, currency)} refunded, ${money(payment.refundPendingMinor, currency)} being refunded</dd>
<dt>Connection</dt><dd>${payment.connectionId === null ? "–" : link("connections", idView(payment.connectionId), payment.connectionId)}</dd>
<dt>At the provider</dt><dd>${idView(payment.providerRef)}</dd>
</dl>
${
  payment.review === null
    ? html`<p>This payment is not under review.</p>`
    : html`<p>Under review since ${time(timeView(payment.review.since))}:</p>
<ul>${payment.review.reasons.map((reason) => html`<li>${reasonTexts[reason]}</li>`)}</ul>`
}
</div>
${correctionsView(file, operator, `${visit.mount}${pathOf("reviews", path, payment.id)}`)}
<h2>What the provider’s page may show</h2>
<p>Search the provider’s own page for the reference or the id below. Choose what it shows, and state where you saw it. Nothing is sent to the provider.</p>
${statementsView(file, `${visit.mount}${pathOf("reviews", path, payment.id)}`)}
<h2>Requests to providers</h2>
${callsView(file)}
${yield* messagesOfPayment(visit.mount, path)}
<h2>Timeline</h2>
<ol class="card">${file.timeline.map(
      (event) =>
        html`<li>${event.type} <span class="soft">${time(timeView(event.createdAt))}<br>${eventText(event)}</span></li>`
    )}</ol>
<p><a href="${visit.mount}${pathOf("reviews", path)}">All reviews</a></p>`
  } satisfies Answer
})

/** By what they are about. What cannot follow is left out. */
const statementsView = (file: ReviewFile, here: string): ReadonlyArray<Html> => {
  const groups = [...Map.groupBy(file.statements, ({ stated }) => subjectText(stated, file))]
  const possible = groups.flatMap(([subject, statements]) => {
    const rows = statements.flatMap(({ outcome, stated }) =>
      Result.isFailure(outcome)
        ? []
        : [
            html`<div class="fields"><div class="wide">It shows ${providerShows(stated)}<br><span class="soft">The payment becomes: ${becomesText(outcome.success)}.</span></div>
<a class="button" href="${here}/evidence?${evidenceQuery(stated).toString()}">${statementName(stated)}…</a></div>`
          ]
    )
    return rows.length === 0 ? [] : [{ subject, rows, later: tooEarly(statements) }]
  })
  if (possible.length === 0) return [html`<p class="card">Nothing can be stated of this payment now.</p>`]
  return possible.map(
    ({ later, rows, subject }) => html`<h3>${subject}</h3>
<div class="card stack">${rows}${later === undefined ? undefined : html`<p class="soft">${later}</p>`}</div>`
  )
}

/** A request that the provider does not know yet may still arrive. */
const tooEarly = (statements: ReadonlyArray<PossibleStatement>): string | undefined => {
  const found = statements.find(({ stated }) => "says" in stated && stated.says === "never_received")
  return found !== undefined && Result.isFailure(found.outcome)
    ? `${statementName(found.stated)} cannot be stated now: ${found.outcome.failure}.`
    : undefined
}

const callsView = (file: ReviewFile): Html => {
  const { attempts, operations, refunds } = file
  const calls = [
    ...attempts.map((attempt) => ({
      ...attempt,
      what: attemptText(attempt),
      state: attempt.outcome ?? "in flight",
      reference: attempt.providerRef ?? attempt.checkout?.reference
    })),
    ...operations.map((operation) => ({
      ...operation,
      what: `${operation.kind === "capture" ? "Capture" : "Void"}, at ${operation.connectionId}`,
      state: operation.outcome ?? "in flight",
      reference: operation.providerRef
    })),
    ...refunds.map((refund) => ({
      ...refund,
      what: `Refund, at ${refund.connectionId}`,
      state: refund.stage,
      reference: refund.providerRefundId,
      reason: refund.failureReason
    }))
  ].toSorted((a, b) => a.sentAt - b.sentAt)
  return table({
    label: "Requests to providers",
    columns: ["Request", "Result", "Ids", { numbers: "Amount" }],
    none: "No provider was asked.",
    rows: calls.map(
      (call) => html`<tr><td>${call.what}<br><span class="soft">${time(timeView(call.sentAt))}</span></td>
<td>${call.state}${call.code === null ? undefined : ` (${call.code})`}${call.reason === null ? undefined : html`<br><span class="soft">${call.reason}</span>`}</td>
<td>${idView(call.id)}<br><span class="soft">At the provider: ${idView(call.reference ?? null)}</span></td>
<td class="number">${money(call.money.minorUnits, call.money.currency)}</td></tr>`
    )
  })
}

const acts = {
  approve: (path: Desk.CorrectionPath, _: Visit) => Desk.approve(path),
  reject: (path: Desk.CorrectionPath, { form }: Visit) => Desk.reject(path, form.get("reason") ?? ""),
  withdraw: (path: Desk.CorrectionPath, _: Visit) => Desk.withdraw(path)
}

/** What became of a refund that was approved. */
const sentNotice = (refund: DecidedCorrection["refund"]): Notice => {
  switch (refund?.stage) {
    case "Succeeded":
      return "refunded"
    case "Sending":
    case "Pending":
      return "in_progress"
    case "Unknown":
      return "unknown"
    default:
      return "not_refunded"
  }
}

/** A refusal is shown on the review as it is now. */
const decide = (act: keyof typeof acts) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const path = yield* recordOf(visit, "payment")
    const correction = visit.params["correction"] ?? ""
    return yield* acts[act]({ ...path, correction }, visit).pipe(
      Effect.map(
        (decided): Answer =>
          isRefundProposal(decided.correction) && decided.correction.state === "approved"
            ? { redirect: `${pathOf("payments", path, path.payment)}?notice=${sentNotice(decided.refund)}` }
            : { redirect: `${pathOf("reviews", path, path.payment)}?notice=${decided.correction.state}` }
      ),
      Effect.catch(orShow((problem: ConsoleError) => show(visit, problem)))
    )
  })

const correctionAt = "/reviews/:workspace/:environment/:payment/corrections/:correction"

export const reviewPages = [
  page("POST", `${correctionAt}/approve`, "correction.decide", decide("approve")),
  page("POST", `${correctionAt}/reject`, "correction.decide", decide("reject")),
  page("POST", `${correctionAt}/withdraw`, "correction.decide", decide("withdraw")),
  page("GET", "/reviews/:workspace/:environment", "review.resolve", list),
  page("GET", "/reviews/:workspace/:environment/:payment", "review.resolve", (visit) => show(visit))
]
