/** Where the next fetch begins after windows that were fetched by hand, or that a killed run began. */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { day, orderOf, paidAt, reconcile } from "./support/Reports.ts"
import { tenant, type World, world } from "./support/World.ts"

const hour = 60 * 60_000
const minute = 60_000

const setUp = ({ provider }: World) => {
  provider.onListReport = () => Effect.succeed({ entries: [], nextCursor: null })
  return TestClock.setTime(paidAt)
}

const fetch = (more: { readonly from?: number; readonly until?: number } = {}) =>
  Effect.flatMap(Pointsman, ({ reconciliation }) => reconciliation.fetch({ connectionId: "main", ...more }))

const windowNames = (runs: ReadonlyArray<{ readonly fileName: string }>) => runs.map(({ fileName }) => fileName)

const named = (from: number, until: number) =>
  `scripted-balance from ${new Date(from).toISOString()} until ${new Date(until).toISOString()}`

describe("where the next fetch begins", () => {
  itIn("a day fetched by hand behind a gap lets the next fetch read the gap and continue", world(), function* (own) {
    yield* setUp(own)
    yield* fetch()
    yield* TestClock.setTime(paidAt + 4 * day)
    yield* fetch({ from: paidAt + 2 * day, until: paidAt + 3 * day })
    assert.deepStrictEqual(windowNames(yield* fetch()), [
      named(paidAt - hour, paidAt),
      named(paidAt, paidAt + day),
      named(paidAt + day, paidAt + 2 * day),
      named(paidAt + 2 * day, paidAt + 3 * day),
      named(paidAt + 3 * day, paidAt + 4 * day - hour)
    ])
    assert.deepStrictEqual(yield* fetch(), [])
  })

  itIn("the next fetch begins behind what followed a gap that was filled by hand", world(), function* (own) {
    yield* setUp(own)
    yield* fetch()
    yield* TestClock.setTime(paidAt + 4 * day)
    yield* fetch({ from: paidAt + 2 * day, until: paidAt + 3 * day })
    yield* fetch({ from: paidAt - 2 * hour, until: paidAt + 2 * day })
    assert.deepStrictEqual(windowNames(yield* fetch()), [named(paidAt + 3 * day, paidAt + 4 * day - hour)])
  })

  itIn("three days are fetched again once a clock that was ahead of them is right", world(), function* (own) {
    yield* setUp(own)
    yield* fetch()
    yield* TestClock.setTime(paidAt + 3 * day)
    yield* fetch()
    yield* TestClock.setTime(paidAt + 4 * hour)
    assert.deepStrictEqual(windowNames(yield* fetch()), [named(paidAt, paidAt + 3 * hour)])
  })

  itIn("the next fetch begins behind a window read from a file of its name", world(), function* (own) {
    yield* setUp(own)
    yield* fetch()
    yield* TestClock.setTime(paidAt + day)
    const format = { name: "scripted-balance", kinds: ["scripted"], delayMillis: 0 }
    yield* reconcile(orderOf([], { format, fileName: named(paidAt - hour, paidAt + hour) }))
    assert.deepStrictEqual(windowNames(yield* fetch()), [named(paidAt + hour, paidAt + day - hour)])
  })

  itIn("the next fetch begins at its own end, behind 1,000 newer runs of another report", world(), function* (own) {
    yield* setUp(own)
    yield* fetch()
    yield* TestClock.setTime(paidAt + hour)
    for (let at = 0; at < 1_000; at++) yield* reconcile(orderOf([], { sha256: `other ${at}` }))
    assert.deepStrictEqual(windowNames(yield* fetch()), [named(paidAt - hour, paidAt)])
  })

  itIn("a fetch a year after the last end reads a year, and the one after it the rest", world(), function* (own) {
    yield* setUp(own)
    yield* fetch()
    yield* TestClock.setTime(paidAt + 400 * day)
    const year = yield* fetch()
    assert.lengthOf(year, 366)
    assert.strictEqual(year.at(-1)?.fileName, named(paidAt + 364 * day, paidAt + 365 * day))
    const rest = yield* fetch()
    assert.strictEqual(rest.at(-1)?.fileName, named(paidAt + 399 * day, paidAt + 400 * day - hour))
  })

  itIn("the next fetch ends the run of a first one killed while it is applied", world(), function* (own) {
    yield* setUp(own)
    let pages = 0
    own.provider.onListReport = () => {
      // A day in part: 1 hour, read twice.
      pages += 1
      return pages === 2 ? Effect.interrupt : Effect.succeed({ entries: [], nextCursor: null })
    }
    assert.isTrue(Exit.isFailure(yield* Effect.exit(fetch())))
    yield* TestClock.setTime(paidAt + 10 * minute)
    const [run] = yield* fetch()
    assert.strictEqual(run?.fileName, named(paidAt - 7 * day - hour, paidAt - 7 * day))
    const { reconciliation } = yield* Pointsman
    const runs = yield* reconciliation.list({ tenant, connectionId: "main", limit: 100 })
    assert.deepStrictEqual(
      runs.filter(({ state }) => state !== "done"),
      []
    )
  })
})
