/** Statements of a report over a store that fails, or that others write to, while they are applied. */
import { assert, describe } from "@effect/vitest"
import type { Payment } from "@pointsman/core"
import { type Change, Ledger } from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { createMany } from "./support/Operations.ts"
import { stored, typesOf } from "./support/Pages.ts"
import { day, entriesOf, orderOf, paidAt, reconcile, rowOf } from "./support/Reports.ts"
import { world } from "./support/World.ts"

/** Reads the report while the clock goes on, for pauses between tries. */
const reconcileInTime = Effect.fnUntraced(function* (payments: ReadonlyArray<Payment>) {
  yield* TestClock.setTime(paidAt + day)
  const running = yield* Effect.forkChild(reconcile(orderOf(payments.map((one) => rowOf(one)))))
  for (let second = 0; second < 5; second++) yield* TestClock.adjust("1 second")
  return yield* Fiber.join(running)
})

const faults: ReadonlyArray<readonly [told: string, fault: CommitFault]> = [
  ["fails and wrote nothing", "unwritten"],
  ["does not answer and wrote nothing", "lost"],
  ["does not answer and wrote it", "unheard"],
  ["does not answer and writes it later", { landsAfter: 20 }]
]

describe("a statement of a report", () => {
  for (const [told, fault] of faults) {
    itIn(`a payment is settled once by a store that ${told}`, world(), function* (own) {
      const payments = yield* createMany(own, 5)
      const failed = new Set<string>()
      own.ledger.onCommit = (_, { payment }: Change) => {
        if (failed.has(payment.after.id)) return undefined
        failed.add(payment.after.id)
        return fault
      }
      const run = yield* reconcileInTime(payments)
      assert.deepStrictEqual([run.state, run.counts.matched, failed.size], ["done", 5, 5])
      for (const payment of payments) {
        const { state, version } = yield* stored(payment)
        assert.deepStrictEqual([state, version], ["Settled", payment.version + 1])
        const settled = (yield* typesOf(payment)).filter((type) => type === "payment.settled")
        assert.deepStrictEqual(settled, ["payment.settled"])
      }
      assert.deepStrictEqual(new Set((yield* entriesOf).map(({ result }) => result)), new Set(["matched"]))
    })
  }

  itIn("another writer between a run's read and its write keeps both writes", world(), function* (own) {
    const payments = yield* createMany(own, 3)
    const ledger = yield* Ledger
    const others = new Set<string>()
    own.ledger.beforeCommit = (_, { payment, tenant }) => {
      const { id, version } = payment.after
      if (others.has(id)) return Effect.void
      others.add(id)
      return Effect.gen(function* () {
        const before = yield* stored({ ...payment.after, tenant })
        const after: Payment = { ...before, version, metadata: { writer: "another" } }
        yield* ledger.commit({ tenant, payment: { expected: before.version, after }, attempts: [], events: [] })
      }).pipe(Effect.provideService(Ledger, ledger), Effect.orDie)
    }
    const run = yield* reconcileInTime(payments)
    assert.deepStrictEqual([run.state, others.size], ["done", 3])
    for (const payment of payments) {
      const { metadata, state, version } = yield* stored(payment)
      assert.deepStrictEqual([state, version, metadata], ["Settled", payment.version + 2, { writer: "another" }])
    }
  })
})
