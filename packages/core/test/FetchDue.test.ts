/** Reports that are fetched on a schedule: when, by which process, and what a failure or a kill leaves. */
import { assert } from "@effect/vitest"
import { type Connection, Metrics, Pointsman, type ReconciliationRun } from "@pointsman/core"
import { RecordLosses, Retention, Settlements, StorageCondition, Unanswered } from "@pointsman/core/ports"
import { Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { changeConnections, stored } from "./support/Pages.ts"
import { day, entriesOf, listedPayments, pageOf, paidAt } from "./support/Reports.ts"
import { given } from "./support/SetClock.ts"
import { tenant, world } from "./support/World.ts"

const minute = 60_000
const hour = 60 * minute
const everyMillis = 6 * hour

const scheduled = (id: string, more: Partial<Connection> = {}) => ({ id, reports: { everyMillis }, ...more })
const ofMain = () => world({ connections: [scheduled("main")] })

const runsOf = (connectionId: string) =>
  Effect.flatMap(Pointsman, ({ reconciliation }) => reconciliation.list({ tenant, connectionId, limit: 100 }))

/** Lets what was begun go on, until that is so. */
const until = Effect.fnUntraced(function* <E, R>(isSo: Effect.Effect<boolean, E, R>) {
  for (let turns = 0; turns < 20_000; turns++) {
    if (yield* isSo) return
    yield* Effect.yieldNow
  }
  return yield* Effect.die("it never came to that")
})

/** Long enough for a fetch that has begun to ask for something. */
const rest = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })

const keepFetching = (pointsman: Pointsman["Service"]) =>
  Effect.forkScoped(pointsman.keepFetching(minute), { startImmediately: true })
const begin = Effect.flatMap(Pointsman, keepFetching)

const isDone = ({ state }: ReconciliationRun) => state === "done"
const untilRuns = (connectionId: string, count: number) =>
  until(Effect.map(runsOf(connectionId), (runs) => runs.length === count && runs.every(isDone)))

const lag = (connection: string, report = "scripted-balance") =>
  Effect.map(Metric.value(Metrics.reportsLate(connection, report)), ({ value }) => value)
/** How many fetches have failed since then: the metrics are those of all tests. */
const failuresOf = Effect.fnUntraced(function* (connection: string, report = "scripted-balance") {
  const failed = Effect.map(Metric.value(Metrics.reportFetches(connection, report, "failed")), ({ count }) =>
    Number(count)
  )
  const before = yield* failed
  const count = Effect.map(failed, (now) => now - before)
  return { count, until: (wanted: number) => until(Effect.map(count, (found) => found === wanted)) }
})

itIn("scheduled reports are fetched from where the last fetch ended", ofMain(), function* (own) {
  const { payments } = yield* listedPayments(own, 5)
  yield* begin
  // Seven days up to an hour ago: eight parts of days.
  yield* untilRuns("main", 8)
  for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
  const asked = own.provider.lists.length
  yield* TestClock.adjust(everyMillis - minute)
  yield* rest
  assert.strictEqual(own.provider.lists.length, asked)
  yield* TestClock.adjust(minute)
  // Up to midnight, and from there.
  yield* untilRuns("main", 10)
  const [newest] = yield* runsOf("main")
  assert.strictEqual(newest?.fileName, "scripted-balance from 1970-01-14T00:00:00.000Z until 1970-01-14T05:00:00.000Z")
})

const set = given({ connections: [scheduled("main")] })
itIn("the next look fetches once a clock that was days ahead is right again", set, function* () {
  yield* listedPayments(set.own, 1)
  set.machine.aheadMillis = 3 * day
  yield* begin
  yield* untilRuns("main", 8)
  const asked = set.own.provider.lists.length
  set.machine.aheadMillis = 0
  yield* TestClock.adjust(minute)
  // The day that no window ended before, up to an hour ago.
  yield* untilRuns("main", 9)
  assert.isAbove(set.own.provider.lists.length, asked)
})

const unscheduled = world({ connections: [{ id: "main" }] })
itIn("a connection without a schedule asks nothing and takes no lease", unscheduled, function* () {
  yield* listedPayments(unscheduled, 1)
  yield* begin
  yield* TestClock.adjust(2 * everyMillis)
  yield* rest
  assert.deepStrictEqual(unscheduled.provider.lists, [])
  const now = paidAt + 3 * day + 2 * everyMillis
  const lease = { what: "reports", holder: "another", now, until: now + 1 } as const
  assert.isTrue(yield* Effect.flatMap(Retention, (retention) => retention.lease(lease)))
})

for (const [what, report] of [
  ["a silent provider", "scripted-balance"],
  ["a defect while all is fetched", "all"],
  ["a defect while a report is fetched", "scripted-balance"]
] as const) {
  const pair = world({ connections: [scheduled("main"), scheduled("other")] })
  itIn(`${what} is a late failure, tried again in ten minutes; others are fetched`, pair, function* () {
    const { entries } = yield* listedPayments(pair, 0)
    let isBroken = true
    const ofMain = ({ connectionId }: { readonly connectionId?: string | undefined }) =>
      isBroken && connectionId === "main"
    const settlements = yield* Settlements
    const died = Effect.die(new Error("a defect"))
    const store: Record<string, Partial<Settlements>> = {
      "a defect while all is fetched": { runs: (query) => (ofMain(query) ? died : settlements.runs(query)) },
      "a defect while a report is fetched": {
        begin: (run, ...more) => (ofMain(run) ? died : settlements.begin(run, ...more))
      }
    }
    pair.provider.onListReport = (asked) =>
      ofMain(asked) && what === "a silent provider"
        ? Effect.fail(new Unanswered({ reason: "timed out" }))
        : Effect.succeed(pageOf(entries, asked))
    const failures = yield* failuresOf("main", report)
    yield* keepFetching(yield* Effect.provideService(pair.another, Settlements, { ...settlements, ...store[what] }))
    yield* untilRuns("other", 8)
    yield* failures.until(1)
    yield* TestClock.adjust(9 * minute)
    yield* rest
    assert.strictEqual(yield* failures.count, 1)
    assert.deepStrictEqual([yield* lag("main", report), yield* lag("other")], [540, 0])
    yield* TestClock.adjust(minute)
    yield* failures.until(2)
    assert.lengthOf(yield* runsOf("other"), 8)
    isBroken = false
    yield* TestClock.adjust(10 * minute)
    yield* untilRuns("main", 8)
    yield* TestClock.adjust(minute)
    yield* until(Effect.map(lag("main", report), (seconds) => seconds === 0))
  })
}

for (const killedAt of [1, 2, 3, 4, 5, 6]) {
  const killed = world({ connections: [{ id: "main", reports: { everyMillis: hour } }] })
  itIn(`another process continues a run that died at page ${killedAt}, with no row twice`, killed, function* () {
    const { entries, payments } = yield* listedPayments(killed, 5)
    // Up to the days of the rows, all is fetched.
    yield* Effect.flatMap(Pointsman, ({ reconciliation }) =>
      reconciliation.fetch({ connectionId: "main", from: paidAt - day, until: paidAt })
    )
    yield* TestClock.setTime(paidAt + 2 * hour)
    let pages = 0
    killed.provider.onListReport = (asked) =>
      ++pages === killedAt ? Effect.never : Effect.succeed(pageOf(entries, asked))
    const first = yield* begin
    yield* until(Effect.sync(() => pages === killedAt))
    yield* Fiber.interrupt(first)
    killed.provider.onListReport = (asked) => Effect.succeed(pageOf(entries, asked))
    const begun = yield* runsOf("main")
    const another = yield* killed.another
    yield* keepFetching(another)
    yield* rest
    // The lease of the process that died has to end first.
    assert.deepStrictEqual(yield* runsOf("main"), begun)
    yield* TestClock.adjust(5 * minute)
    // The window of the run that had begun, and the time since.
    yield* untilRuns("main", begun.length === 2 ? 3 : 2)
    const runs = yield* runsOf("main")
    const matched = runs.map(({ counts }) => counts.matched)
    assert.strictEqual(
      matched.reduce((sum, count) => sum + count, 0),
      5
    )
    assert.lengthOf(yield* entriesOf, 5)
    for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
  })
}

itIn("one of two processes asks the provider when reports are due", ofMain(), function* (own) {
  yield* listedPayments(own, 1)
  yield* begin
  yield* Effect.flatMap(own.another, keepFetching)
  yield* untilRuns("main", 8)
  yield* rest
  const windows = own.provider.lists.map(({ createdFrom }) => createdFrom)
  // Each is read twice, for its hash and for its rows.
  assert.strictEqual(windows.length, 2 * new Set(windows).size)
})

itIn("nothing is asked while the storage takes no new work", ofMain(), function* (own) {
  yield* listedPayments(own, 0)
  let refusal: string | null = "the disk is full"
  const read = Effect.sync(() => ({ refusal, warnings: [] }))
  const condition = { read, admit: Effect.void }
  const pointsman = yield* Effect.provideService(own.another, StorageCondition, condition)
  yield* keepFetching(pointsman)
  yield* TestClock.adjust(hour)
  yield* rest
  assert.deepStrictEqual(own.provider.lists, [])
  refusal = null
  yield* TestClock.adjust(minute)
  yield* untilRuns("main", 8)
})

const lossy = world({ connections: [scheduled("main"), scheduled("other")] })
itIn("a connection with lost records is fetched once it is recovered", lossy, function* () {
  yield* listedPayments(lossy, 0)
  let recovered: ReadonlyArray<string> = ["other"]
  const loss = { number: 1, since: 0, reason: "a test", declaredAt: 0, refundsWait: [], ended: null }
  const losses = { ...(yield* RecordLosses), known: Effect.sync(() => ({ ...loss, recovered })) }
  const pointsman = yield* Effect.provideService(lossy.another, RecordLosses, losses)
  yield* keepFetching(pointsman)
  yield* untilRuns("other", 8)
  yield* TestClock.adjust(hour)
  yield* rest
  assert.lengthOf(yield* runsOf("main"), 0)
  recovered = ["other", "main"]
  yield* TestClock.adjust(minute)
  yield* untilRuns("main", 8)
})

itIn("a connection whose record changes after a failure is fetched at the next look", ofMain(), function* (own) {
  yield* listedPayments(own, 0)
  own.provider.onListReport = () => Effect.fail(new Unanswered({ reason: "not allowed" }))
  const failures = yield* failuresOf("main")
  yield* begin
  yield* failures.until(1)
  own.provider.onListReport = () => Effect.succeed({ entries: [], nextCursor: null })
  yield* changeConnections((connection) => ({ ...connection, timeoutMillis: 1_000 }))
  yield* TestClock.adjust(minute)
  yield* untilRuns("main", 8)
})

itIn("a connector that fetches no reports is reported as late", ofMain(), function* () {
  const failures = yield* failuresOf("main", "all")
  yield* begin
  yield* failures.until(1)
  yield* TestClock.adjust(5 * minute)
  assert.strictEqual(yield* lag("main", "all"), 300)
})
