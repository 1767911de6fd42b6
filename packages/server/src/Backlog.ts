/**
 * What waits in the storage, as gauges: unknown results by their age, what operators have to look
 * at, refunds, what the background and the webhooks are late with, and differences from providers' reports.
 *
 * It is read on a request for metrics, by an index and no further than is counted here, and not more often than every
 * 15 seconds. A storage that does not answer leaves the gauges as they were, and the time of the last reading tells it.
 * Every process on a database tells the same of it.
 */
import { differenceResults, type Payment, type ReviewReason, reviewReasons } from "@pointsman/core"
import { Deliveries, Ledger, openCounted, Settlements } from "@pointsman/core/ports"
import { Clock, Duration, Effect, Metric } from "effect"

/** Counts beyond it are reported as this value: the first pages of a long list show that it is long. */
const countedAtMost = 500
const readEvery = Duration.seconds(15)
const readWithinMillis = 2_000

const gauge = (name: string, description: string, attributes: Readonly<Record<string, string>> = {}) =>
  Metric.gauge(name, { description, attributes })

const minute = 60
const hour = 60 * minute
const ages = { "0s": 0, "15m": 15 * minute, "1h": hour, "1d": 24 * hour, "7d": 7 * 24 * hour } as const

const unknown = Object.entries(ages).map(([age, seconds]) => ({
  seconds,
  gauge: gauge(
    "pointsman_unknown_payments",
    `Payments with an unknown result, by minimum age; at most ${countedAtMost}.`,
    { older_than: age }
  )
}))
const reviews = reviewReasons.map((reason) => ({
  reason,
  gauge: gauge("pointsman_reviews_waiting", `Payments waiting for an operator, by reason; at most ${countedAtMost}.`, {
    reason
  })
}))
const oldestReview = gauge("pointsman_review_age_seconds", "How long the oldest payment has waited for an operator.")
/** What a provider states otherwise than it is recorded. */
const differences: ReadonlySet<ReviewReason> = new Set([
  "amount_mismatch",
  "conflict",
  "double_charge",
  "reversal",
  "reference_reused"
])
const oldestDifference = gauge(
  "pointsman_agreement_oldest_difference_seconds",
  "How long the oldest difference from a provider's record has waited for an operator; 0 if there is none."
)
const refundsPending = gauge(
  "pointsman_refunds_pending",
  `Payments with an unresolved refund, among the first ${countedAtMost} that the background jobs watch.`
)
const watchedPayments = gauge(
  "pointsman_payments_watched",
  `Payments scheduled for another background check; at most ${countedAtMost}.`
)
const checkLag = gauge("pointsman_check_lag_seconds", "How overdue the first due payment check is.")
const checksDue = (connection: string) =>
  gauge(
    "pointsman_checks_due",
    `Payments due for a background check, by connection; at most ${countedAtMost} of each.`,
    {
      connection
    }
  )
const deliveryLag = gauge("pointsman_delivery_lag_seconds", "How overdue the first due webhook delivery is.")
const reportDifferences = differenceResults.map((result) => ({
  result,
  gauge: gauge(
    "pointsman_report_differences_open",
    `Open differences between providers' reports and payments, by kind; of the oldest ${openCounted}.`,
    {
      kind: result
    }
  )
}))
const oldestReportDifference = gauge(
  "pointsman_report_difference_age_seconds",
  "How long the oldest difference between a provider's report and payments has been open."
)
const readAt = gauge("pointsman_backlog_read_timestamp_seconds", "When the backlog was last read from the storage.")

/** Brings the gauges to what is so, where the last reading is old enough. It does not fail. */
export const make: Effect.Effect<Effect.Effect<void>, never, Ledger | Deliveries | Settlements> = Effect.gen(
  function* () {
    const ledger = yield* Ledger
    const deliveries = yield* Deliveries
    const settlements = yield* Settlements
    const readDifferences = Effect.gen(function* () {
      const found = yield* settlements.open
      for (const { gauge: one, result } of reportDifferences) {
        yield* Metric.update(one, found.find((some) => some.result === result)?.count ?? 0)
      }
      const now = yield* Clock.currentTimeMillis
      yield* Metric.update(oldestReportDifference, Math.max(0, ...found.map(({ oldestAt }) => now - oldestAt)) / 1_000)
    })
    // Those that had any, of which some may have none by now. As many as connections exist.
    const withDue = new Map<string, Metric.Gauge<number>>()
    const readDue = Effect.gen(function* () {
      const found = yield* ledger.dueByConnection({ now: yield* Clock.currentTimeMillis, limit: countedAtMost })
      // What asks no provider has no connection.
      const counts = new Map(found.map(({ connectionId, payments }) => [connectionId ?? "", payments]))
      for (const connection of counts.keys()) {
        if (!withDue.has(connection)) withDue.set(connection, checksDue(connection))
      }
      for (const [connection, due] of withDue) yield* Metric.update(due, counts.get(connection) ?? 0)
    })
    const read = Effect.gen(function* () {
      const waiting = yield* ledger.reviews({ limit: countedAtMost })
      const watched = yield* ledger.watched(countedAtMost)
      const firstDueAt = yield* deliveries.firstDueAt
      const now = yield* Clock.currentTimeMillis
      const secondsSince = (at: number | null | undefined) => Math.max(0, now - (at ?? now)) / 1_000
      const isFor = (reason: (typeof reviewReasons)[number]) => (payment: Payment) =>
        payment.review?.reasons.includes(reason) ?? false

      const unknownSince = waiting.filter(isFor("unknown")).map(({ review }) => secondsSince(review?.since))
      for (const one of unknown) {
        yield* Metric.update(one.gauge, unknownSince.filter((seconds) => seconds >= one.seconds).length)
      }
      for (const one of reviews) yield* Metric.update(one.gauge, waiting.filter(isFor(one.reason)).length)
      yield* Metric.update(oldestReview, secondsSince(waiting[0]?.review?.since))
      const differs = ({ review }: Payment) => review?.reasons.some((reason) => differences.has(reason)) ?? false
      yield* Metric.update(oldestDifference, secondsSince(waiting.find(differs)?.review?.since))
      yield* Metric.update(refundsPending, watched.withRefunds)
      yield* Metric.update(watchedPayments, watched.payments)
      yield* Metric.update(checkLag, secondsSince(watched.firstAt))
      yield* readDue
      yield* readDifferences
      yield* Metric.update(deliveryLag, secondsSince(firstDueAt))
      yield* Metric.update(readAt, now / 1_000)
    })
    const told = read.pipe(
      Effect.timeout(readWithinMillis),
      Effect.catchCause((cause) => Effect.logWarning("the backlog could not be read from the storage", cause))
    )
    return yield* Effect.cachedWithTTL(told, readEvery)
  }
)
