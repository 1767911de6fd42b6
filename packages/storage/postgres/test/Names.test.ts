/** A name leads to a book by a short hash, and what is found is compared with the book. */
import { describe, expect, it } from "@effect/vitest"
import { Ids, Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { newChange, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf } from "./support/Waiting.ts"

describe.skipIf(!hasServer)("names", () => {
  it.live("a message is of the payment that it names among two with the same hashes", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* withStorage({ url })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const changes = [yield* newChange(), yield* newChange()]
          for (const change of changes) yield* ledger.commit(change)
          const sql = yield* clientOf(url, 1)
          yield* sql`insert into names (t, name, payment) select one.t, one.name, other.payment
            from names as one join names as other on one.payment <> other.payment`
          for (const { attempts, payment } of changes) {
            const found = yield* ledger.bookOf(tenant, { attemptId: attempts[0]?.id ?? "" })
            expect(Option.map(found, ({ book, others }) => [book.payment.id, ...others])).toEqual(
              Option.some([payment.after.id])
            )
          }
        })
      )
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("a charge that moved no money has one name after another write of its attempt", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* withStorage({ url })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const change = yield* newChange()
          const attempts = change.attempts.map((one) => ({
            ...one,
            outcome: "Declined" as const,
            providerRef: "ref-1"
          }))
          yield* ledger.commit({ ...change, attempts })
          const { after } = change.payment
          const before = Option.getOrUndefined(yield* ledger.book(tenant, after.id))
          const payment = { expected: 1, before, after: { ...after, version: 2 } }
          yield* ledger.commit({ ...change, attempts, payment, claim: undefined, events: [] })
          const sql = yield* clientOf(url, 1)
          expect(yield* sql`select name from names`).toHaveLength(2)
        })
      )
    }).pipe(Effect.provide(Ids.layer))
  )
})
