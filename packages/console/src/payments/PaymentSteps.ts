/**
 * What happened to a payment, as one list in the order of time: which connections were excluded and why, which were asked
 * and what they said, captures, voids and refunds, and the events of the timeline.
 */
import type { AttemptOutcome, DeclineAdvice, EventType, OperationOutcome, RefundStage } from "@pointsman/core"
import type { PaymentFile } from "./PaymentRecords.ts"
import { money } from "./PaymentWords.ts"

/** `event`: an entry of the timeline. The others say how it went, beside their words. */
type Mark = "excluded" | "asked" | "good" | "bad" | "wait" | "unsure" | "event"

export interface Step {
  /** RFC 3339. */
  readonly at: string
  readonly mark: Mark
  readonly words: string
  /** A reason or a code, as it is recorded. */
  readonly details: ReadonlyArray<string>
}

type Said = readonly [mark: Mark, words: string]

const inFlight: Said = ["wait", "has not answered yet"]

const attemptWords: Readonly<Record<AttemptOutcome, Said>> = {
  CheckoutOpened: ["wait", "opened its payment page for the customer"],
  Authorized: ["good", "authorized the payment"],
  Captured: ["good", "captured the payment"],
  Pending: ["wait", "accepted the payment and is still processing it"],
  Declined: ["bad", "declined the payment"],
  NeedsCustomer: ["wait", "asks the customer to authenticate"],
  Canceled: ["bad", "cancelled the payment"],
  Rejected: ["bad", "rejected the request and executed nothing"],
  NotSent: ["bad", "was not reached: nothing was sent"],
  Unanswered: ["unsure", "gave no usable response and may have charged"],
  Mismatched: ["bad", "stated another amount or currency"],
  Abandoned: ["bad", "was not asked: the request was never sent"]
}

const operationWords: Readonly<Record<OperationOutcome, Said>> = {
  Confirmed: ["good", "confirmed it"],
  Accepted: ["wait", "accepted it and is still processing it"],
  Refused: ["bad", "refused it"],
  Conflicted: ["bad", "stated something else"],
  Unanswered: ["unsure", "gave no usable response and may have executed it"],
  NotFound: ["bad", "never received it"],
  Abandoned: ["bad", "was not asked: the request was never sent"],
  Failed: ["bad", "stated later that it failed"]
}

const refundWords: Readonly<Record<RefundStage, Said>> = {
  Sending: inFlight,
  Pending: ["wait", "accepted it and is still processing it"],
  Unknown: ["unsure", "gave no usable response and may have refunded"],
  Succeeded: ["good", "confirmed it"],
  Refused: ["bad", "refused it"],
  Failed: ["bad", "stated that it failed"],
  Reversed: ["bad", "stated later that it failed: the money came back"]
}

const eventWords: Readonly<Record<EventType, string>> = {
  "payment.created": "The payment was created",
  "payment.requires_action": "The customer has to act",
  "payment.pending": "The provider is processing the payment",
  "payment.authorized": "The amount is authorized",
  "payment.captured": "The payment is captured",
  "payment.declined": "The payment was declined",
  "payment.failed": "The payment failed: no attempt was executed",
  "payment.unknown": "The result of the charge is unknown",
  "payment.cancelled": "The payment was voided, cancelled, or it expired",
  "payment.capture_failed": "A capture failed after the provider had accepted it",
  "payment.void_failed": "A void failed after the provider had accepted it",
  "payment.capture_unknown": "The result of a capture is unknown",
  "payment.void_unknown": "The result of a void is unknown",
  "payment.refund_pending": "The provider is processing a refund",
  "payment.refund_unknown": "The result of a refund is unknown",
  "payment.refunded": "A refund is confirmed",
  "payment.refund_failed": "A refund failed: its amount can be refunded again",
  "payment.settled": "The payment was settled",
  "payment.chargeback": "The payment is disputed, or a dispute was lost",
  "payment.chargeback_reversed": "A dispute was won",
  "payment.conflict": "The provider contradicts the record",
  "payment.amount_mismatch": "The provider states another amount or currency",
  "payment.reviewed": "An operator stated what the provider’s record says",
  "dispute.opened": "The provider states a dispute",
  "dispute.updated": "The provider states something else of a dispute",
  "dispute.evidence_due": "The deadline for evidence of a dispute approaches",
  "dispute.submitted": "The provider took the evidence for a dispute",
  "dispute.won": "A dispute was decided for the merchant",
  "dispute.lost": "A dispute was decided for the customer",
  "dispute.accepted": "The merchant accepted a dispute"
}

/** Why the attempt before was the last one. A payment that went through needs no other, and says nothing about it. */
const endings: Readonly<Partial<Record<AttemptOutcome, string>>> = {
  Declined: "the decline before it ended the payment",
  Unanswered: "the provider before it may have charged, and the customer must not pay twice",
  Mismatched: "the provider before it may have charged, and the customer must not pay twice",
  Rejected: "no further attempt was allowed",
  NotSent: "no further attempt was allowed"
}

const adviceWords: Readonly<Record<DeclineAdvice, string>> = {
  retry_later: "the same method may succeed later",
  use_another_method: "the customer can use another method",
  do_not_retry: "do not charge again"
}

/** The same word is shown once: a provider's code may be that of its category. */
const declineDetails = ({ code, decline, decline_category }: PaymentFile["attempts"][number]) => [
  ...new Set([decline_category, decline?.code ?? null, code]),
  decline === undefined ? null : adviceWords[decline.advice]
]

/** Candidates whose turn never came. */
const notAsked = ({ attempts, routing }: PaymentFile): ReadonlyArray<Step> => {
  const last = attempts.at(-1)
  const why = last?.outcome == null ? undefined : endings[last.outcome]
  if (last === undefined || why === undefined) return []
  return (routing?.candidates ?? [])
    .filter(({ connection_id }) => !attempts.some((attempt) => attempt.connection_id === connection_id))
    .map(({ name }) => ({
      at: last.answered ?? last.sent,
      mark: "excluded",
      words: `${name} was not asked: ${why}`,
      details: []
    }))
}

export const stepsOf = (file: PaymentFile): ReadonlyArray<Step> => {
  const { attempts, events, operations, payment, refunds, routing } = file
  const names = new Map(
    [...(routing?.candidates ?? []), ...(routing?.excluded ?? [])].map(({ connection_id, name }) => [
      connection_id,
      name
    ])
  )
  const nameOf = (id: string) => names.get(id) ?? id
  const call = (
    { answered, connection_id, sent }: { connection_id: string; sent: string; answered: string | null },
    what: string,
    [mark, words]: Said,
    details: ReadonlyArray<string | null>
  ): ReadonlyArray<Step> => [
    { at: sent, mark: "asked", words: `${nameOf(connection_id)} was asked to ${what}`, details: [] },
    {
      // Without a time of its own, what is known follows the question.
      at: answered ?? sent,
      mark,
      words: `${nameOf(connection_id)} ${words}`,
      details: details.filter((text) => text !== null)
    }
  ]
  const amountOf = ({ amount, currency }: { amount: number; currency: string }) => money(amount, currency)
  const [first, ...later] = events.map(
    ({ created, type }): Step => ({ at: created, mark: "event", words: eventWords[type], details: [type] })
  )
  const steps: ReadonlyArray<Step> = [
    ...(first === undefined ? [] : [first]),
    ...(routing?.excluded ?? []).map(
      ({ code, name, reason }): Step => ({
        at: payment.created,
        mark: "excluded",
        words: `${name} was not asked: ${reason}`,
        details: [code]
      })
    ),
    ...attempts.flatMap((attempt) =>
      call(
        attempt,
        `charge ${amountOf(attempt)}`,
        attempt.outcome === null ? inFlight : attemptWords[attempt.outcome],
        [attempt.reason, ...declineDetails(attempt)]
      )
    ),
    ...notAsked(file),
    ...operations.flatMap((one) =>
      call(one, `${one.kind} ${amountOf(one)}`, one.outcome === null ? inFlight : operationWords[one.outcome], [
        one.reason,
        one.code
      ])
    ),
    ...refunds.flatMap((one) =>
      call({ ...one, answered: one.settled }, `refund ${amountOf(one)}`, refundWords[one.stage], [
        one.origin === "provider" ? "made at the provider" : null,
        one.failure_reason
      ])
    ),
    ...later
  ]
  // Steps of the same time stay as they are.
  return steps.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}
