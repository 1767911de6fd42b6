/** Exports of payments: their pages are read as they are consumed, and an operator's has its entry in the audit trail. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Audit } from "@pointsman/core/ports"
import { Effect, Exit, Stream } from "effect"
import { caller, request, tenant, world } from "./support/World.ts"

const pageRows = 200

describe("exports of payments", () => {
  it.effect("given more than two pages, then all are read once, newest first, and no page before it is needed", () => {
    const own = world()
    return Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const created: Array<string> = []
      for (let at = 0; at < 2 * pageRows + 3; at++) {
        created.push((yield* pointsman.create(caller, request())).payment.id)
      }
      const before = own.ledger.calls.payments
      const all = yield* Stream.runCollect(pointsman.exportPayments(caller, {}))
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        created.toReversed()
      )
      assert.strictEqual(own.ledger.calls.payments - before, 3)
      yield* Stream.runCollect(Stream.take(pointsman.exportPayments(caller, {}), pageRows))
      assert.strictEqual(own.ledger.calls.payments - before, 4)
    }).pipe(Effect.provide(own.layer))
  })

  it.effect("given a storage that fails between two pages, then the export fails", () => {
    const own = world()
    return Effect.gen(function* () {
      const pointsman = yield* Pointsman
      for (let at = 0; at <= pageRows; at++) yield* pointsman.create(caller, request())
      const before = own.ledger.calls.payments
      own.ledger.canRead = (method) => method !== "payments" || own.ledger.calls.payments - before < 2
      const exit = yield* Effect.exit(Stream.runDrain(pointsman.exportPayments(caller, {})))
      assert.isTrue(Exit.isFailure(exit))
    }).pipe(Effect.provide(own.layer))
  })

  it.effect(
    "given an operator, then an entry names the filter before anything is read, and of texts the name alone",
    () => {
      const own = world()
      return Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const { list } = yield* Audit
        yield* Stream.runDrain(pointsman.exportPayments(caller, {}))
        assert.deepStrictEqual(yield* list({ after: 0, limit: 10 }), [])
        const filter = {
          states: ["Captured"],
          currency: "EUR",
          createdFrom: 1,
          reference: "jane@example.com",
          metadata: { customer: "jane@example.com" }
        } as const
        const exported = pointsman.exportPayments({ tenant, operator: "ann" }, filter)
        own.ledger.canRead = (method) => method !== "payments"
        yield* Effect.exit(Stream.runDrain(exported))
        const [entry, second] = yield* list({ after: 0, limit: 10 })
        assert.isUndefined(second)
        assert.deepStrictEqual([entry?.actor, entry?.action, entry?.subject], ["ann", "payments.exporting", "acme"])
        assert.deepStrictEqual(JSON.parse(entry?.details ?? ""), {
          workspace_id: "acme",
          environment: "sandbox",
          filter: { states: ["Captured"], currency: "EUR", createdFrom: 1, searched: ["reference", "metadata"] }
        })
      }).pipe(Effect.provide(own.layer))
    }
  )
})
