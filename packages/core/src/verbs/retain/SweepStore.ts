/**
 * Removes from the store what its workspaces do not keep any longer, in small batches with pauses: whole payments, ended
 * deliveries, and bodies of decided messages. One process of all sweeps, under a lease, which guards nothing: each removal
 * checks in its own write what it was decided on. A kind that fails, such as payments while the archive is down, does not
 * hold up the others; the sweep fails at its end with the first failure.
 */
import { Cause, Clock, Effect, Metric } from "effect"
import { retentionOldest, retentionRemoved } from "../../metrics/Metrics.ts"
import { type RetentionTimes, retentionOf } from "../../model/RetentionTimes.ts"
import { environments, type Tenant } from "../../model/Tenant.ts"
import type { Workspace } from "../../model/Workspace.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Held, type PruneQuery, Retention, type Upkeep, type UpkeepQuery } from "../../ports/Retention.ts"
import { Settlements } from "../../ports/Settlements.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { type PaymentRemoval, removePayments } from "./RemovePayments.ts"

export interface SweepOrder {
  /** Whether to count what would leave, and to remove nothing. */
  readonly isDryRun: boolean
  /** Only this workspace; all of them unless set. */
  readonly workspaceId?: string | undefined
  /** Between two batches, in milliseconds; 50 unless set. */
  readonly pauseMillis?: number | undefined
}

/** Of one tenant. Times are epoch milliseconds, of what is stored after the sweep; `null` where there is none. */
export interface TenantSweep
  extends PaymentRemoval,
    Pick<Held, "oldestPaymentAt" | "oldestDeliveryAt" | "oldestBodyAt"> {
  readonly tenant: Tenant
  readonly retention: RetentionTimes
  /** Ended deliveries that left, or would; of a dry run no more than `countedAtMost`. */
  readonly deliveries: number
  /** Bodies of messages that left, or would; as above. */
  readonly bodies: number
}

export interface Sweep {
  readonly tenants: ReadonlyArray<TenantSweep>
  /** What left with partitions of the database, over all tenants. */
  readonly inPartitions: Upkeep
}

/** Deliveries, and bodies, that a dry run counts for each tenant. */
export const countedAtMost = 100_000
/** Rows of one write: some milliseconds in SQLite, where everybody else waits for it. */
const batch = 200
const defaultPauseMillis = 50

/** `goesOn` is asked before each batch. */
const sweep = Effect.fnUntraced(function* (order: SweepOrder, goesOn: Effect.Effect<boolean, StorageError>) {
  const now = yield* Clock.currentTimeMillis
  const { workspaces } = yield* (yield* Directory).contents
  const pauseMillis = order.pauseMillis ?? defaultPauseMillis
  const pause = pauseMillis === 0 ? Effect.yieldNow : Effect.sleep(pauseMillis)
  const longest = order.workspaceId === undefined ? longestOf(workspaces) : { deliveries: null, messages: null }
  const before = (millis: number | null) => (millis === null ? null : now - millis)
  const overdue = { deliveriesBefore: before(longest.deliveries), bodiesBefore: before(longest.messages) }
  const inPartitions = order.isDryRun ? nothingDropped : yield* keepUp({ now, ...overdue })
  const tenants: Array<TenantSweep> = []
  const failures: Failures = []
  for (const workspace of workspaces) {
    if (order.workspaceId !== undefined && workspace.id !== order.workspaceId) continue
    for (const environment of environments) {
      const tenant = { workspaceId: workspace.id, environment }
      const tenantOrder = { isDryRun: order.isDryRun, pause, goesOn, failures, longest }
      tenants.push(yield* sweepTenant(tenant, retentionOf(workspace), tenantOrder))
    }
  }
  if (!order.isDryRun) yield* count({ tenants, inPartitions }, now)
  const [failure] = failures
  if (failure !== undefined) return yield* Effect.failCause(failure)
  return { tenants, inPartitions } satisfies Sweep
})

/** A table that is busy is tried again with the next sweep, and holds up nothing else. */
const keepUp = Effect.fnUntraced(function* (query: UpkeepQuery) {
  const retention = yield* Retention
  return yield* Effect.catchTag(retention.upkeep(query), "pointsman/StorageError", (error) =>
    Effect.as(Effect.logWarning("the upkeep of the store is tried again with the next sweep", error), nothingDropped)
  )
})

const nothingDropped: Upkeep = { deliveries: 0, bodies: 0 }

/** For how long any workspace needs them, in milliseconds; `null` where one keeps them for good. */
type Longest = Pick<RetentionTimes, "deliveries" | "messages">

const longestOf = (workspaces: ReadonlyArray<Workspace>): Longest => {
  const all = workspaces.map(retentionOf)
  const longest = (kind: keyof Longest) =>
    all.reduce<number | null>(
      (most, { [kind]: millis }) => (most === null || millis === null ? null : Math.max(most, millis)),
      all.length === 0 ? null : 0
    )
  return { deliveries: longest("deliveries"), messages: longest("messages") }
}

interface TenantOrder {
  readonly isDryRun: boolean
  readonly pause: Effect.Effect<void>
  readonly goesOn: Effect.Effect<boolean, StorageError>
  readonly failures: Failures
  /** Of a kind that the upkeep does not drop, `null`. */
  readonly longest: Longest
}

type Failures = Array<Cause.Cause<StorageError>>

const noneHeld: Held = { deliveries: 0, bodies: 0, oldestPaymentAt: null, oldestDeliveryAt: null, oldestBodyAt: null }

/** What one kind of a tenant gives, or `otherwise` after a failure, which is logged and kept for the end of the sweep. */
const goOn = <A, R>(
  act: Effect.Effect<A, StorageError, R>,
  {
    failures,
    kind,
    otherwise,
    tenant
  }: {
    readonly failures: Failures
    readonly kind: string
    readonly otherwise: A
    readonly tenant: Tenant
  }
) =>
  Effect.catchCause(act, (cause): Effect.Effect<A, StorageError> => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    failures.push(cause)
    const logged = Effect.logError("retention failed for one kind of record and continues with the others", cause)
    return Effect.as(Effect.annotateLogs(logged, { ...tenant, kind }), otherwise)
  })

const sweepTenant = Effect.fnUntraced(function* (tenant: Tenant, times: RetentionTimes, order: TenantOrder) {
  const retention = yield* Retention
  const now = yield* Clock.currentTimeMillis
  const { isDryRun } = order
  const before = (millis: number | null) => (millis === null ? null : now - millis)
  const old = { deliveriesBefore: before(times.deliveries), bodiesBefore: before(times.messages) }
  const isLongest = (kind: keyof Longest) => times[kind] !== null && order.longest[kind] === times[kind]
  const pruneDeliveries = (query: PruneQuery) =>
    retention.pruneDeliveries({ ...query, isLongest: isLongest("deliveries") })
  const pruneBodies = (query: PruneQuery) => retention.pruneBodies({ ...query, isLongest: isLongest("messages") })
  const of = <A>(kind: string, otherwise: A) => ({ failures: order.failures, kind, otherwise, tenant })
  const deliveries = isDryRun
    ? 0
    : yield* goOn(prune(tenant, old.deliveriesBefore, order, pruneDeliveries), of("deliveries", 0))
  const bodies = isDryRun
    ? 0
    : yield* goOn(prune(tenant, old.bodiesBefore, order, pruneBodies), of("message bodies", 0))
  const removal = yield* goOn(
    removePayments({ tenant, retentionMillis: times.payments, ...order }),
    of<PaymentRemoval>("payments", { payments: 0, kept: {} })
  )
  if (!isDryRun) {
    // Rows of reports that belong to no payment, such as payouts; the others leave with theirs.
    const settlements = yield* Settlements
    yield* goOn(prune(tenant, before(times.payments), order, settlements.prune), of("settlement entries", 0))
  }
  const limit = isDryRun ? countedAtMost : 0
  const held = yield* goOn(retention.held({ tenant, ...old, limit }), of("oldest records", noneHeld))
  return {
    ...held,
    ...removal,
    tenant,
    retention: times,
    deliveries: isDryRun ? held.deliveries : deliveries,
    bodies: isDryRun ? held.bodies : bodies
  } satisfies TenantSweep
})

const prune = Effect.fnUntraced(function* (
  tenant: Tenant,
  before: number | null,
  { goesOn, pause }: TenantOrder,
  once: (query: PruneQuery) => Effect.Effect<number, StorageError>
) {
  let pruned = 0
  if (before === null) return pruned
  while (yield* goesOn) {
    const some = yield* once({ tenant, before, limit: batch })
    pruned += some
    if (some < batch) break
    yield* pause
  }
  return pruned
})

const count = Effect.fnUntraced(function* ({ inPartitions, tenants }: Sweep, now: number) {
  const sum = (of: (one: TenantSweep) => number) => tenants.reduce((total, one) => total + of(one), 0)
  yield* Metric.update(
    retentionRemoved("payment"),
    sum(({ payments }) => payments)
  )
  yield* Metric.update(retentionRemoved("delivery"), sum(({ deliveries }) => deliveries) + inPartitions.deliveries)
  yield* Metric.update(retentionRemoved("message_body"), sum(({ bodies }) => bodies) + inPartitions.bodies)
  const age = (of: (one: TenantSweep) => number | null) =>
    Math.max(0, ...tenants.map((one) => now - (of(one) ?? now))) / 1_000
  yield* Metric.update(
    retentionOldest("payment"),
    age(({ oldestPaymentAt }) => oldestPaymentAt)
  )
  yield* Metric.update(
    retentionOldest("delivery"),
    age(({ oldestDeliveryAt }) => oldestDeliveryAt)
  )
  yield* Metric.update(
    retentionOldest("message_body"),
    age(({ oldestBodyAt }) => oldestBodyAt)
  )
})

/** For operators. It does not take the lease, so the background may sweep at the same time. */
export const sweepStore = (order: SweepOrder) => sweep(order, Effect.succeed(true))

/** Longer than any batch takes, in milliseconds: a process that died holds the others up for so long. */
const leaseMillis = 10 * 60_000
/** After a sweep the next one of all processes is due, in milliseconds. */
const everyMillis = 55 * 60_000

/** Of the background: where another process sweeps, or did so in the last hour, nothing is done. */
export const sweepInTurn = Effect.gen(function* () {
  if ((yield* (yield* StorageCondition).read).refusal !== null) return
  const retention = yield* Retention
  const holder = yield* (yield* Ids).request
  const hold = (millis: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => retention.lease({ holder, now, until: now + millis }))
  if (!(yield* hold(leaseMillis))) return
  const { inPartitions, tenants } = yield* sweep({ isDryRun: false }, hold(leaseMillis))
  yield* hold(everyMillis)
  const payments = tenants.reduce((sum, one) => sum + one.payments, 0)
  const deliveries = tenants.reduce((sum, one) => sum + one.deliveries, inPartitions.deliveries)
  const bodies = tenants.reduce((sum, one) => sum + one.bodies, inPartitions.bodies)
  if (payments + deliveries + bodies === 0) return
  yield* Effect.annotateLogs(Effect.logInfo("retention removed records"), {
    payments,
    deliveries,
    messageBodies: bodies
  })
})
