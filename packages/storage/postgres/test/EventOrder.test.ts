/** No event shows while a smaller id can still be committed, and one tenant does not wait for another. */

import type { PgClient } from "@effect/sql-pg"
import { describe, expect } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import type { Tenant } from "@pointsman/core"
import { type Change, Ledger } from "@pointsman/core/ports"
import { Effect, Fiber } from "effect"
import { newChange, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf, patient, until } from "./support/Waiting.ts"

/** A commit of this payment stops after its ids were drawn, for as long as somebody holds the lock. */
const stopping = (paymentId: string) => [
  `create function wait_for_test() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(1);
    return new;
  end $$`,
  `create trigger wait_for_test before insert on events for each row when (new.payment = '${paymentId}')
    execute function wait_for_test()`
]

const of = (change: Change, owner: Tenant): Change => ({
  ...change,
  tenant: owner,
  payment: { ...change.payment, after: { ...change.payment.after, tenant: owner } }
})

const idsOf = (events: ReadonlyArray<{ readonly paymentId: string }>) => events.map(({ paymentId }) => paymentId)

describe.skipIf(!hasServer)("the order of events", () => {
  itRunsLive("only later events of its tenant wait for a commit that is held open", function* () {
    const url = yield* newDatabase
    const sql = yield* clientOf(url, 2)
    yield* withStorage({ url, ...patient })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const [before, held, later, others] = [
          yield* newChange(),
          yield* newChange(),
          yield* newChange(),
          of(yield* newChange(), { ...tenant, environment: "production" })
        ]
        const idOf = (change: Change) => change.payment.after.id
        yield* ledger.commit(before)
        for (const statement of stopping(idOf(held))) yield* sql.unsafe(statement)
        const follow = Effect.map(ledger.events(tenant, { after: "", limit: 10 }), idsOf)
        yield* sql
          .withTransaction(
            Effect.gen(function* () {
              yield* sql`select pg_advisory_xact_lock(1)`
              const fiber = yield* Effect.forkChild(ledger.commit(held))
              yield* waiting(sql)
              yield* ledger.commit(later)
              yield* ledger.commit(others)

              // Stored, and not shown; its own timeline needs no order with others.
              const stored = yield* sql<{ payment: string }>`select payment from events order by id`
              expect(stored.map((row) => row.payment)).toContain(idOf(later))
              expect(yield* follow).toEqual([idOf(before)])
              expect(idsOf(yield* ledger.events(tenant, { limit: 10 }))).toEqual([idOf(before)])
              expect(yield* ledger.timeline(tenant, idOf(later), { limit: 10 })).toHaveLength(1)
              expect(idsOf(yield* ledger.events(others.tenant, { limit: 10 }))).toEqual([idOf(others)])
              return fiber
            })
          )
          .pipe(Effect.flatMap(Fiber.join))
        expect(yield* follow).toEqual([idOf(before), idOf(held), idOf(later)])
      })
    )
  })

  itRunsLive("events of a server whose clock is behind follow those that are stored", function* () {
    const url = yield* newDatabase
    const sql = yield* clientOf(url, 2)
    yield* withStorage({ url })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const first = yield* newChange()
        yield* ledger.commit(first)
        // As one whose clock is an hour ahead would have written it.
        const ahead = yield* newChange()
        yield* ledger.commit(ahead)
        const [later] = yield* sql<{
          id: string
        }>`select event_ids(1, array['fffffff0-0000-7000-8000-000000000000'::uuid]) as id`
        expect(later?.id).toEqual(["fffffff0-0000-7000-8000-000000000000"])
        yield* sql`update events set id = 'fffffff0-0000-7000-8000-000000000000' where payment = ${ahead.payment.after.id}`
        const behind = yield* newChange()
        yield* ledger.commit({
          ...behind,
          events: [...behind.events, { ...behind.events[0], data: { payment_id: behind.payment.after.id, n: 2 } }]
        })
        const events = yield* ledger.events(tenant, { after: "", limit: 10 })
        expect(idsOf(events)).toEqual([first, ahead, behind, behind].map((change) => change.payment.after.id))
        expect(events.slice(2).map(({ id }) => id.slice(0, 18))).toEqual(["evt_fffffff0-0001-", "evt_fffffff0-0002-"])
        for (const { id } of events)
          expect(id).toMatch(/^evt_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      })
    )
  })
})

const waiting = (sql: PgClient.PgClient) =>
  until(
    "a commit waits for the test's lock",
    Effect.map(
      sql`select 1 as one from pg_locks where locktype = 'advisory' and not granted`,
      (found) => found.length > 0
    )
  )
