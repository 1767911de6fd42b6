/** Deliveries by month: a partition whose retention is over is dropped as a whole. */

import type { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { Deliveries, Directory, Ids, Ledger, Retention } from "@pointsman/core/ports"
import { deliveryIdsFrom } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { newChange, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf } from "./support/Waiting.ts"

const day = 24 * 60 * 60_000

const partitionsOf = (sql: PgClient.PgClient, table: string) =>
  Effect.map(
    sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = to_regclass(${table}) order by 1`,
    (found) => found.map(({ name }) => name)
  )

const endpoint = {
  id: "whe_1",
  ...tenant,
  url: "https://merchant.example/",
  events: ["*"],
  sealedSecret: "sealed",
  active: true
}

const withEndpoint = Effect.flatMap(Directory, (directory) =>
  directory.write({ workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [endpoint] })
)

describe.skipIf(!hasServer)("partitions of deliveries", () => {
  it.live("the upkeep gives each month without a server a partition with its rows", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* withStorage({ url })(
        Effect.gen(function* () {
          yield* withEndpoint
          const retention = yield* Retention
          const ledger = yield* Ledger
          const sql = yield* clientOf(url, 1)
          const first = Date.UTC(2096, 9, 1)
          yield* retention.upkeep({ now: first, deliveriesBefore: null, bodiesBefore: null })
          const later = first + 200 * day
          yield* ledger.commit(yield* newChange())
          const deliveries = yield* Deliveries
          const [stored] = yield* deliveries.list(tenant, { limit: 9 })
          // Written when no partition was there for it.
          const id = `${deliveryIdsFrom(later)}-7000-8000-000000000000`
          yield* sql`update deliveries set id = ${id}`
          yield* sql`insert into delivery_attempts (workspace_id, environment, delivery_id, number, sent_at)
            values ('ws', 'sandbox', ${id}, 1, 1)`
          expect(yield* sql`select id from deliveries_default`).toHaveLength(1)
          yield* retention.upkeep({ now: later, deliveriesBefore: null, bodiesBefore: null })
          expect(yield* sql`select id from deliveries_default`).toHaveLength(0)
          expect(yield* sql`select delivery_id from delivery_attempts_default`).toHaveLength(0)
          expect(yield* deliveries.list(tenant, { limit: 9 })).toStrictEqual([{ ...stored, id }])
          expect(yield* deliveries.attempts(tenant, id)).toHaveLength(1)
          const made = yield* partitionsOf(sql, "deliveries")
          // The default one, three months of the first upkeep, the months without a server, and the months of 62 days.
          expect(made.length).toBeGreaterThanOrEqual(1 + 3 + 1 + 2)
          yield* retention.upkeep({ now: later, deliveriesBefore: null, bodiesBefore: null })
          expect(yield* partitionsOf(sql, "deliveries")).toEqual(made)
          expect((yield* partitionsOf(sql, "delivery_attempts")).length).toBe(made.length)
        })
      ).pipe(Effect.provide(Ids.layer))
    })
  )

  itRunsLive("a partition that is over is dropped once its deliveries ended, not before", function* () {
    const url = yield* newDatabase
    yield* withStorage({ url })(
      Effect.gen(function* () {
        yield* withEndpoint
        const retention = yield* Retention
        const ledger = yield* Ledger
        const deliveries = yield* Deliveries
        const sql = yield* clientOf(url, 1)
        yield* ledger.commit(yield* newChange())
        const [delivery] = yield* deliveries.list(tenant, { limit: 9 })
        if (delivery === undefined) throw new Error("there is no delivery")
        const drawnAt = Number.parseInt(delivery.id.slice(4, 17).replace("-", ""), 16)
        yield* retention.upkeep({ now: drawnAt, deliveriesBefore: null, bodiesBefore: null })
        const now = 4_000_000_000_000
        const upkeep = (deliveriesBefore: number | null) =>
          Effect.map(retention.upkeep({ now, deliveriesBefore, bodiesBefore: null }), ({ deliveries }) => deliveries)
        expect(yield* upkeep(now)).toBe(0)
        const [month] = yield* sql<{ name: string }>`select tableoid::regclass::text as name from deliveries`
        yield* deliveries.replace(delivery, { ...delivery, state: "Refused", dueAt: null })
        // Young enough, or kept for good.
        expect(yield* upkeep(delivery.createdAt)).toBe(0)
        expect(yield* upkeep(null)).toBe(0)
        yield* sql.unsafe(`analyze ${month?.name}`)
        expect(yield* upkeep(now)).toBe(1)
        expect(yield* deliveries.list(tenant, { limit: 9 })).toEqual([])
        expect(yield* partitionsOf(sql, "deliveries")).not.toContain(month?.name)
        expect(yield* partitionsOf(sql, "delivery_attempts")).not.toContain(
          month?.name.replace("deliveries", "delivery_attempts")
        )
        // The next one goes where there is a place for it.
        yield* ledger.commit(yield* newChange())
        expect(yield* deliveries.list(tenant, { limit: 9 })).toHaveLength(1)
      })
    ).pipe(Effect.provide(Ids.layer))
  })

  itRunsLive("later partitions are dropped though a reader holds one", function* () {
    const url = yield* newDatabase
    yield* withStorage({ url })(
      Effect.gen(function* () {
        const retention = yield* Retention
        const sql = yield* clientOf(url, 2)
        yield* retention.upkeep({ now: 4_000_000_000_000, deliveriesBefore: null, bodiesBefore: null })
        const before = yield* partitionsOf(sql, "deliveries")
        const first = before.filter((name) => name !== "deliveries_default").toSorted()[0]
        const upkeep = retention.upkeep({
          now: 4_000_000_000_000,
          deliveriesBefore: 4_010_000_000_000,
          bodiesBefore: null
        })
        const held = sql.unsafe(`lock table ${first} in access share mode`)
        yield* sql.withTransaction(Effect.andThen(held, upkeep))
        const left = yield* partitionsOf(sql, "deliveries")
        expect(left).toContain(first)
        expect(left.length).toBeLessThan(before.length)
      })
    )
  })

  itRunsLive("old months are dropped whole if all workspaces keep deliveries as long", function* () {
    const url = yield* newDatabase
    yield* withStorage({ url })(
      Effect.gen(function* () {
        yield* withEndpoint
        const retention = yield* Retention
        const ledger = yield* Ledger
        const deliveries = yield* Deliveries
        const sql = yield* clientOf(url, 1)
        yield* retention.upkeep({ now: 3_990_000_000_000, deliveriesBefore: null, bodiesBefore: null })
        for (let n = 0; n < 3; n++) yield* ledger.commit(yield* newChange())
        const [last, later, first] = yield* deliveries.list(tenant, { limit: 9 })
        if (first === undefined || later === undefined || last === undefined) throw new Error("there are no deliveries")
        for (const one of [first, later, last]) {
          yield* deliveries.replace(one, { ...one, state: "Refused", dueAt: null })
        }
        // Two in a month of their own, and one from before the first month.
        const idOf = (n: number) => `${deliveryIdsFrom(3_990_000_000_000)}-7000-8000-00000000000${n}`
        yield* sql`update deliveries set id = ${idOf(1)} where id = ${later.id}`
        yield* sql`update deliveries set id = ${idOf(2)} where id = ${last.id}`
        const old = { tenant, before: 4_000_000_000_000, limit: 9 }
        expect(yield* retention.pruneDeliveries({ ...old, isLongest: true })).toBe(1)
        const stored = Effect.map(deliveries.list(tenant, { limit: 9 }), (list) => list.map(({ id }) => id))
        expect(yield* stored).toEqual([idOf(2), idOf(1)])
        const upkeep = (deliveriesBefore: number) =>
          retention.upkeep({ now: old.before, deliveriesBefore, bodiesBefore: null })
        expect((yield* upkeep(3_990_000_000_000)).deliveries).toBe(0)
        // What has a month waits for it.
        expect(yield* retention.pruneDeliveries({ ...old, isLongest: true })).toBe(0)
        expect(yield* retention.pruneDeliveries({ ...old, limit: 1 })).toBe(1)
        expect(yield* stored).toEqual([idOf(2)])
        yield* sql`analyze deliveries`
        const [month] = yield* sql<{ name: string }>`select tableoid::regclass::text as name from deliveries`
        const attempts = month?.name.replace("deliveries", "delivery_attempts")
        expect(yield* partitionsOf(sql, "delivery_attempts")).toContain(attempts)
        expect((yield* upkeep(4_010_000_000_000)).deliveries).toBe(1)
        expect(yield* stored).toEqual([])
        expect(yield* partitionsOf(sql, "deliveries")).not.toContain(month?.name)
        expect(yield* partitionsOf(sql, "delivery_attempts")).not.toContain(attempts)
      })
    ).pipe(Effect.provide(Ids.layer))
  })

  itRunsLive("a delivery's read by id looks only at its partition", function* () {
    const url = yield* newDatabase
    yield* withStorage({ url })(
      Effect.flatMap(Retention, ({ upkeep }) =>
        upkeep({ now: 4_000_000_000_000, deliveriesBefore: null, bodiesBefore: null })
      )
    )
    const sql = yield* clientOf(url, 1)
    expect((yield* partitionsOf(sql, "deliveries")).length).toBeGreaterThan(3)
    yield* sql.unsafe("set plan_cache_mode = force_generic_plan")
    yield* sql.unsafe(
      "prepare one as select * from deliveries where workspace_id = $1 and environment = $2 and id = $3"
    )
    const plan = yield* sql.unsafe<{ "QUERY PLAN": string }>(
      "explain (costs off, analyze, timing off, summary off) execute one ('ws', 'sandbox', 'dlv_0')"
    )
    const lines = plan.map((line) => line["QUERY PLAN"])
    expect(lines.filter((line) => line.includes(" on deliveries"))).toHaveLength(1)
    expect(lines.some((line) => line.includes("Subplans Removed"))).toBe(true)
  })
})
