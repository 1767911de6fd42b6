/**
 * What Pointsman counts, through Effect's own metrics: a program that wants the numbers reads Effect's registry.
 * Nothing here is read to decide anything.
 *
 * A family is counted in series, one for each set of labels. Labels are ids of the configuration and our own words,
 * never what a request brought: that bounds how many series there are, and keeps secrets out.
 */
import { Metric } from "effect"

interface Family<Labels extends ReadonlyArray<string>> {
  readonly description: string
  readonly labels: Labels
}

type Values<Labels extends ReadonlyArray<string>> = { readonly [Label in keyof Labels]: string }

/** One series for each set of labels, made once: naming it anew would cost more than counting. */
const family = <const Labels extends ReadonlyArray<string>, Series>(
  labels: Labels,
  make: (attributes: Readonly<Record<string, string>>) => Series
): ((...values: Values<Labels>) => Series) => {
  const series = new Map<string, Series>()
  return (...values) => {
    const key = values.join("\u0000")
    const known = series.get(key)
    if (known !== undefined) return known
    const made = make(Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ""])))
    series.set(key, made)
    return made
  }
}

/** A family of counters; its name ends in `_total`. */
export const counters = <const Labels extends ReadonlyArray<string>>(
  name: string,
  { description, labels }: Family<Labels>
): ((...values: Values<Labels>) => Metric.Counter<number>) =>
  family(labels, (attributes) => Metric.counter(name, { description, attributes, incremental: true }))

/** A family of durations; its name ends in `_seconds`, and that is the unit of what it is updated with. */
export const durations = <const Labels extends ReadonlyArray<string>>(
  name: string,
  { description, labels }: Family<Labels>
): ((...values: Values<Labels>) => Metric.Histogram<number>) =>
  family(labels, (attributes) => Metric.histogram(name, { description, attributes, boundaries: secondsBoundaries }))

/** A family of gauges. */
export const gauges = <const Labels extends ReadonlyArray<string>>(
  name: string,
  { description, labels }: Family<Labels>
): ((...values: Values<Labels>) => Metric.Gauge<number>) =>
  family(labels, (attributes) => Metric.gauge(name, { description, attributes }))

/** From a read of a row to a provider that takes its whole time-out. */
const secondsBoundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Attempts that ended, by how their call ended. */
export const attemptsEnded = counters("pointsman_attempts_total", {
  description: "Completed charge and checkout attempts, by connection and outcome.",
  labels: ["connection", "outcome"]
})

/** Payments that began with a route. A request that is answered from an earlier one makes no decision. */
export const routesTaken = counters("pointsman_routing_decisions_total", {
  description: "Routed payments, by path (engine, rule, control) and mode.",
  labels: ["path", "mode"]
})

/** Closed circuits that opened in this process; a probe that fails opens nothing anew. */
export const circuitsOpened = counters("pointsman_circuit_opened_total", {
  description: "Number of times that a connection's circuit opened.",
  labels: ["connection"]
})

/** Calls of providers, by connection and by what was asked: from the first step to the answer, or to giving up. */
export const providerCalls = durations("pointsman_provider_call_duration_seconds", {
  description: "Duration of provider calls, by connection and operation.",
  labels: ["connection", "operation"]
})

/** Reads and commits, by the storage and by the operation of its port. */
export const storageOperations = durations("pointsman_storage_duration_seconds", {
  description: "Duration of storage operations, by storage and operation.",
  labels: ["storage", "operation"]
})

/** Of those, the ones whose storage failed; `CommitUnknown` is a commit that may or may not have been written. */
export const storageErrors = counters("pointsman_storage_errors_total", {
  description: "Failed storage operations, by storage, operation and error.",
  labels: ["storage", "operation", "error"]
})

/** Verified messages of providers that were decided: each of them once, and again where an operator applies it again. */
export const messagesDecided = counters("pointsman_provider_messages_total", {
  description: "Messages of providers that were decided, by connection and outcome.",
  labels: ["connection", "outcome"]
})

/** Messages to connections that exist whose sender could not be verified. */
export const messagesRefused = counters("pointsman_provider_messages_refused_total", {
  description: "Messages of providers that failed verification, by connection.",
  labels: ["connection"]
})

/** Verified messages that wait until others of their connection are recorded. */
export const messagesWaiting = gauges("pointsman_provider_messages_waiting", {
  description: "Verified messages of providers that wait to be recorded, by connection.",
  labels: ["connection"]
})

/** Attempts to deliver a webhook that ended: the class of the receiver's status, or why there was none. */
export const deliveriesEnded = counters("pointsman_deliveries_total", {
  description: "Completed webhook delivery attempts, by outcome.",
  labels: ["outcome"]
})

/** From the signing of a webhook to its answer. */
export const deliveryAttempts = durations("pointsman_delivery_duration_seconds", {
  description: "Duration of webhook delivery attempts, by outcome.",
  labels: ["outcome"]
})

/** Closed payments that were looked up at their providers, by connection and by what that said of the record. */
export const proofLookUps = counters("pointsman_agreement_lookups_total", {
  description: "Lookups that compared a closed payment with its provider's record, by connection and result.",
  labels: ["connection", "result"]
})

/** What left the store because its time was over, by kind: `payment`, `delivery` or `message_body`. */
export const retentionRemoved = counters("pointsman_retention_removed_total", {
  description: "Records that retention removed from the store, by kind.",
  labels: ["kind"]
})

/** At the end of the last sweep of this process; 0 where there is none of the kind. */
export const retentionOldest = gauges("pointsman_retention_oldest_seconds", {
  description: "Age of the oldest stored record, by kind.",
  labels: ["kind"]
})

/** Scheduled fetches of reports that ended: `fetched`, `failed`, or `taken` where another process was reading. */
export const reportFetches = counters("pointsman_report_fetches_total", {
  description: "Scheduled fetches of providers' reports, by connection, report and result.",
  labels: ["connection", "report", "result"]
})

/** In the process that fetches; 0 in the others, and where it is in time. */
export const reportsLate = gauges("pointsman_report_fetch_lag_seconds", {
  description: "How overdue the next scheduled fetch of a provider's report is, by connection and report.",
  labels: ["connection", "report"]
})
