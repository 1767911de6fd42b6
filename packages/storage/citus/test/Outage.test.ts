/** A node that is killed: workspaces on others go on. On a cluster of its own (`POINTSMAN_CITUS=all POINTSMAN_LONG=all`). */
import { describe, expect, it } from "@effect/vitest"
import type { Tenant } from "@pointsman/core"
import { type Change, Ids, Ledger, RecordLosses, StorageCondition, SuccessRates } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-citus"
import { Context, Effect, Exit, Layer, Option, Redacted, References, Schedule } from "effect"
import { newChange, rate } from "../../postgres/test/Given.ts"
import { missingOwnCitus, newOwnDatabase, startOwnCluster } from "./support/CitusNodes.ts"

const isLong = process.env["POINTSMAN_LONG"] === "all"
const isPossible = isLong && missingOwnCitus() === undefined

const cluster = Effect.acquireRelease(
  Effect.promise(() => startOwnCluster()),
  ({ stop }) => Effect.promise(stop)
)

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

const storageAt = (url: string) =>
  Effect.map(
    Layer.build(
      layer({ url: Redacted.make(url), statementTimeoutMillis: 2_000 }).pipe(Layer.provide([Ids.layer, quiet]))
    ),
    (context) => ({ ledger: Context.get(context, Ledger), rates: Context.get(context, SuccessRates), context })
  )

const tenantOf = (workspaceId: string | undefined): Tenant => ({
  workspaceId: workspaceId ?? "",
  environment: "sandbox"
})

const changeOf = (tenant: Tenant): Effect.Effect<Change> =>
  Effect.map(Effect.provide(newChange(), Ids.layer), (change) => ({
    ...change,
    tenant,
    payment: { ...change.payment, after: { ...change.payment.after, tenant } },
    checkAt: 1
  }))

/** A node needs seconds to start, and what is asked of one that is gone has to end. */
const everyTenth = Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))

const due = { now: 10, leaseMillis: 1, limit: 10, limitPerConnection: 10, underWay: new Map() }

describe.skipIf(!isPossible)("a node that is killed (POINTSMAN_LONG=all)", () => {
  it.live(
    "workspaces of another worker continue during a kill, and the rest after it",
    () =>
      Effect.gen(function* () {
        const nodes = yield* cluster
        const database = yield* Effect.promise(() => newOwnDatabase(nodes))
        const { context, ledger, rates } = yield* storageAt(database.url)
        const [[first], [second]] = yield* Effect.promise(() => database.workspaces(1))
        const [lost, other] = [tenantOf(first), tenantOf(second)]
        const [worker] = nodes.workers
        const [before, beside] = [yield* changeOf(lost), yield* changeOf(other)]
        yield* ledger.commit(before)
        yield* ledger.commit(beside)
        yield* rates.write([{ ...rate, tenant: other, version: 1 }])

        yield* Effect.promise(worker.kill)
        const next = yield* changeOf(lost)
        const failed = yield* Effect.exit(ledger.commit(next))
        const tag = Option.map(Exit.findErrorOption(failed), ({ _tag }) => _tag)
        expect(["pointsman/CommitUnknown", "pointsman/StorageError"]).toContain(Option.getOrUndefined(tag))
        expect(Exit.isFailure(yield* Effect.exit(ledger.payment(lost, before.payment.after.id)))).toBe(true)

        const meanwhile = yield* changeOf(other)
        yield* ledger.commit(meanwhile)
        expect(Option.isSome(yield* ledger.payment(other, meanwhile.payment.after.id))).toBe(true)
        const taken = yield* ledger.takeDue(due)
        expect(taken.map(({ paymentId }) => paymentId).toSorted()).toEqual(
          [beside.payment.after.id, meanwhile.payment.after.id].toSorted()
        )
        // The rate of the lost workspace is not written. After a failure both would be counted again.
        const ofBoth = [lost, other].map((tenant) => ({ ...rate, tenant, version: 2 }))
        expect(yield* rates.write(ofBoth)).toEqual([])
        expect(yield* rates.changedSince(0)).toEqual([{ ...rate, tenant: other, version: 2 }])
        // Messages whose charge is known by now are searched for on the nodes that answer.
        expect(yield* ledger.messages({ outcome: "unmatched", namesAttemptFrom: 0, limit: 10 })).toEqual([])
        expect(Exit.isFailure(yield* Effect.exit(ledger.messages({ limit: 10 })))).toBe(true)
        // What lists all workspaces does not leave some of them out.
        expect(Exit.isFailure(yield* Effect.exit(ledger.reviews({ limit: 10 })))).toBe(true)
        const condition = Context.getOrUndefined(context, StorageCondition)
        if (condition === undefined) return yield* Effect.die("there is no condition")
        yield* Effect.repeat(condition.read, {
          until: ({ warnings }) => warnings.some((warning) => warning.includes("does not answer")),
          schedule: everyTenth
        })

        yield* Effect.promise(worker.restart)
        yield* Effect.retry(ledger.payment(lost, before.payment.after.id), { schedule: everyTenth })
        expect(Option.isSome(yield* ledger.payment(lost, before.payment.after.id))).toBe(true)
        expect(Option.isNone(yield* ledger.payment(lost, next.payment.after.id))).toBe(true)
        yield* ledger.commit(next)
      }),
    120_000
  )

  it.live(
    "payments continue on every node, and a server starts, without a coordinator",
    () =>
      Effect.gen(function* () {
        const nodes = yield* cluster
        const { coordinator, workers } = nodes
        const database = yield* Effect.promise(() => newOwnDatabase(nodes, false))
        // The first start makes the tables, by way of the coordinator.
        const { ledger } = yield* storageAt(database.urlAt(workers[0]))
        const tenants = (yield* Effect.promise(() => database.workspaces(1))).flat().map(tenantOf)
        yield* Effect.promise(coordinator.kill)
        const another = yield* storageAt(database.urlAt(workers[1]))
        for (const tenant of tenants) {
          for (const { commit, payment } of [ledger, another.ledger]) {
            const change = yield* changeOf(tenant)
            yield* commit(change)
            expect(Option.isSome(yield* payment(tenant, change.payment.after.id))).toBe(true)
          }
        }
        expect(yield* ledger.takeDue(due)).toHaveLength(4)
      }),
    120_000
  )

  it.live(
    "a worker back in an earlier state is a noticed loss once others committed",
    () =>
      Effect.gen(function* () {
        const nodes = yield* cluster
        const [worker] = nodes.workers
        const database = yield* Effect.promise(() => newOwnDatabase(nodes))
        const { context, ledger } = yield* storageAt(database.url)
        const losses = Context.getOrUndefined(context, RecordLosses)
        if (losses === undefined) return yield* Effect.die("there are no losses")
        const [[first], [second]] = yield* Effect.promise(() => database.workspaces(1))
        const [lost, other] = [tenantOf(first), tenantOf(second)]
        const write = (tenant: Tenant) => Effect.flatMap(changeOf(tenant), ledger.commit)
        yield* write(lost)
        yield* Effect.promise(worker.kill)
        const putBack = worker.copyData()
        yield* Effect.promise(worker.restart)
        yield* Effect.retry(write(lost), { schedule: everyTenth })
        const lostAt = Date.now()
        yield* Effect.promise(worker.kill)
        // More than are compared each time, in several of the comparisons of every two seconds.
        for (let turn = 0; turn < 3; turn++) {
          yield* Effect.forEach(Array(100), () => write(other), { concurrency: 4, discard: true })
          yield* Effect.sleep("3 seconds")
        }
        expect(yield* losses.known).toBe(null)
        putBack()
        yield* Effect.promise(worker.restart)
        const known = yield* Effect.repeat(losses.known, { until: (loss) => loss !== null, schedule: everyTenth })
        expect(known?.since).toBeLessThan(lostAt)
      }),
    120_000
  )
})
