/** Why a payment went where it went, in plain words. Pure: it explains stored records without asking a provider. */
import type { Attempt, AttemptOutcome } from "../model/Attempt.ts"
import { type OutcomeCounts, weightOf } from "../model/OutcomeCounts.ts"
import type { Payment } from "../model/Payment.ts"
import {
  type CircuitSeen,
  type Exclusion,
  type RouteValue,
  type RoutingCandidate,
  type RoutingDecision,
  type RoutingMode,
  wholeDecision
} from "../model/RoutingDecision.ts"
import type { CandidateRates } from "../model/SuccessRate.ts"
import { amountText } from "../money/Money.ts"
import { pointsText } from "./ByValue.ts"

export interface RoutingExplanation {
  readonly payment: Payment
  /** In the order of their numbers. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Each of it one chapter of sentences for people; their wording is not part of any contract. */
  readonly chapters: ReadonlyArray<ExplanationChapter>
}

export interface ExplanationChapter {
  readonly title: string
  readonly sentences: ReadonlyArray<string>
}

export const explainRouting = (payment: Payment, attempts: ReadonlyArray<Attempt>): RoutingExplanation => ({
  payment,
  attempts,
  chapters: [
    { title: "Payment", sentences: [aboutPayment(payment)] },
    ...(payment.routing === null
      ? [{ title: "Routing", sentences: ["The payment was not routed: no connection was ever tried."] }]
      : chaptersOf(wholeDecision(payment.routing), attempts, payment.money.currency))
  ].filter(({ sentences }) => sentences.length > 0)
})

const aboutPayment = (payment: Payment): string => {
  const { captureMethod, cardBrand, country, initiator, money, tenant } = payment
  const method = payment.paymentMethod ?? payment.method
  const by = cardBrand === null ? method : `${method} (${cardBrand})`
  const starter = initiator === "cit" ? "the customer" : "the merchant"
  return (
    `${amountText(money, "en")} by ${by}, from a customer in ${country}, started by ${starter}, ` +
    `with ${captureMethod} capture, in ${tenant.environment}.`
  )
}

const chaptersOf = (
  routing: RoutingDecision,
  attempts: ReadonlyArray<Attempt>,
  currency: string
): ReadonlyArray<ExplanationChapter> => [
  { title: "What decided", sentences: [...pathOf(routing), modeSentence(routing), ...objectiveOf(routing)] },
  {
    title: "Order of connections",
    sentences:
      routing.candidates.length === 0
        ? ["No connection could accept the payment."]
        : [...routing.candidates.map((one, index) => candidateSentence(one, index, currency)), ...notesOf(routing)]
  },
  { title: "Excluded", sentences: leftOut(routing) },
  { title: "Circuits", sentences: circuitsOf(routing) },
  { title: "What happened", sentences: happened(routing, attempts) }
]

const pathOf = ({ draws, path, rule }: RoutingDecision): ReadonlyArray<string> => {
  const drawn = (purpose: string) => draws.find((one) => one.purpose === purpose)?.drawn
  const control = drawn("control")
  switch (path) {
    case "rule": {
      const split = drawn(`split:${rule}`)
      return [
        `The rule "${rule}" is the first that matches.`,
        ...(split === undefined ? [] : [`Its split is drawn by the payment's id, which drew ${numberText(split)}.`])
      ]
    }
    case "control":
      return [
        "No rule matches.",
        `The payment drew ${numberText(control)}: that is in the control group, which has an order of its own.`
      ]
    case "engine":
      return [
        "No rule matches.",
        ...(control === undefined
          ? []
          : [`The payment drew ${numberText(control)}: that is outside the control group.`])
      ]
  }
}

const travels: Readonly<Record<RoutingMode, string>> = {
  fixed: "one connection is tried, without failover",
  priority: "the next connection is tried after a technical error before anything was executed",
  failover:
    "the next connection is tried after a technical error before anything was executed, and after a soft " + "decline",
  auto:
    "the connection that succeeds most often is first, and the next one is tried after a technical error " +
    "before anything was executed, and after a soft decline"
}

const modeSentence = ({ maxAttempts, mode }: RoutingDecision): string => {
  const most = maxAttempts === 0 ? "" : `; ${maxAttempts === 1 ? "one attempt" : `${maxAttempts} attempts`} at most`
  return `The mode is ${mode}: ${travels[mode]}${most}.`
}

const objectiveOf = ({ maxApprovalLossPpm }: RoutingDecision): ReadonlyArray<string> =>
  maxApprovalLossPpm === undefined
    ? []
    : [
        "The objective is value: of the connections that give up at most " +
          `${pointsText(maxApprovalLossPpm)} of approval, the one with the greatest expected value is first.`
      ]

/** What was weighed, as the end of a sentence. `currency`: the payment's. */
export const routeValueText = (value: RouteValue | undefined, currency: string): string => {
  if (value === undefined) return ""
  const approval = `, expected approval ${value.approvalPpm / 10_000} %`
  if (value.fee === null || value.expectedMicros === null) return `${approval}, fee unknown`
  const fee = amountText({ minorUnits: value.fee.feeMinor, currency }, "en")
  const expected = numberText(value.expectedMicros / 1_000_000, 2)
  return `${approval}, fee ${fee} by rule ${value.fee.rule}, expected value ${expected} minor units`
}

const candidateSentence = (candidate: RoutingCandidate, index: number, currency: string): string => {
  const { connectionId, name, priority, rates, score, value } = candidate
  const scored = score === null ? "" : `, score ${numberText(score)}`
  const known =
    rates === null
      ? ""
      : weightOf(rates.connection) === 0
        ? ", nothing measured yet"
        : `, measured ${measured(rates.segment)} for such payments and ${measured(rates.connection)} over all${recalled(rates)}`
  return `${index + 1}. ${name} (${connectionId}), priority ${priority}${scored}${known}${routeValueText(value, currency)}.`
}

/** The weights fade, so that they are no whole numbers. */
const measured = (rate: OutcomeCounts): string => {
  const weight = weightOf(rate)
  return weight === 0
    ? "nothing"
    : `${numberText((100 * rate.succeeded) / weight, 1)} % of ${numberText(weight, 1)} outcomes`
}

/** What value weighed besides; nothing in a decision by approval, or from before it was stored. */
const recalled = ({ connection, segment }: CandidateRates): string =>
  connection.memory === undefined || segment.memory === undefined
    ? ""
    : `, since they last changed ${measured(segment.memory.long)} and ${measured(connection.memory.long)}`

const notesOf = ({ note }: RoutingDecision): ReadonlyArray<string> => (note === null ? [] : [note])

const leftOut = ({ eligibilityVersion, excluded, given }: RoutingDecision): ReadonlyArray<string> => [
  ...excluded.map(({ code, connectionId, name, reason }) => `${name} (${connectionId}): ${code}. ${reason}`),
  ...given.unable.map((connectionId) => `${connectionId}: its provider cannot do what was asked, such as a checkout.`),
  ...(excluded.length === 0 ? [] : [`By version ${eligibilityVersion} of the eligibility rules.`])
]

const circuitsOf = ({ degraded, given }: RoutingDecision): ReadonlyArray<string> => [
  ...given.circuits.map(circuitSentence),
  ...(degraded ? ["The circuit of every eligible connection was open, so they were tried anyway."] : [])
]

const circuitSentence = ({ connectionId, failures, isOpen, openedAt, probeAt }: CircuitSeen): string => {
  const counted = failures === 1 ? "1 call failed" : `${failures} calls in a row failed`
  if (openedAt === null || probeAt === null) return `${connectionId}: closed, ${counted}.`
  const since = `since ${timeText(openedAt)}, ${counted}`
  return isOpen
    ? `${connectionId}: open ${since}; probed from ${timeText(probeAt)} on.`
    : `${connectionId}: half-open ${since}; this payment was its probe if it was sent there.`
}

const ends: Readonly<Record<AttemptOutcome, string>> = {
  CheckoutOpened: "the provider's page was opened",
  Authorized: "authorized",
  Captured: "captured",
  Pending: "accepted, with the outcome still to come",
  Declined: "declined",
  NeedsCustomer: "declined: the customer would have had to authenticate",
  Canceled: "canceled by the provider",
  Rejected: "rejected by the provider without doing anything",
  NotSent: "not sent: nothing left for the provider",
  Unanswered: "unanswered: the result at the provider is unknown",
  Mismatched: "mismatched: the provider stated another amount, or the reference of another payment",
  Abandoned: "recorded but never sent"
}

const happened = (
  { candidates, skipped = [] }: RoutingDecision,
  attempts: ReadonlyArray<Attempt>
): ReadonlyArray<string> => {
  const between = attempts.map((_, index) => passedOver(candidates, attempts, index))
  const isBetween = (connectionId: string) => between.flat().some((one) => one.connectionId === connectionId)
  const isAsked = (connectionId: string) => attempts.some((attempt) => attempt.connectionId === connectionId)
  const after = skipped.filter(({ connectionId }) => !isBetween(connectionId) && !isAsked(connectionId))
  const lines = attempts.flatMap((attempt, index) => {
    const name = candidates.find(({ connectionId }) => connectionId === attempt.connectionId)?.name
    const at = name === undefined ? attempt.connectionId : `${name} (${attempt.connectionId})`
    const said = attempt.outcome === null ? "no answer yet" : ends[attempt.outcome]
    const code = attempt.code === null ? "" : ` (code ${attempt.code})`
    const took = attempt.answeredAt === null ? "" : `, ${attempt.answeredAt - attempt.sentAt} ms after it was sent`
    return [
      ...(between[index] ?? []).map((candidate) => skippedSentence(candidate, skipped)),
      `Attempt ${attempt.number} at ${at}: ${said}${code}${took}.${followedBy(attempt, attempts[index + 1])}`
    ]
  })
  return [...lines, ...after.map((exclusion) => skippedSentence(exclusion, skipped))]
}

const skippedSentence = (
  { connectionId, name }: Pick<RoutingCandidate, "connectionId" | "name">,
  skipped: ReadonlyArray<Exclusion>
): string => {
  const found = skipped.find((one) => one.connectionId === connectionId)
  const said = found === undefined ? "its circuit had opened in the meantime." : `${found.code}. ${found.reason}`
  return `${name} (${connectionId}) was skipped: ${said}`
}

/** Those between an attempt's connection and the one before it, in the order of the decision. */
const passedOver = (
  candidates: RoutingDecision["candidates"],
  attempts: ReadonlyArray<Attempt>,
  index: number
): RoutingDecision["candidates"] => {
  const placeOf = (attempt: Attempt | undefined): number =>
    candidates.findIndex(({ connectionId }) => connectionId === attempt?.connectionId)
  return index === 0 ? [] : candidates.slice(placeOf(attempts[index - 1]) + 1, Math.max(0, placeOf(attempts[index])))
}

const followedBy = ({ outcome }: Attempt, next: Attempt | undefined): string => {
  if (next !== undefined) return " Nothing was executed, so the next connection was tried."
  return outcome === "Unanswered" ? " No other connection is tried after an unknown result." : ""
}

const numberText = (value: number | undefined, digits = 4): string =>
  value === undefined ? "nothing" : String(Number(value.toFixed(digits)))

const timeText = (epochMillis: number): string => new Date(epochMillis).toISOString()
