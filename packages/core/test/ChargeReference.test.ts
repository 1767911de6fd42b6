import { assert } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { movedPayment, referencesOf } from "../src/model/PaymentBook.ts"
import { nothingReported } from "../src/model/Reported.ts"
import { itHere } from "./support/ItIn.ts"
import { caller, request } from "./support/World.ts"

itHere("a charge that stays is not named again by its own reference as its payment moves", function* () {
  const created = yield* (yield* Pointsman).create(caller, request())
  const book = { payment: created.payment, attempts: [], operations: [], refunds: [] }
  const [connectionId, providerRef] = ["main", "ch-1"]
  const payment = { ...created.payment, connectionId, providerRef }
  const named = (after: Partial<typeof payment>) =>
    referencesOf({ attempts: [], payment: movedPayment({ ...book, payment }, { ...payment, ...after }) })
  assert.deepStrictEqual(named({ state: "Refunded" }), [])
  assert.deepStrictEqual(named({ providerRef: "another" }), [{ connectionId, providerRef: "another", isTaken: true }])
  assert.deepStrictEqual(named({ connectionId: "another" }), [{ connectionId: "another", providerRef, isTaken: true }])
  const captured = (...ids: ReadonlyArray<string>) => ({
    ...nothingReported,
    captures: ids.map((id) => ({ id, minorUnits: 1 }))
  })
  assert.deepStrictEqual(named({ reported: captured("cap-1") }), [
    { connectionId, providerRef: "cap-1", isTaken: false }
  ])
  const before = { ...payment, reported: captured("cap-1") }
  const after = { ...payment, reported: captured("cap-1", "cap-2") }
  assert.deepStrictEqual(referencesOf({ attempts: [], payment: movedPayment({ ...book, payment: before }, after) }), [
    { connectionId, providerRef: "cap-2", isTaken: false }
  ])
})
