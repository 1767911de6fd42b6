/** One payment. */
import {
  isRefundProposal,
  mayAct,
  type Operator,
  type OperatorAction,
  openCorrection,
  type Payment
} from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { valueWords } from "../api/RouteValue.ts"
import { disputesOfPayment } from "../disputes/DisputeTable.ts"
import { type Html, idView, time, timeOr } from "../frame/Layout.ts"
import { type Answer, noticeIn, page, pathOf, recordLinks, recordOf, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { messagesOfPayment } from "../messages/MessageTable.ts"
import { entriesOfPayment } from "../reconciliation/ReconciliationViews.ts"
import { reasonNames } from "../reviews/ReviewWords.ts"
import { paymentDeliveries } from "../webhooks/DeliveryTable.ts"
import * as Desk from "./PaymentDesk.ts"
import type { PaymentFile } from "./PaymentRecords.ts"
import { stepsOf } from "./PaymentSteps.ts"
import { declineText, money, statusView } from "./PaymentWords.ts"

const { html } = InProcess

const notices = {
  captured: "The provider captured the payment.",
  voided: "The provider released the authorization.",
  refunded: "The provider gave the money back.",
  settled: "What you stated is recorded.",
  in_progress: "This request is still being processed. This page shows the result.",
  unknown:
    "The provider did not respond, and may have acted. This page shows the result once the provider’s record is known. " +
    "Do not try again.",
  proposed: "Proposed. Nothing was sent yet: another operator has to approve the refund.",
  not_refunded: "The refund was approved, and the provider did not make it. Propose it again if it is still wanted.",
  closed: "This refund was proposed before, and was not approved. Nothing was sent."
} as const
export type Notice = keyof typeof notices

const show = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "payment")
  const { operator } = yield* CurrentOperator
  const { file, view } = yield* Desk.paymentFile(path)
  const link = yield* recordLinks(visit, path)
  const { payment } = view
  return {
    title: payment.reference ?? `Payment ${payment.id}`,
    isLive: true,
    changes: `${pathOf("live", path)}?payment=${payment.id}`,
    notice: noticeIn(visit, notices),
    main: html`<div class="card">
<p class="amount">${money(payment.amount, payment.currency)}</p>
<p>${statusView(payment.status, payment.refund_pending_amount)} · ${path.environment} · ${time(payment.created)}</p>
${bar(view)}
<dl>
<dt>Payment</dt><dd><code>${payment.id}</code></dd>
<dt>Method</dt><dd>${payment.method}${payment.card_brand === null ? undefined : `, ${payment.card_brand}`}, ${payment.country}</dd>
<dt>Connection</dt><dd>${view.connection_id === null ? "–" : link("connections", idView(view.connection_id), view.connection_id)}</dd>
<dt>At the provider</dt><dd>${idView(view.provider_reference)}</dd>
${payment.decline_category === null ? undefined : html`<dt>Declined</dt><dd>${declineText(payment.decline_category, payment.decline_reason)}</dd>`}
</dl>
${
  file.payment.review === null
    ? undefined
    : html`<p class="note">This payment is under review: ${file.payment.review.reasons.map((reason) => reasonNames[reason]).join(", ")}.</p>`
}
${proposalNote(file.payment)}
<p class="fields">${actsOf(operator, view, path).map(
      ({ href, title }) => html`<a class="button" href="${visit.mount}${href}">${title}</a>`
    )}</p>
</div>
${pathView(view)}
${refundsView(view)}
${yield* disputesOfPayment(visit.mount, path, path.payment)}
${yield* entriesOfPayment(visit.mount, path, path.payment)}
${yield* messagesOfPayment(visit.mount, path)}
${yield* paymentDeliveries(path, path.payment, visit.mount)}
<p><a href="${visit.mount}${pathOf("payments", path)}">All payments</a></p>`
  } satisfies Answer
})

/** A refund that waits for a second person, also for operators who see no reviews. */
const proposalNote = (payment: Payment): Html | undefined => {
  const open = openCorrection(payment)
  return open === undefined || !isRefundProposal(open)
    ? undefined
    : html`<p class="note">A refund of ${money(open.target.amountMinor ?? 0, payment.money.currency)} waits for a second person. ${open.proposedBy.name} proposed it ${time(InProcess.timeView(open.proposedAt))}.</p>`
}

/** What the payment can take now, and the operator may do. */
const actsOf = (operator: Operator, { payment, review }: PaymentFile, path: Desk.PaymentPath) => {
  const isAuthorized = payment.status === "AUTHORIZED"
  const here = pathOf("payments", path, path.payment)
  const acts: ReadonlyArray<{ href: string; title: string; action: OperatorAction; isOffered: boolean }> = [
    {
      href: pathOf("reviews", path, path.payment),
      title: "Settle this review…",
      action: "review.resolve",
      isOffered: review !== null
    },
    { href: `${here}/capture`, title: "Capture…", action: "payment.capture", isOffered: isAuthorized },
    { href: `${here}/void`, title: "Void…", action: "payment.void", isOffered: isAuthorized },
    { href: `${here}/refund`, title: "Refund…", action: "payment.refund", isOffered: refundable(payment) > 0 }
  ]
  return acts.filter(({ action, isOffered }) => isOffered && mayAct(operator, action, path.workspace))
}

/** Minor units that a refund may still take. */
export const refundable = ({
  captured_amount,
  refund_pending_amount,
  refunded_amount
}: Pick<PaymentFile["payment"], "captured_amount" | "refund_pending_amount" | "refunded_amount">): number =>
  captured_amount - refunded_amount - refund_pending_amount

/** Where the money is: attributes of an image, because the policy of the page allows no inline style. */
const bar = ({ authorized_amount: authorized, payment }: PaymentFile): Html => {
  const {
    amount,
    captured_amount: captured,
    currency,
    refund_pending_amount: pending,
    refunded_amount: given
  } = payment
  // What a capture left is released, and so is a voided authorization.
  const isOpen = captured === 0 && (payment.status === "AUTHORIZED" || payment.status === "PENDING")
  const share = (minorUnits: number) => (amount === 0 ? 0 : Math.round((minorUnits / amount) * 1000) / 10)
  const left = captured - given - pending
  const parts = [
    ...(payment.status === "CHARGEBACK"
      ? [["back", left, "captured, and taken back by the customer’s bank"] as const]
      : [["kept", left, "captured and kept"] as const]),
    ["pending", pending, "being refunded"],
    ["given", given, "refunded"],
    ["held", isOpen ? authorized : 0, "authorized"]
  ] as const
  const words = parts.flatMap(([, minorUnits, what]) =>
    minorUnits === 0 ? [] : [`${money(minorUnits, currency)} ${what}`]
  )
  const starts = parts.map((_, at) => share(parts.slice(0, at).reduce((sum, [, minorUnits]) => sum + minorUnits, 0)))
  const text =
    words.join(", ") || (payment.status === "UNKNOWN" ? "The customer may have been charged" : "Nothing is captured")
  return html`<svg class="bar" role="img" aria-label="${text}" preserveAspectRatio="none" viewBox="0 0 100 1">
<rect class="whole" width="100" height="1"></rect>${parts.map(
    ([name, minorUnits], at) =>
      html`<rect class="${name}" x="${starts[at] ?? 0}" width="${share(minorUnits)}" height="1"></rect>`
  )}</svg>
<p class="soft">${text}.</p>`
}

const routeWords = ({ candidates, mode, note, rule }: NonNullable<PaymentFile["routing"]>, currency: string): string =>
  [
    `Mode ${mode}${rule === null ? "" : `, rule ${rule}`}`,
    ...(note === null ? [] : [note]),
    `Order: ${candidates.map(({ name, value }) => `${name}${valueWords(value, currency)}`).join(candidates.some(({ value }) => value !== undefined) ? "; " : ", ") || "no connection"}.`
  ].join(". ")

/** What happened, and why: one path from the first connection to the last event. */
const pathView = (file: PaymentFile): Html => {
  const { attempts, routing } = file
  return html`<h2>What happened</h2>
<div class="card">
${routing === null ? undefined : html`<p class="soft">${routeWords(routing, file.payment.currency)}</p>`}
${attempts.length === 0 ? html`<p>No provider was asked.</p>` : undefined}
<ol class="path">${stepsOf(file).map(
    ({ at, details, mark, words }) =>
      html`<li class="${mark}"><span>${words}</span> <span class="soft">${time(at)}${details.map((text) => ` · ${text}`)}</span></li>`
  )}</ol>
</div>`
}

const refundsView = ({ refunds }: PaymentFile): Html | undefined =>
  refunds.length === 0
    ? undefined
    : html`<h2>Refunds</h2>
${table({
  label: "Refunds",
  columns: ["Sent", "State", "Reason", "Settled", { numbers: "Amount" }],
  rows: refunds.map(
    (refund) => html`<tr><td>${time(refund.sent)}</td><td>${refund.stage}${
      refund.failure_reason === null ? undefined : html`<br><span class="soft">${refund.failure_reason}</span>`
    }</td><td>${refund.origin === "provider" ? "Made at the provider" : (refund.reason ?? "–")}</td><td>${timeOr(refund.settled, "–")}</td>
<td class="number">${money(refund.amount, refund.currency)}</td></tr>`
  )
})}`

export const paymentPages = [page("GET", "/payments/:workspace/:environment/:payment", "payment.read", show)]
