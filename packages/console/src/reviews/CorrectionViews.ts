/** Corrections and refunds on the page of a review: the one that waits for a second person, and those that were decided. */
import {
  type Correction,
  type CorrectionState,
  isAnotherPerson,
  isRefundProposal,
  isSamePerson,
  type Operator,
  openCorrection,
  type Person,
  type ReviewFile,
  refundProposalMillis
} from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { field } from "../frame/Forms.ts"
import { type Html, time } from "../frame/Layout.ts"
import { money } from "../payments/PaymentWords.ts"
import { providerShows, statementName, subjectText } from "./ReviewWords.ts"

const { html, timeView } = InProcess

export const correctionNotices = {
  proposed: "Proposed. Another operator has to approve it.",
  approved: "Approved and recorded.",
  overtaken: "Nothing was recorded or sent: the payment could not take it any more. The reason is below.",
  rejected: "Rejected.",
  withdrawn: "Withdrawn."
} as const satisfies Record<CorrectionState, string>

const stateNames = {
  proposed: "Proposed",
  approved: "Approved",
  rejected: "Rejected",
  withdrawn: "Withdrawn",
  overtaken: "Overtaken"
} as const satisfies Record<CorrectionState, string>

/** `here`: the address of the review. Nothing where the payment has none. */
export const correctionsView = (file: ReviewFile, operator: Operator, here: string): ReadonlyArray<Html> => {
  const all = file.payment.corrections ?? []
  if (all.length === 0) return []
  const open = openCorrection(file.payment)
  const decided = all.filter(({ decision }) => decision !== null)
  return [
    html`<h2>Corrections</h2>`,
    ...(open === undefined
      ? []
      : [openView(open, file, operator, `${here}/corrections/${encodeURIComponent(open.id)}`)]),
    ...decided.toReversed().map((correction) => decidedView(correction, file))
  ]
}

const statementView = ({ evidence, proposedAt, proposedBy, stated, target }: Correction, file: ReviewFile): Html => {
  const { currency } = file.payment.money
  const proposed = html`<dt>Proposed</dt><dd>${proposedBy.name}, ${time(timeView(proposedAt))}</dd>`
  if (stated._tag === "NewRefund") {
    return html`<p><strong>Refund ${money(target.amountMinor ?? 0, currency)}.</strong> The provider gives the money back once it is approved.</p>
<dl>${stated.reason === null ? undefined : html`<dt>Reason</dt><dd>${stated.reason}</dd>`}${proposed}</dl>`
  }
  const reference =
    stated._tag === "Charge" ? stated.providerRef : stated._tag === "Refund" ? stated.providerRefundId : null
  const amount = target.amountMinor
  return html`<p><strong>${statementName(stated)}. ${subjectText(stated, file)}.</strong> The provider’s page shows ${providerShows(stated)}</p>
<dl>
${amount === null ? undefined : html`<dt>Amount</dt><dd>${money(amount, currency)}</dd>`}
${reference === null ? undefined : html`<dt>At the provider</dt><dd>${reference}</dd>`}
<dt>Evidence</dt><dd>${evidence.evidence}</dd>
${evidence.fileHash === undefined ? undefined : html`<dt>File</dt><dd><code>${evidence.fileHash}</code></dd>`}
${evidence.providerReference === undefined ? undefined : html`<dt>Case</dt><dd>${evidence.providerReference}</dd>`}
${proposed}
</dl>`
}

const button = (action: string, text: string, fields?: Html): Html =>
  html`<form method="post" action="${action}" class="fields">${fields}<button>${text}</button></form>`

const openView = (correction: Correction, file: ReviewFile, operator: Operator, at: string): Html => {
  const me: Person = { of: "operators", id: operator.id, name: operator.displayName }
  const acts = isSamePerson(correction.proposedBy, me)
    ? [html`<p>Another operator has to approve it.</p>`, button(`${at}/withdraw`, "Withdraw")]
    : [
        isAnotherPerson(correction.proposedBy, me)
          ? button(`${at}/approve`, "Approve")
          : html`<p>A program proposed it: it is approved there.</p>`,
        button(
          `${at}/reject`,
          "Reject",
          field({ name: "reason", label: "Reason", attributes: html`required maxlength="2000"` })
        )
      ]
  return html`<div class="card stack">
<p class="note">${waitingText(correction, file)}</p>
${statementView(correction, file)}
${acts}
</div>`
}

const waitingText = (correction: Correction, { payment }: ReviewFile): string => {
  if (!isRefundProposal(correction)) {
    const hasMoved = correction.version + 1 < payment.version
    return `This statement waits for a second person. Nothing of the payment has changed yet${hasMoved ? ", and the payment has changed since it was proposed" : ""}.`
  }
  const left = payment.capturedMinor - payment.refundedMinor - payment.refundPendingMinor
  return left < (correction.target.amountMinor ?? 0)
    ? `Only ${money(left, payment.money.currency)} is left to refund: an approval closes this refund and sends nothing.`
    : `This refund waits for a second person until ${timeView(correction.proposedAt + refundProposalMillis)}. Nothing was sent yet.`
}

const decidedView = (correction: Correction, file: ReviewFile): Html => {
  const { decision, state } = correction
  return html`<div class="card">
${statementView(correction, file)}
<p>${stateNames[state]}${decision === null ? undefined : html` by ${decision.by.name}, ${time(timeView(decision.at))}`}${
    decision?.reason == null ? undefined : html`: ${decision.reason}`
  }</p>
</div>`
}
