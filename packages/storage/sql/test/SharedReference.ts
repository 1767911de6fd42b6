/** A database of a version that let two payments of a connection have one reference. */
import { expect } from "@effect/vitest"
import { type Change, Ledger, ReferenceTaken } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { newChange, tenant } from "./Given.ts"

/** A payment that was charged under the reference. */
export const newCharge = (providerRef: string) =>
  newChange({ state: "Captured", authorizedMinor: 1000, capturedMinor: 1000, connectionId: "first", providerRef })

/** A payment whose attempt was declined under the reference. */
export const newDecline = (providerRef: string) =>
  Effect.map(newChange({ state: "Declined" }), (change) => ({
    ...change,
    attempts: change.attempts.map((attempt) => ({ ...attempt, outcome: "Declined" as const, providerRef }))
  }))

/** Once the database is of this version. Both payments were written under references of their own, and share "ch-1" since. */
export const expectShared = Effect.fnUntraced(function* (first: Change, second: Change, declined: Change) {
  const ledger = yield* Ledger
  const refused = yield* ledger.bookOf(tenant, { connectionId: "first", providerRef: "ch-3" })
  expect(Option.map(refused, ({ book }) => book.payment.id)).toEqual(Option.some(declined.payment.after.id))
  // Each goes on under what it has.
  for (const { claim: _, payment } of [first, second]) {
    const after = { ...payment.after, version: 2, providerRef: "ch-1" }
    yield* ledger.commit({ tenant, payment: { expected: 1, after }, attempts: [], events: [] })
  }
  const third = yield* newCharge("ch-1")
  expect(yield* Effect.flip(ledger.commit(third))).toEqual(
    new ReferenceTaken({ connectionId: "first", providerRef: "ch-1", paymentId: first.payment.after.id })
  )
  const found = yield* ledger.bookOf(tenant, { connectionId: "first", providerRef: "ch-1" })
  expect(Option.map(found, ({ book, others }) => [book.payment.id, others])).toEqual(
    Option.some([first.payment.after.id, [second.payment.after.id]])
  )
})
