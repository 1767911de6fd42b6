/**
 * Disputes at Stripe: what an event states of one, and how evidence and acceptances are sent.
 *
 * Evidence is one request with `submit=true` (https://docs.stripe.com/api/disputes/update), and an acceptance one that
 * closes the dispute, "acknowledging it as lost" (https://docs.stripe.com/api/disputes/close). Our id is Stripe's idempotency
 * key, and metadata of the dispute: it tells a lookup that this very submission was executed. Files are uploaded before,
 * which moves nothing (https://docs.stripe.com/api/files/create).
 */
import {
  type Clean,
  type DisputeLookup,
  type DisputeQuestion,
  type DisputeReason,
  type DisputeRequest,
  type DisputeStatus,
  type DisputeSubmission,
  type EvidenceFields,
  type EvidenceFile,
  type Found,
  isSuccess,
  type NotSent,
  type Rejected,
  type StatedDispute,
  type SubmissionAnswer,
  type SubmissionState,
  segment,
  type TransportAnswer,
  type Unanswered
} from "@pointsman/core/connector"
import { Clock, Effect, Result } from "effect"
import { fromStripe } from "./Amounts.ts"
import { failure, type Read, readable, rejected, unreadable, unsettling } from "./Answers.ts"
import type { Caller } from "./Caller.ts"
import { conclusiveAfterMillis } from "./Lookups.ts"
import * as Protocol from "./Protocol.ts"
import type { Form } from "./Requests.ts"

// What an event states.

/**
 * By its status, whatever the event (https://docs.stripe.com/api/disputes/object#dispute_object-status). The `warning_…`
 * are inquiries: no money has moved, and an inquiry that becomes a dispute changes to another status. One that is closed
 * became no dispute.
 */
const statuses: Readonly<Record<string, Pick<StatedDispute, "verdict"> & { readonly status: DisputeStatus }>> = {
  warning_needs_response: { verdict: null, status: "warning" },
  warning_under_review: { verdict: null, status: "under_review" },
  warning_closed: { verdict: null, status: "won" },
  needs_response: { verdict: "opened", status: "needs_response" },
  under_review: { verdict: "opened", status: "under_review" },
  appeal_needs_response: { verdict: "opened", status: "needs_response" },
  appeal_under_review: { verdict: "opened", status: "under_review" },
  won: { verdict: "won", status: "won" },
  lost: { verdict: "lost", status: "lost" }
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-reason */
const reasons: Readonly<Record<string, DisputeReason>> = {
  fraudulent: "fraudulent",
  unrecognized: "unrecognized",
  product_not_received: "not_received",
  product_unacceptable: "not_as_described",
  duplicate: "duplicate",
  credit_not_processed: "credit_not_processed",
  subscription_canceled: "subscription_canceled",
  debit_not_authorized: "authorization",
  insufficient_funds: "authorization",
  bank_cannot_process: "processing_error",
  check_returned: "processing_error",
  incorrect_account_details: "processing_error",
  noncompliant: "processing_error"
}

type Stated = Omit<StatedDispute, "disputeId">

/**
 * A dispute that was prevented (https://docs.stripe.com/changelog/basil/2025-08-27/add-preventions-to-dispute). Its case type
 * says how: one that was blocked never moved money, and one that was resolved is refunded to the customer by Stripe
 * (https://docs.stripe.com/disputes/prevention-preview). That refund is none of ours, so that its amount is lost.
 */
const preventedBy = ({ payment_method_details }: Protocol.Dispute) =>
  payment_method_details?.card?.case_type === "block" ? statuses["warning_closed"] : statuses["lost"]

/** `undefined` for a status that is not documented. */
export const statedIn = (dispute: Protocol.Dispute): Stated | undefined => {
  const { amount, currency, evidence_details, reason, status } = dispute
  const known =
    status === "prevented" ? preventedBy(dispute) : Object.hasOwn(statuses, status) ? statuses[status] : undefined
  if (known === undefined) return undefined
  const money = amount == null || currency == null ? undefined : fromStripe(amount, currency)
  const dueBy = evidence_details?.due_by ?? 0
  return {
    ...known,
    ...(money === undefined ? {} : { money }),
    ...(reason == null || reason === ""
      ? {}
      : { reason: (Object.hasOwn(reasons, reason) ? reasons[reason] : undefined) ?? "other", providerReason: reason }),
    ...(dueBy === 0 ? {} : { dueBy: dueBy * 1000 })
  }
}

// What is sent.

/** https://docs.stripe.com/api/disputes/evidence_object; those that most reasons ask for come first. */
export const evidence: EvidenceFields = {
  texts: [
    ...["product_description", "customer_name", "customer_email_address", "billing_address", "customer_purchase_ip"],
    ...["shipping_carrier", "shipping_tracking_number", "shipping_date", "shipping_address", "service_date"],
    ...["access_activity_log", "refund_refusal_explanation", "refund_policy_disclosure", "cancellation_rebuttal"],
    ...["cancellation_policy_disclosure", "duplicate_charge_explanation", "duplicate_charge_id", "uncategorized_text"]
  ],
  files: [
    ...["receipt", "customer_communication", "shipping_documentation", "service_documentation"],
    ...["customer_signature", "refund_policy", "cancellation_policy", "duplicate_charge_documentation"],
    "uncategorized_file"
  ]
}
const textFields: ReadonlySet<string> = new Set(evidence.texts)
const fileFields: ReadonlySet<string> = new Set(evidence.files)

/** Characters of all texts together (https://docs.stripe.com/api/disputes/update#update_dispute-evidence). */
const textsAtMost = 150_000

/** Texts by Stripe's names; those of other names together as the uncategorized one, each behind its name. */
const evidenceTexts = (texts: Readonly<Record<string, string>>): Form => {
  const own = Object.entries(texts).filter(([name]) => textFields.has(name) && name !== "uncategorized_text")
  const others = Object.entries(texts)
    .filter(([name]) => !textFields.has(name))
    .map(([name, text]) => `${name}: ${text}`)
  const uncategorized = [...(texts["uncategorized_text"] === undefined ? [] : [texts["uncategorized_text"]]), ...others]
  const all = uncategorized.length === 0 ? own : [...own, ["uncategorized_text", uncategorized.join("\n\n")] as const]
  return all.map(([name, text]) => [`evidence[${name}]`, text] as const)
}

const notTaken = (message: string): Rejected => ({
  _tag: "Rejected",
  code: "evidence_not_taken",
  message: `Nothing was submitted to Stripe: ${message}.`
})

/** Stripe's field for each file; what is wrong where there is none. */
const fieldsOf = (files: ReadonlyArray<EvidenceFile>): ReadonlyArray<string> | Rejected => {
  const fields = files.map(({ name }) => (fileFields.has(name) ? name : "uncategorized_file"))
  const twice = fields.findIndex((field, at) => fields.indexOf(field) !== at)
  return twice < 0
    ? fields
    : notTaken(
        `it takes one file of other names than ${[...fileFields].join(", ")}, and ${files[twice]?.name} is another one`
      )
}

export const submitDispute = Effect.fnUntraced(function* (
  caller: Caller,
  { disputeId, files, operationId, texts }: DisputeSubmission,
  clean: Clean
): Effect.fn.Return<SubmissionAnswer, NotSent | Unanswered> {
  const fields = fieldsOf(files)
  if ("_tag" in fields) return fields
  const form = evidenceTexts(texts)
  const length = form.reduce((sum, [, text]) => sum + text.length, 0)
  if (length > textsAtMost) return notTaken("its texts have more than 150,000 characters together")
  const uploaded: Array<readonly [string, string]> = []
  for (const [at, file] of files.entries()) {
    const found = yield* Effect.result(caller.upload(file, `${operationId}-file-${at}`))
    const id = Result.flatMap(found, (answer) => fileId(answer))
    // What was uploaded is used by nothing.
    if (Result.isFailure(id)) return notTaken(`the file ${file.name} could not be uploaded`)
    uploaded.push([`evidence[${fields[at]}]`, id.success])
  }
  return yield* caller.call(
    {
      method: "POST",
      path: `disputes/${segment(disputeId)}`,
      form: [...form, ...uploaded, ["metadata[operation_id]", operationId], ["submit", "true"]],
      id: operationId
    },
    (answer) => submissionAnswer(answer, disputeId, clean)
  )
})

export const acceptDispute = (caller: Caller, { disputeId, operationId }: DisputeRequest, clean: Clean) =>
  caller.call({ method: "POST", path: `disputes/${segment(disputeId)}/close`, form: [], id: operationId }, (answer) =>
    submissionAnswer(answer, disputeId, clean)
  )

const fileId = (answer: TransportAnswer): Read<string> =>
  isSuccess(answer) ? Result.map(readable(Protocol.File, answer), ({ id }) => id) : unsettling(answer)

const none: ReadonlySet<string> = new Set()

const submissionAnswer = (answer: TransportAnswer, disputeId: string, clean: Clean): Read<SubmissionAnswer> => {
  if (!isSuccess(answer)) return Result.flatMap(failure(answer), (error) => rejected(answer, error, none, clean))
  return Result.flatMap(
    readable(Protocol.Dispute, answer),
    ({ id }): Read<SubmissionState> =>
      id === disputeId ? Result.succeed({ _tag: "SubmissionDone" }) : unreadable(answer, "id")
  )
}

/** The dispute as it is (https://docs.stripe.com/api/disputes/retrieve): the object that its events have. */
export const readStatedDispute = (caller: Caller, { disputeId }: DisputeQuestion) =>
  caller.call({ method: "GET", path: `disputes/${segment(disputeId)}`, form: [] }, (answer) => {
    if (!isSuccess(answer)) return unsettling(answer)
    return Result.flatMap(readable(Protocol.Dispute, answer), (dispute): Read<Found<StatedDispute>> => {
      if (dispute.id !== disputeId) return unreadable(answer, "id")
      const stated = statedIn(dispute)
      if (stated === undefined) return unreadable(answer, "status")
      return Result.succeed({ _tag: "Found", state: { disputeId, ...stated } })
    })
  })

/**
 * What became of it, by the dispute itself: it has our id as metadata once the evidence is in, and is lost once it is
 * closed. That it has not is Stripe's last word no earlier than for other requests (`Lookups.ts`).
 */
export const lookUpDispute = Effect.fnUntraced(function* (
  caller: Caller,
  { disputeId, kind, operationId, sentAt }: DisputeLookup
): Effect.fn.Return<Found<SubmissionState>, NotSent | Unanswered> {
  const conclusive = (yield* Clock.currentTimeMillis) - sentAt >= conclusiveAfterMillis
  return yield* caller.call({ method: "GET", path: `disputes/${segment(disputeId)}`, form: [] }, (answer) => {
    if (!isSuccess(answer)) return unsettling(answer)
    return Result.flatMap(
      readable(Protocol.Dispute, answer),
      ({ id, metadata, status }): Read<Found<SubmissionState>> => {
        if (id !== disputeId) return unreadable(answer, "id")
        const isDone = kind === "submit" ? metadata?.["operation_id"] === operationId : status === "lost"
        return Result.succeed(
          isDone ? { _tag: "Found", state: { _tag: "SubmissionDone" } } : { _tag: "NotFound", conclusive }
        )
      }
    )
  })
})
