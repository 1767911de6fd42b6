/**
 * Says when something of a tenant changed. All who wait for the same tenant share one follower, which asks the storage once
 * a second for the tenant's new events, and ends with the last of them.
 */
import { Pointsman, type Tenant } from "@pointsman/core"
import { type StorageError, withStaleReads } from "@pointsman/core/ports"
import { Context, Effect, Layer, Queue, RcMap, type Scope } from "effect"

const askEveryMillis = 1_000
/** More new events than these count as a change of every payment. */
const eventsAtOnce = 100

interface Waiting {
  /** `undefined`: every payment of the tenant. */
  readonly paymentId: string | undefined
  /** Of one place: changes that were not seen yet are one. */
  readonly changed: Queue.Queue<void>
}

interface Follower {
  readonly tenant: Tenant
  readonly waiting: Set<Waiting>
}

export class TenantChanges extends Context.Service<
  TenantChanges,
  {
    /** Changes after this moment, for as long as the scope is open. */
    readonly follow: (
      tenant: Tenant,
      paymentId: string | undefined
    ) => Effect.Effect<Queue.Dequeue<void>, StorageError, Scope.Scope>
  }
>()("pointsman/console/TenantChanges") {}

const keyOf = ({ environment, workspaceId }: Tenant): string => JSON.stringify([workspaceId, environment])
const tenantOf = (key: string): Tenant => {
  const [workspaceId, environment] = JSON.parse(key)
  return { workspaceId, environment }
}

export const layer = Layer.effect(
  TenantChanges,
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    const followers = yield* RcMap.make({
      lookup: Effect.fnUntraced(function* (key: string) {
        const follower: Follower = { tenant: tenantOf(key), waiting: new Set() }
        const begin = yield* newest(pointsman, follower.tenant)
        yield* Effect.forkScoped(followFrom(pointsman, follower, begin))
        return follower
      })
    })
    return TenantChanges.of({
      follow: Effect.fnUntraced(function* (tenant, paymentId) {
        const { waiting } = yield* RcMap.get(followers, keyOf(tenant))
        const changed = yield* Queue.sliding<void>(1)
        const one: Waiting = { paymentId, changed }
        yield* Effect.acquireRelease(
          Effect.sync(() => waiting.add(one)),
          () => Effect.sync(() => waiting.delete(one))
        )
        return changed
      })
    })
  })
)

type Door = Pointsman["Service"]

/**
 * From where lists are read too: a page that looks again because of a change would else be read from a standby that does
 * not have it yet.
 */
const eventsOf = (pointsman: Door, ...query: Parameters<Door["events"]>) =>
  withStaleReads(() => pointsman.events(...query))

/** The id of the tenant's newest event; for none a text before every id. */
const newest = (pointsman: Door, tenant: Tenant) =>
  Effect.map(eventsOf(pointsman, tenant, { limit: 1 }), ({ items: [event] }) => event?.id ?? "")

const followFrom = Effect.fnUntraced(function* (pointsman: Door, { tenant, waiting }: Follower, begin: string) {
  let after: string | undefined = begin
  const look = Effect.gen(function* () {
    // There were more events than one read returns: the next read continues from the newest one.
    if (after === undefined) {
      after = yield* newest(pointsman, tenant)
      return announce(waiting, undefined)
    }
    const { hasMore, items } = yield* eventsOf(pointsman, tenant, { after, limit: eventsAtOnce })
    if (items.length === 0) return
    after = hasMore ? undefined : items.at(-1)?.id
    announce(waiting, hasMore ? undefined : new Set(items.map(({ paymentId }) => paymentId)))
  })
  return yield* Effect.sleep(askEveryMillis).pipe(
    Effect.andThen(look),
    Effect.catch((error) => Effect.logDebug("changes of payments could not be read", error)),
    Effect.forever
  )
})

/** `undefined`: every payment may have changed. */
const announce = (waiting: ReadonlySet<Waiting>, changed: ReadonlySet<string> | undefined) => {
  for (const one of waiting) {
    if (changed === undefined || one.paymentId === undefined || changed.has(one.paymentId)) {
      Queue.offerUnsafe(one.changed, undefined)
    }
  }
}
