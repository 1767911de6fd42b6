/** A routing decision and its explanation, for programs and for people. Programs get amounts in minor units of their currency. */
import {
  type Exclusion,
  type RouteValue,
  type RoutingDecision,
  type RoutingExplanation,
  statusOf
} from "@pointsman/core"
import { weightOf, wholeDecision } from "@pointsman/core/internal"
import type { StoredRate } from "@pointsman/core/ports"
import { facts, paragraphs, status, type Text, table } from "./Table.ts"
import { printable, timeOf, timeOrNull, wireWord } from "./Words.ts"

export const explanationView = ({ attempts, chapters, payment }: RoutingExplanation) => ({
  payment_id: payment.id,
  workspace_id: payment.tenant.workspaceId,
  environment: payment.tenant.environment,
  status: statusOf[payment.state],
  amount: payment.money.minorUnits,
  currency: payment.money.currency,
  created: timeOf(payment.createdAt),
  routing: payment.routing === null ? null : decisionView(wholeDecision(payment.routing)),
  attempts: attempts.map((attempt) => ({
    id: attempt.id,
    number: attempt.number,
    connection_id: attempt.connectionId,
    outcome: attempt.outcome === null ? null : wireWord(attempt.outcome),
    code: attempt.code,
    sent_at: timeOf(attempt.sentAt),
    answered_at: timeOrNull(attempt.answeredAt)
  })),
  explanation: chapters
})

const exclusionView = ({ code, connectionId, name, reason }: Exclusion) => ({
  connection_id: connectionId,
  name,
  code,
  reason
})

/** The fee in minor units, with the place of its rule from 1; approval in parts per million; value in millionths of a minor unit. */
const valueView = ({ approvalPpm, expectedMicros, fee }: RouteValue) => ({
  fee_minor: fee === null ? null : fee.feeMinor,
  fee_rule: fee === null ? null : fee.rule,
  approval_ppm: approvalPpm,
  expected_micros: expectedMicros
})

const decisionView = (routing: RoutingDecision) => ({
  path: routing.path,
  rule: routing.rule,
  mode: routing.mode,
  strategy: routing.strategy,
  max_attempts: routing.maxAttempts,
  /** In parts per million; `null` where the objective is approval. */
  max_approval_loss_ppm: routing.maxApprovalLossPpm ?? null,
  candidates: routing.candidates.map(({ connectionId, name, priority, rates, score, value }) => ({
    connection_id: connectionId,
    name,
    priority,
    score,
    rates,
    value: value === undefined ? null : valueView(value)
  })),
  excluded: routing.excluded.map(exclusionView),
  skipped: (routing.skipped ?? []).map(exclusionView),
  eligibility_version: routing.eligibilityVersion,
  degraded: routing.degraded,
  draws: routing.draws,
  note: routing.note,
  given: {
    merchant_country: routing.given.merchantCountry,
    merchant_category: routing.given.merchantCategory,
    instruments: routing.given.instruments,
    unable: routing.given.unable,
    circuits: routing.given.circuits.map(({ connectionId, failures, isOpen, openedAt, probeAt }) => ({
      connection_id: connectionId,
      state: isOpen ? "open" : openedAt === null ? "closed" : "half_open",
      failures,
      opened_at: timeOrNull(openedAt),
      probe_at: timeOrNull(probeAt)
    }))
  }
})

export const explanationText = ({ chapters, payment }: RoutingExplanation): Text =>
  paragraphs(
    facts([
      ["Payment", payment.id],
      ["Workspace", `${payment.tenant.workspaceId} (${payment.tenant.environment})`],
      ["Status", status(statusOf[payment.state])],
      ["Created", timeOf(payment.createdAt)]
    ]),
    ...chapters.map(({ sentences, title }) =>
      [title, ...sentences.map((sentence) => `  ${printable(sentence)}`)].join("\n")
    )
  )

const digits = (value: number, count: number): number => Number(value.toFixed(count))

export const rateView = ({ connectionId, rate, segment }: StoredRate) => {
  const weight = weightOf(rate)
  return {
    connection_id: connectionId,
    /** Currency, country, method and card brand; `null` over all. */
    segment: segment === "" ? null : segment,
    success_rate: weight === 0 ? null : digits(rate.succeeded / weight, 4),
    succeeded: digits(rate.succeeded, 2),
    failed: digits(rate.failed, 2)
  }
}

export const ratesText = (stored: ReadonlyArray<StoredRate>): Text =>
  table(
    ["CONNECTION", "SEGMENT", "SUCCESS", "OUTCOMES"],
    stored
      .map(rateView)
      .map(({ connection_id, failed, segment, succeeded, success_rate }) => [
        connection_id,
        segment ?? "(over all)",
        success_rate === null ? null : `${digits(100 * success_rate, 1)} %`,
        digits(succeeded + failed, 1)
      ])
  )
