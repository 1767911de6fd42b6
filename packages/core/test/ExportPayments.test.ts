/** Exports of payments: their pages are read as they are consumed, and an operator's has its entry in the audit trail. */

import { assert } from "@effect/vitest"
import type { Tenant } from "@pointsman/core"
import { Audit, Deliveries, Ledger, type SearchQuery } from "@pointsman/core/ports"
import { Effect, Exit, Layer, Stream } from "effect"
import { itHere, itIn } from "./support/ItIn.ts"
import { created } from "./support/Operations.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, tenant, world } from "./support/World.ts"

const pageRows = 200

itHere("more than two pages are read once, newest first, without any page before", function* (own, pointsman) {
  const payments = yield* Effect.forEach(Array(2 * pageRows + 3).keys(), () => created())
  const before = own.ledger.calls.payments
  const all = yield* Stream.runCollect(pointsman.exportPayments(caller, {}))
  assertFields(all, "id", ...payments.map(({ id }) => id).toReversed())
  assert.strictEqual(own.ledger.calls.payments - before, 3)
  yield* Stream.runCollect(Stream.take(pointsman.exportPayments(caller, {}), pageRows))
  assert.strictEqual(own.ledger.calls.payments - before, 4)
})

const fewRows = Layer.effect(
  Ledger,
  Effect.map(Ledger, (ledger) => ({
    ...ledger,
    search: (tenant: Tenant, query: SearchQuery) => ledger.search(tenant, { ...query, walkAtMost: 4 })
  }))
)
const walked = { layer: world().layerOver(Layer.merge(Layer.effect(Deliveries, Deliveries), fewRows)) }
itIn("a filter that few match reads each match once when pages end early", walked, function* (_, pointsman) {
  const found: Array<string> = []
  for (let at = 0; at < 11; at++) {
    const metadata = { number: at % 9 === 0 ? "rare" : "other" }
    const { id } = yield* created({ metadata })
    if (at % 9 === 0) found.unshift(id)
  }
  const filter = { metadata: { number: "rare" } }
  const all = yield* Stream.runCollect(pointsman.exportPayments(caller, filter))
  assertFields(all, "id", ...found)
  const first = yield* pointsman.payments(tenant, { ...filter, limit: 10 })
  assert.deepStrictEqual([first.items.length, first.hasMore], [1, true])
  const second = yield* pointsman.payments(tenant, { ...filter, limit: 10, before: first.walkedTo })
  assert.deepStrictEqual([second.items.length, second.hasMore], [0, true])
  // A page that is full begins the next one at its last payment.
  const full = yield* pointsman.payments(tenant, { ...filter, limit: 1 })
  assert.deepStrictEqual([full.items.length, full.hasMore, full.walkedTo], [1, true, undefined])
  // By states, an index leads to each payment.
  const listed = yield* pointsman.payments(tenant, { states: ["Captured"], limit: 10 })
  assert.deepStrictEqual([listed.items.length, listed.walkedTo], [10, undefined])
})

itHere("an export fails if the storage fails between two pages", function* (own, pointsman) {
  for (let at = 0; at <= pageRows; at++) yield* created()
  const before = own.ledger.calls.payments
  own.ledger.canRead = (method) => method !== "payments" || own.ledger.calls.payments - before < 2
  const exit = yield* Effect.exit(Stream.runDrain(pointsman.exportPayments(caller, {})))
  assert.isTrue(Exit.isFailure(exit))
})

itHere("an export's entry names the filter before any read, and of texts only the name", function* (own, pointsman) {
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
  own.ledger.canRead = (method) => method !== "search"
  yield* Effect.exit(Stream.runDrain(exported))
  const [entry, second] = yield* list({ after: 0, limit: 10 })
  assert.isUndefined(second)
  assert.deepStrictEqual([entry?.actor, entry?.action, entry?.subject], ["ann", "payments.exporting", "acme"])
  assert.deepStrictEqual(JSON.parse(entry?.details ?? ""), {
    workspace_id: "acme",
    environment: "sandbox",
    filter: { states: ["Captured"], currency: "EUR", createdFrom: 1, searched: ["reference", "metadata"] }
  })
})
