/** A database that an earlier release distributed, with generated columns in keys: it is changed when it is opened. */
import { describe, expect, it } from "@effect/vitest"
import { Ledger, ReferenceTaken, type StoredMessage, SuccessRates } from "@pointsman/core/ports"
import { openShards } from "@pointsman/storage-postgres"
import { Effect, Fiber, Option, Redacted } from "effect"
import { distribute, missingPlacement, prepare } from "../../src/citus/Distribute.ts"
import { openDistributed } from "../../src/citus/Open.ts"
import { open } from "../../src/Database.ts"
import { storeMessage } from "../../src/Messages.ts"
import { migrate } from "../../src/Migrate.ts"
import { schemaOf } from "../../src/Migrations.ts"
import { newChange, rate, tenant, withStorage } from "../Given.ts"
import { runOn } from "../support/CitusCluster.ts"
import { hasCluster, newEmptyNodes } from "../support/CitusDatabase.ts"

const { directory_version: _, ...withoutIdentity } = prepare
/** How the earlier release prepared the tables. */
const earlier = Object.fromEntries(
  Object.entries(withoutIdentity).map(([table, statements]) => [
    table,
    statements.filter((statement) => !statement.includes("drop expression"))
  ])
)

const messageOf = (eventId: string): StoredMessage => ({
  connectionId: "first",
  eventId,
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
})

const charged = (providerRef: string) =>
  newChange({ state: "Captured", connectionId: "first", providerRef, authorizedMinor: 1000, capturedMinor: 1000 })

/** As servers of the earlier release write. */
const insertReference = (providerRef: string) =>
  `insert into charge_references (workspace_id, environment, connection_id, provider_ref, payment_id)
    values ('${tenant.workspaceId}', '${tenant.environment}', 'first', '${providerRef}', 'pay_earlier')`

const selectGenerated = `select relname as name from pg_attribute join pg_class on pg_class.oid = attrelid
  where attgenerated <> '' and relkind = 'r' and relnamespace = 'public'::regnamespace`

/** Also of shards, which a node shows to none but another node. */
const generatedOn = (coordinator: string) =>
  Effect.promise(() =>
    runOn(
      coordinator,
      `select result from run_command_on_all_nodes('select count(*) from (${selectGenerated.replaceAll("'", "''")}) as g')`
    )
  ).pipe(Effect.map((rows) => rows.map(({ result }) => Number(result))))

const refusalOf = <A, E extends { readonly cause: unknown }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ cause }) => (cause as Error).message)

describe.skipIf(!hasCluster)("a distributed database with generated columns", () => {
  it.live(
    "given tables of an earlier release, when it is opened by a worker, then it takes payments, and earlier servers are refused",
    () =>
      Effect.gen(function* () {
        const nodes = yield* newEmptyNodes
        const [url, worker] = nodes as [Redacted.Redacted, Redacted.Redacted]
        const db = yield* open({ url, distributed: true })
        yield* migrate(db)
        yield* db.update("test", "update pointsman_migrations set oldest = 31, created_at = now() where oldest > 31")
        yield* distribute(db, earlier)
        yield* storeMessage(db, tenant, messageOf("msg_1"))
        yield* db.update("test", insertReference("ch_1"))
        // Each table, and its shards on the workers.
        const [atCoordinator, ...atWorkers] = yield* generatedOn(Redacted.value(url))
        expect(atCoordinator).toBe(4)
        expect(atWorkers.every((count) => count > 4)).toBe(true)
        expect((yield* schemaOf(db))?.oldest).toBeLessThan(40)

        expect(yield* refusalOf(openShards({ url }))).toMatch(/^an earlier release placed its tables/u)
        expect(yield* refusalOf(openDistributed({ url: worker, distributed: true, existing: true }))).toMatch(
          /^its tables or functions are not placed on the nodes as this release needs it/u
        )

        // A run that was killed after one of the nodes.
        yield* Effect.promise(() =>
          runOn(
            Redacted.value(worker),
            "set citus.enable_ddl_propagation = off",
            "alter table messages alter column event_hash drop expression"
          )
        )
        // A writer that keeps its shard for longer than a try waits for it.
        const slow = yield* Effect.forkChild(
          db.transaction("test", (query) =>
            Effect.andThen(query(insertReference("ch_slow")), Effect.sleep("5 seconds"))
          )
        )
        yield* withStorage({ url: worker, distributed: true })(
          Effect.gen(function* () {
            const ledger = yield* Ledger
            expect(yield* generatedOn(Redacted.value(url))).toEqual([0, 0, 0])
            yield* Fiber.join(slow)
            const change = yield* charged("ch_2")
            yield* ledger.commit(change)
            expect(Option.isSome(yield* ledger.payment(tenant, change.payment.after.id))).toBe(true)
            // What was generated counts as what is written.
            for (const providerRef of ["ch_1", "ch_slow"]) {
              expect(yield* Effect.flip(ledger.commit(yield* charged(providerRef)))).toEqual(
                new ReferenceTaken({ connectionId: "first", providerRef, paymentId: "pay_earlier" })
              )
            }
            expect(Option.isSome(yield* ledger.storeMessage(tenant, messageOf("msg_1")))).toBe(true)
            expect(Option.isNone(yield* ledger.storeMessage(tenant, messageOf("msg_2")))).toBe(true)
            const rates = yield* SuccessRates
            yield* rates.write([rate])
            expect(yield* rates.changedSince(0)).toEqual([rate])
          })
        )

        expect(yield* refusalOf(storeMessage(db, tenant, messageOf("msg_3")))).toMatch(
          /null value in column "event_hash"/u
        )
        expect((yield* schemaOf(db))?.oldest).toBe(40)
        for (const node of nodes) {
          const opened = yield* open({ url: node, distributed: true })
          expect(yield* missingPlacement(opened)).toEqual({ functions: [], isOutdated: false, tables: [] })
        }
        yield* openShards({ url })
      }),
    60_000
  )
})
