/** From where and up to where payments without a row are looked for, over several reports of a connection. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itHere } from "./support/ItIn.ts"
import { created } from "./support/Operations.ts"
import { day, entriesOf, orderOf, reconcile, rowOf } from "./support/Reports.ts"

const hour = 60 * 60_000

const createdAt = (time: number) => Effect.andThen(TestClock.setTime(time), created())

/** A report whose rows are of payouts alone. */
const report = (...times: ReadonlyArray<number>) =>
  reconcile(orderOf(times.map((at) => rowOf(undefined, { id: `row_${at}`, kind: "payout", occurredAt: at }))))

const missing = Effect.map(entriesOf, (entries) =>
  entries.filter(({ result }) => result === "missing_there").map(({ paymentId }) => paymentId)
)

itHere("a payment between settlements is missing despite 100 reports without rows", function* () {
  const payment = yield* createdAt(4 * day)
  yield* TestClock.setTime(40 * day)
  yield* report(0, 3 * day)
  for (let at = 0; at < 101; at++) yield* reconcile(orderOf([], { fileName: `empty_${at}`, sha256: `empty ${at}` }))
  const run = yield* report(30 * day, 30 * day + hour)
  assert.deepStrictEqual(yield* missing, [payment.id])
  assert.deepStrictEqual([run.missing?.from, run.missing?.until], [day + 1, 28 * day + hour])
})

itHere("a look after a first report shorter than the delay starts at that report", function* () {
  yield* createdAt(9 * day)
  const inside = yield* createdAt(11 * day)
  yield* TestClock.setTime(20 * day)
  const first = yield* report(10 * day, 10 * day + 5 * hour)
  assert.deepStrictEqual(yield* missing, [])
  assert.deepStrictEqual([first.missing?.from, first.missing?.until], [10 * day + hour, 10 * day + hour - 1])
  yield* report(12 * day, 14 * day)
  assert.deepStrictEqual(yield* missing, [inside.id])
})
