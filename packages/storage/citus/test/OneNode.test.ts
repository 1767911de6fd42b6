/**
 * Which nodes a statement asks, by the engine's own plan. The storage suite shows besides that no statement asks several
 * shards (`Citus.contract.test.ts`).
 */

import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { type Change, Ids, type PaymentBook } from "@pointsman/core/ports"
import { migrate, type Query } from "@pointsman/storage-postgres/internal"
import { Effect, Option, Redacted } from "effect"
import { newChange, tenant } from "../../postgres/test/Given.ts"
import { openNode } from "../src/Coordinator.ts"
import { openDistributed } from "../src/Layer.ts"
import { opened } from "./Opened.ts"
import { runOn } from "./support/CitusCluster.ts"
import { hasCluster, newEmptyNodes, newNodes } from "./support/CitusDatabase.ts"

interface Asked {
  readonly operation: string
  /** How many tasks the plan has, on as many shards; none of a statement on copies of this node. */
  readonly tasks: ReadonlyArray<number>
}

const planOf = (plan: unknown): ReadonlyArray<number> => {
  const found: Array<number> = []
  JSON.stringify(plan, (key, value) => {
    if (key === "Task Count") found.push(value as number)
    return value
  })
  return found
}

/** What is asked again and again beside the operations. */
const besides = ["open", "places", "nodes", "lostRecords", "recordLoss"]

/** Explains each statement before it is asked. */
const explained = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const asked: Array<Asked> = []
  const services = yield* opened(url, (db) => {
    const by =
      (query: Query, operation: string) =>
      (...[sql, params]: Parameters<Query>) =>
        besides.includes(operation)
          ? Effect.void
          : Effect.map(query(`explain (format json) ${sql}`, params), ([row]) => {
              asked.push({ operation, tasks: planOf(row) })
            })
    const explain = (operation: string) => by((sql, params) => db.read("explain", sql, params) as never, operation)
    return {
      ...db,
      read: (operation, sql, params, isAside) =>
        Effect.andThen(
          explain(operation)(sql, params) as Effect.Effect<void>,
          db.read(operation, sql, params, isAside)
        ),
      write: (operation, sql, params, ...rest) =>
        Effect.andThen(
          explain(operation)(sql, params) as Effect.Effect<void>,
          db.write(operation, sql, params, ...rest)
        ),
      update: (operation, sql, params) =>
        Effect.andThen(explain(operation)(sql, params) as Effect.Effect<void>, db.update(operation, sql, params)),
      transaction: (operation, body) =>
        db.transaction(operation, (query) =>
          body((sql, params) => Effect.andThen(by(query, operation)(sql, params), query(sql, params)))
        )
    }
  })
  const askedBy = Effect.fnUntraced(function* <A, E, R>(operation: Effect.Effect<A, E, R>) {
    asked.length = 0
    yield* operation
    return asked.map(({ operation, tasks }) => `${operation} ${tasks.join(" ")}`)
  })
  return { askedBy, ...services }
})

const moved = (before: PaymentBook, version: number): Change => ({
  tenant,
  payment: { expected: version - 1, before, after: { ...before.payment, version } },
  attempts: [],
  events: []
})

describe.skipIf(!hasCluster)("nodes that a statement asks", () => {
  it.live("the coordinator asks one node once each to write and read a workspace", () =>
    Effect.gen(function* () {
      const [url] = yield* newNodes
      const { askedBy, deliveries, ledger } = yield* explained(url as Redacted.Redacted)
      const change = yield* newChange()
      const { id } = change.payment.after
      // The tenant is new: its row is written, and read.
      expect(yield* askedBy(ledger.commit(change))).toEqual(["commit 1", "commit 1", "commit 1"])
      expect(yield* askedBy(ledger.commit(yield* newChange()))).toEqual(["commit 1"])
      // A plan that was made for any values would not be sent: PostgreSQL makes one after five.
      for (let version = 2; version < 12; version++) {
        const book = Option.getOrThrow(yield* ledger.book(tenant, id))
        expect(yield* askedBy(ledger.commit(moved(book, version)))).toEqual(["commit 1"])
      }
      const page = { limit: 10 }
      expect(yield* askedBy(ledger.payment(tenant, id))).toEqual(["payment 1"])
      expect(yield* askedBy(ledger.book(tenant, id))).toEqual(["book 1"])
      expect(yield* askedBy(ledger.bookOf(tenant, { attemptId: "a" }))).toEqual(["bookOf 1"])
      expect(yield* askedBy(ledger.bookOf(tenant, { connectionId: "a", providerRef: "b" }))).toEqual(["bookOf 1"])
      expect(yield* askedBy(ledger.payments(tenant, page))).toEqual(["payments 1"])
      expect(yield* askedBy(ledger.timeline(tenant, id, page))).toEqual(["timeline 1"])
      expect(yield* askedBy(ledger.events(tenant, page))).toEqual(["events 1", "events 1"])
      expect(yield* askedBy(ledger.message(tenant, "first", "m"))).toEqual(["message 1"])
      expect(yield* askedBy(ledger.claim(tenant, "key"))).toEqual(["claim 1"])
      expect(yield* askedBy(deliveries.list(tenant, page))).toEqual(["list 1"])
      expect(yield* askedBy(deliveries.delivery(tenant, "d"))).toEqual(["delivery 1"])
      expect(yield* askedBy(deliveries.attempts(tenant, "d"))).toEqual(["attempts 1"])
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("each statement of one workspace's retention is one task of its node", () =>
    Effect.gen(function* () {
      const [url] = yield* newNodes
      const { askedBy, ledger, retention } = yield* explained(url as Redacted.Redacted)
      const change = yield* newChange()
      yield* ledger.commit(change)
      const old = { tenant, before: 1, limit: 10 }
      const payment = { tenant, paymentId: change.payment.after.id, version: 1 }
      const held = { tenant, bodiesBefore: 1, deliveriesBefore: 1, limit: 10 }
      const reference = { connectionId: "first", providerRef: "a" }
      expect(yield* askedBy(retention.oldPayments({ tenant, createdBefore: 1, limit: 10 }))).toEqual(["oldPayments 1"])
      const inState = { tenant, createdBefore: 1, limit: 10, state: "Declined" } as const
      expect(yield* askedBy(retention.oldPayments(inState))).toEqual(["oldPayments 1"])
      expect(yield* askedBy(retention.held(held))).toEqual(["held 1"])
      expect(new Set(yield* askedBy(retention.pruneDeliveries(old)))).toEqual(new Set(["pruneDeliveries 1"]))
      expect(yield* askedBy(retention.pruneBodies(old))).toEqual(["pruneBodies 1"])
      expect(new Set(yield* askedBy(retention.remove([payment])))).toEqual(new Set(["remove 1"]))
      expect(yield* askedBy(retention.removedPaymentOf(tenant, reference))).toEqual(["removedPaymentOf 1"])
    }).pipe(Effect.provide(Ids.layer))
  )

  itRunsLive("a standby beside a distributed database is refused by name", function* () {
    const url = Redacted.make("postgres://nobody@127.0.0.1:1/none")
    const failure = yield* Effect.flip(Effect.scoped(openDistributed({ url, readUrl: url })))
    expect(failure.cause).toMatchObject({
      message: "readUrl: expected no standby with distributed: reads of workspaces go to their nodes"
    })
  })

  it.live("each of two nodes is asked once for what looks across workspaces", () =>
    Effect.gen(function* () {
      const [url] = yield* newNodes
      const { askedBy, deliveries, ledger } = yield* explained(url as Redacted.Redacted)
      yield* ledger.commit(yield* newChange())
      const due = { now: 1, leaseMillis: 1, limit: 10, limitPerConnection: 5, underWay: new Map() }
      yield* ledger.watched(1)
      expect(yield* askedBy(ledger.watched(10))).toEqual(["watched 1", "watched 1"])
      expect(yield* askedBy(ledger.takeDue(due))).toEqual(["takeDue 1", "takeDue 1"])
      expect(yield* askedBy(ledger.reviews({ limit: 10 }))).toEqual(["reviews 1", "reviews 1"])
      expect(yield* askedBy(deliveries.firstDueAt)).toEqual(["firstDueAt 1", "firstDueAt 1"])
    }).pipe(Effect.provide(Ids.layer))
  )

  itRunsLive("a distributed database opened as a plain one is refused by name", function* () {
    const [url] = yield* newNodes
    const { layer } = yield* Effect.promise(() => import("@pointsman/storage-postgres"))
    const { Layer } = yield* Effect.promise(() => import("effect"))
    const failure = yield* Effect.flip(
      Effect.scoped(Layer.build(Layer.provide(layer({ url: url as Redacted.Redacted }), Ids.layer)))
    )
    expect(failure.cause).toMatchObject({
      message:
        "its tables lie on the nodes of a Citus cluster: set POINTSMAN_DATABASE_DISTRIBUTED=citus (distributed: true)"
    })
  })

  it.live("a start after one killed between two tables places the rest and commits", () =>
    Effect.gen(function* () {
      const [url, worker] = (yield* newEmptyNodes) as [Redacted.Redacted, Redacted.Redacted]
      yield* migrate(yield* openNode({ url }))
      // The engine adds `recovered_connections` to its catalogue, because a foreign key of it names this table.
      yield* Effect.promise(() => runOn(Redacted.value(url), "select create_reference_table('record_losses')"))
      const { ledger } = yield* opened(worker, (db) => db)
      const change = { ...(yield* newChange()), guard: { refusesMissing: true, key: null } }
      yield* ledger.commit(change)
      expect(Option.isSome(yield* ledger.payment(tenant, change.payment.after.id))).toBe(true)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("every node of a distributed database gets a later step of the schema", () =>
    Effect.gen(function* () {
      const nodes = yield* newNodes
      const db = yield* openNode({ url: nodes[0] as Redacted.Redacted })
      yield* migrate(db, {
        "9998_note": ['alter table payments add column note text collate "C"'],
        "9999_payments_by_note": {
          index: "payments_by_note",
          on: "payments (workspace_id, note) where note is not null"
        }
      })
      for (const url of nodes) {
        const node = yield* openNode({ url })
        const [row] = yield* node.read(
          "test",
          `select (select max(migration_id) from pointsman_migrations) as step, (
            select count(*)::integer from pg_attribute where attname = 'note' and attrelid = 'payments'::regclass
          ) as columns, to_regclass('payments_by_note') is not null as has_index`
        )
        expect(row).toEqual({ step: 9999, columns: 1, has_index: true })
      }
    })
  )
})
