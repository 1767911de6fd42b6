/**
 * Writers that wait for one row, each on a connection of its own. Each race has a control: the same race by
 * a statement without the guard, which several win.
 */

import type { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import {
  type Change,
  Deliveries,
  Directory,
  Ledger,
  type StoredMessage,
  type StoredRate,
  SuccessRates
} from "@pointsman/core/ports"
import { Effect, Fiber, Result, Schedule } from "effect"
import { chargeName, tenantNumber } from "../src/Rows.ts"
import { contentsOf, newChange, tenant, withStorage } from "./Given.ts"
import { holdKey } from "./support/HeldKey.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf, patient, untilWaiting } from "./support/Waiting.ts"

const writers = 8

/** `holder` holds what all of them need, until all of them wait; `sql` has other connections. */
const raceBehind = <A, E>(
  holder: PgClient.PgClient,
  sql: PgClient.PgClient,
  hold: Effect.Effect<unknown, unknown>,
  one: (index: number) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const racers: Array<Fiber.Fiber<Result.Result<A, E>>> = []
    const held = Effect.gen(function* () {
      yield* hold
      for (let index = 0; index < writers; index++) {
        // A machine that needs more than a second to connect refuses a claim, as it refuses clients: they come again.
        const racer = Effect.retry(one(index), {
          while: isNotAdmitted,
          schedule: Schedule.spaced("100 millis"),
          times: 60
        })
        racers.push(yield* Effect.forkDetach(Effect.result(racer)))
      }
      yield* untilWaiting(sql, writers)
      // What it wrote is taken back.
      return yield* Effect.fail("all wait" as const)
    })
    expect(yield* Effect.flip(holder.withTransaction(held))).toBe("all wait")
    return yield* Effect.forEach(racers, Fiber.join)
  })

const isNotAdmitted = (failure: unknown) => Object(Object(failure).cause)._tag === "pointsman/NotAdmitted"

const tagsOf = (results: ReadonlyArray<Result.Result<unknown, { readonly _tag: string }>>) =>
  results.map((result) => (Result.isSuccess(result) ? "written" : result.failure._tag)).toSorted()

/** The change that comes next, without attempts and events. */
const nextOf = (change: Change, reference: string): Change => ({
  tenant,
  payment: { expected: 1, after: { ...change.payment.after, version: 2, reference } },
  attempts: [],
  events: []
})

const newMessage: StoredMessage = {
  connectionId: "first",
  eventId: "msg_1",
  paymentId: null,
  about: "charge",
  subjectId: "att_1",
  disputeId: null,
  verdict: null,
  outcome: "received",
  reason: null,
  writtenAt: 1,
  receivedAt: 2,
  body: "{}",
  isSealed: false
}

/** As writers of as many processes: those of one that gathers commits wait for each other before they send. */
const eachAlone = { ...patient, batchCommits: false } as const

/** A payment that was charged under one reference. */
const charged = newChange({
  state: "Captured",
  authorizedMinor: 1000,
  capturedMinor: 1000,
  connectionId: "first",
  providerRef: "ch-1"
})

describe.skipIf(!hasServer)("races of waiting writers", () => {
  itRunsLive(`one of ${writers} writers to one payment writes it, and the others are stale`, function* () {
    const url = yield* newDatabase
    const [holder, sql] = [yield* clientOf(url, writers + 2), yield* clientOf(url, writers + 2)]
    yield* withStorage({ url, ...eachAlone })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const change = yield* newChange()
        yield* ledger.commit(change)
        const hold = holder`select 1 from payments for update`
        const results = yield* raceBehind(holder, sql, hold, (index) => ledger.commit(nextOf(change, `order ${index}`)))
        expect(tagsOf(results)).toEqual([...Array(writers - 1).fill("pointsman/Stale"), "written"])

        const control = yield* raceBehind(
          holder,
          sql,
          hold,
          (index) =>
            sql`update payments set version = 3, reference = ${`order ${index}`} where id = ${change.payment.after.id}`
        )
        expect(tagsOf(control)).toEqual(Array(writers).fill("written"))
      })
    )
  })

  itRunsLive(`one of ${writers} writers to one key claims it, and the others learn who`, function* () {
    const url = yield* newDatabase
    const [holder, sql] = [yield* clientOf(url, writers + 2), yield* clientOf(url, writers + 2)]
    yield* withStorage({ url, ...eachAlone })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const changes = yield* Effect.forEach(Array(writers).keys(), () => newChange())
        const under = (change: Change, key: string): Change => ({
          ...change,
          ...(change.claim && { claim: { ...change.claim, after: { ...change.claim.after, key } } })
        })
        // Claims the key, and gives it back when all wait: those find it free.
        const results = yield* raceBehind(holder, sql, holdKey(holder, tenant, "the-key"), (index) =>
          ledger.commit(under(changes[index] as Change, "the-key"))
        )
        expect(tagsOf(results)).toEqual([...Array(writers - 1).fill("pointsman/KeyTaken"), "written"])
        expect(yield* ledger.payments(tenant, { limit: 100 })).toHaveLength(1)

        const control = yield* raceBehind(holder, sql, holdKey(holder, tenant, "another"), () =>
          overwriteKey(sql, "another")
        )
        expect(tagsOf(control)).toEqual(Array(writers).fill("written"))
      })
    )
  })

  itRunsLive(`one of ${writers} payments with one reference takes it, and the others learn who`, function* () {
    const url = yield* newDatabase
    const [holder, sql] = [yield* clientOf(url, writers + 2), yield* clientOf(url, writers + 2)]
    yield* withStorage({ url, ...eachAlone })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const changes = yield* Effect.forEach(Array(writers).keys(), () => charged)
        // Takes it, and gives it back when all wait.
        const hold = holder.unsafe("insert into charges (t, name, payment) values ($1, $2, gen_random_uuid())", [
          tenantNumber(tenant),
          chargeName({ connectionId: "first", providerRef: "ch-1" })
        ])
        const results = yield* raceBehind(holder, sql, hold, (index) => ledger.commit(changes[index] as Change))
        expect(tagsOf(results)).toEqual([...Array(writers - 1).fill("pointsman/ReferenceTaken"), "written"])
        const [winner, ...others] = yield* ledger.payments(tenant, { limit: 100 })
        expect(others).toEqual([])
        for (const { failure } of results.filter(Result.isFailure)) {
          expect(failure).toMatchObject({ connectionId: "first", providerRef: "ch-1", paymentId: winner?.id })
        }
      })
    )
  })

  itRunsLive("a message about a payment that is being removed waits, and is stale", function* () {
    const url = yield* newDatabase
    const [holder, sql] = [yield* clientOf(url, 3), yield* clientOf(url, 3)]
    yield* withStorage({ url })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const change = yield* newChange()
        yield* ledger.commit(change)
        const { id: paymentId, version } = change.payment.after
        yield* ledger.storeMessage(tenant, newMessage)
        const { body: _, isSealed: __, ...note } = newMessage
        const decision = { expected: "received", after: { ...note, outcome: "waits", paymentId } } as const
        const removal = Effect.gen(function* () {
          yield* holder`delete from payments`
          const keeping = yield* Effect.forkDetach(
            Effect.result(ledger.keepMessage(tenant, decision, { paymentId, version }))
          )
          yield* untilWaiting(sql, 1)
          return keeping
        })
        const kept = yield* Fiber.join(yield* holder.withTransaction(removal))
        expect(tagsOf([kept])).toEqual(["pointsman/Stale"])
      })
    )
  })

  itRunsLive("a delivery is due when its attempt found the endpoint inactive while activating", function* () {
    const url = yield* newDatabase
    const [holder, sql] = [yield* clientOf(url, 3), yield* clientOf(url, 3)]
    yield* withStorage({ url })(
      Effect.gen(function* () {
        const [deliveries, directory] = [yield* Deliveries, yield* Directory]
        const endpoint = {
          id: "shop",
          ...tenant,
          url: "https://shop.example",
          events: ["*"],
          sealedSecret: "sealed"
        }
        const write = (active: boolean) => directory.write(contentsOf({ webhookEndpoints: [{ ...endpoint, active }] }))
        yield* write(true)
        yield* (yield* Ledger).commit(yield* newChange())
        yield* write(false)
        const now = 9_000_000_000_000
        const [taken] = yield* deliveries.takeDue({ now, leaseMillis: 1, limit: 1, limitPerEndpoint: 1 })
        if (taken === undefined) return yield* Effect.die("nothing was due")
        const { delivery } = taken
        const attempt = { deliveryId: delivery.id, number: 1, sentAt: now, endedAt: now } as const
        const end = { _tag: "Failed", failure: "EndpointWithdrawn" } as const
        const recording = deliveries.record([
          { after: { ...delivery, state: "GivenUp", dueAt: null }, attempt: { ...attempt, end } }
        ])
        const fiber = yield* holder.withTransaction(
          Effect.gen(function* () {
            yield* holder`update webhook_endpoints set active = true where id = 'shop'`
            const fiber = yield* Effect.forkDetach(recording)
            yield* untilWaiting(sql, 1)
            return fiber
          })
        )
        yield* Fiber.join(fiber)
        expect(yield* deliveries.list(tenant, { limit: 1 })).toMatchObject([{ state: "Due", dueAt: now }])
      })
    )
  })

  it.live(`one of ${writers} writers to a rate, new or stored, wins; others are given it`, () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const [holder, sql] = [yield* clientOf(url, writers + 2), yield* clientOf(url, writers + 2)]
      yield* withStorage({ url })(
        Effect.gen(function* () {
          const { changedSince, write } = yield* SuccessRates
          const given = (version: number, succeeded: number): StoredRate => ({
            tenant,
            connectionId: "first",
            segment: "",
            rate: { succeeded, failed: 0, at: 1 },
            version
          })
          const insert = holder`insert into success_rates
              (workspace_id, environment, connection_id, segment, segment_hash, succeeded, failed, at, version)
              values (${tenant.workspaceId}, ${tenant.environment}, 'first', '', encode(sha256('""'), 'hex'), 0, 0, 1, 1)`
          const holds = [insert, holder`select 1 from success_rates for update`]
          for (const [index, hold] of holds.entries()) {
            const version = index + 1
            const results = yield* raceBehind(holder, sql, hold, (writer) => write([given(version, writer)]))
            const refused = results.map((result) => Result.getOrThrow(result))
            const won = refused.findIndex((rates) => rates.length === 0)
            expect(refused.filter((rates) => rates.length > 0)).toStrictEqual(
              Array(writers - 1).fill([given(version, won)])
            )
            expect(yield* changedSince(0)).toStrictEqual([given(version, won)])
          }
        })
      )
    })
  )

  itRunsLive("an old rate that is being written is not waited for when others are forgotten", function* () {
    const url = yield* newDatabase
    const sql = yield* clientOf(url, 2)
    yield* withStorage({ url, lockTimeoutMillis: 100 })(
      Effect.gen(function* () {
        const { changedSince, forgetBefore, write } = yield* SuccessRates
        const old = ["", "EUR DE card visa"].map((segment) => ({
          tenant,
          connectionId: "first",
          segment,
          rate: { succeeded: 1, failed: 0, at: 1 },
          version: 1
        }))
        yield* write(old)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select 1 from success_rates where segment = '' for update`
            expect(yield* forgetBefore(2)).toBe(1)
          })
        )
        expect(yield* changedSince(0)).toStrictEqual([old[0]])
      })
    )
  })

  itRunsLive("a commit gives up on a row held too long, and surely wrote nothing", function* () {
    const url = yield* newDatabase
    const sql = yield* clientOf(url, writers + 2)
    yield* withStorage({ url, lockTimeoutMillis: 100 })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const change = yield* newChange()
        yield* ledger.commit(change)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select 1 from payments for update`
            const failure = yield* Effect.flip(ledger.commit(nextOf(change, "too late")))
            expect(failure).toMatchObject({ _tag: "pointsman/StorageError", cause: { code: "55P03" } })
          })
        )
        yield* ledger.commit(nextOf(change, "in time"))
      })
    )
  })
})

const overwriteKey = (sql: PgClient.PgClient, key: string) =>
  holdKey(sql, tenant, key, "on conflict (t, key) where key is not null do update set claim = excluded.claim")
