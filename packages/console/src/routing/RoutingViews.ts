/** What core knows of routing, as the API shows it. */
import type { RuleFinding } from "@pointsman/configuration"
import type {
  CircuitReading,
  OutcomeCounts,
  PreviewedRoute as Previewed,
  RoutingConfiguration,
  SuccessHistory,
  SuccessSeries
} from "@pointsman/core"
import { defaultExploration, defaultMaxApprovalLoss, defaultMaxAttempts, weightOf } from "@pointsman/core/internal"
import type { StoredRate } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { timeOrNull } from "../api/Records.ts"
import { valueField } from "../api/RouteValue.ts"
import type { History, HistoryPeriod, PreviewedRoute, Rate, RoutingSettings } from "./RoutingRecords.ts"
import { successRange } from "./SuccessRange.ts"

const { timeView } = InProcess

export const circuitView = (reading: CircuitReading | undefined) => ({
  state: reading?.state ?? ("closed" as const),
  failures: reading?.failures ?? 0,
  opened: timeOrNull(reading?.openedAt ?? null),
  probe: timeOrNull(reading?.probeAt ?? null)
})

export const settingsView = (
  { settings }: RoutingConfiguration,
  findings: ReadonlyArray<RuleFinding>,
  circuits: ReadonlyArray<CircuitReading>
): RoutingSettings => {
  const found = (isMeant: (place: RuleFinding["place"]) => boolean) =>
    findings.flatMap(({ kind, place, reason }) => (isMeant(place) ? [{ kind, reason }] : []))
  const { control, mode, order, rules = [] } = settings
  return {
    mode,
    order: order ?? null,
    max_attempts: settings.maxAttempts ?? defaultMaxAttempts,
    strategy: settings.strategy ?? null,
    exploration: settings.auto?.exploration ?? defaultExploration,
    objective: settings.auto?.objective ?? "approval",
    max_approval_loss: settings.auto?.maxApprovalLoss ?? defaultMaxApprovalLoss,
    rules: rules.map(({ name, use, when }, index) => ({
      name,
      when,
      mode: use.mode,
      order: use.order ?? null,
      split: use.split ?? null,
      max_attempts: use.maxAttempts ?? null,
      strategy: use.strategy ?? null,
      findings: found((place) => place._tag === "Rule" && place.index === index)
    })),
    control:
      control === undefined
        ? null
        : { share: control.share, order: control.order, findings: found(({ _tag }) => _tag === "Control") },
    findings: found(({ _tag }) => _tag === "Engine"),
    circuits: circuits.map((reading) => ({ connection_id: reading.connectionId, ...circuitView(reading) }))
  }
}

const countsView = (counts: OutcomeCounts) => {
  const range = successRange(counts)
  return {
    succeeded: digits(counts.succeeded, 2),
    failed: digits(counts.failed, 2),
    rate: range === undefined ? null : digits(range.rate, 4),
    low: range === undefined ? null : digits(range.low, 4),
    high: range === undefined ? null : digits(range.high, 4)
  }
}

const digits = (value: number, count: number): number => Number(value.toFixed(count))

export const rateView = ({ connectionId, rate, segment }: StoredRate): Rate => ({
  connection_id: connectionId,
  segment: segment === "" ? null : segment,
  ...countsView(rate)
})

/** As many rows as a page can show; segments with fewer outcomes say little. */
const segmentsAtMost = 100

export const historyView = (
  { isSampled, payments, series, span }: SuccessHistory,
  period: HistoryPeriod,
  segment: string
): History => ({
  period,
  step_seconds: span.stepMillis / 1000,
  until: timeView(span.from + span.steps * span.stepMillis),
  payments,
  is_sampled: isSampled,
  segments: series
    .map((one) => ({ one, total: totalOf(one) }))
    .sort((a, b) => weightOf(b.total) - weightOf(a.total))
    .slice(0, segmentsAtMost)
    .map(({ one, total }) => ({
      connection_id: one.connectionId,
      segment: one.segment === "" ? null : one.segment,
      ...countsView(total)
    })),
  series: series
    .filter((one) => one.segment === segment)
    .map(({ connectionId, steps }) => ({
      connection_id: connectionId,
      steps: steps.map((counts, step) => ({
        from: timeView(span.from + step * span.stepMillis),
        ...countsView(counts)
      }))
    }))
})

const totalOf = ({ steps }: SuccessSeries): OutcomeCounts =>
  steps.reduce(
    (sum, { failed, succeeded }) => ({ succeeded: sum.succeeded + succeeded, failed: sum.failed + failed }),
    { succeeded: 0, failed: 0 }
  )

export const routeView = (
  { decision, payments }: Previewed,
  planned: number,
  connections: RoutingConfiguration["connections"]
): PreviewedRoute => {
  const { candidates, excluded } = decision
  const named = new Set([...candidates, ...excluded].map(({ connectionId }) => connectionId))
  const others = connections.filter(({ id }) => !named.has(id))
  return {
    share: payments / planned,
    path: decision.path,
    rule: decision.rule,
    mode: decision.mode,
    strategy: decision.strategy,
    max_attempts: decision.maxAttempts,
    degraded: decision.degraded,
    note: decision.note,
    candidates: candidates.map(({ connectionId, name, priority, rates, score, value }) => ({
      connection_id: connectionId,
      name,
      priority,
      score,
      rates,
      ...valueField(value)
    })),
    excluded: [
      ...excluded.map(({ code, connectionId, name, reason }) => ({ connection_id: connectionId, name, code, reason })),
      ...others.flatMap(({ active, id, name }) =>
        active
          ? []
          : [{ connection_id: id, name, code: "CONNECTION_INACTIVE" as const, reason: "The connection is not active." }]
      )
    ],
    not_named: others.flatMap(({ active, id, name }) => (active ? [{ connection_id: id, name }] : []))
  }
}
