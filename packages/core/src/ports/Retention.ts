/**
 * What has to leave the store when its time is over: whole payments, deliveries of webhooks, and bodies of providers'
 * messages. `remove` deletes all of a payment or nothing of it, and compares the version and looks for open deliveries and
 * messages inside the same write. What changed since it was read stays.
 */
import { Context, Effect } from "effect"
import type { OldPayment, WholePayment } from "../model/PaymentBook.ts"
import type { PaymentState } from "../model/PaymentMachine.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { StorageError } from "./StorageError.ts"

export interface OldPaymentQuery {
  readonly tenant: Tenant
  /** Epoch milliseconds; payments created before it. */
  readonly createdBefore: number
  /** Only payments in this state. */
  readonly state?: PaymentState | undefined
  /** Only payments with a greater id. */
  readonly after?: string | undefined
  readonly limit: number
}

/** A payment as it was read. */
export interface ReadPayment {
  readonly tenant: Tenant
  readonly paymentId: string
  /** The version that it was read at. */
  readonly version: number
}

/** What is old enough of one tenant. A time of `null`: nothing of this kind leaves. Epoch milliseconds. */
export interface HeldQuery {
  readonly tenant: Tenant
  readonly deliveriesBefore: number | null
  readonly bodiesBefore: number | null
  /** No more than this many of each kind are counted. */
  readonly limit: number
}

export interface Held {
  /** Deliveries that have ended and were created before the time. */
  readonly deliveries: number
  /** Bodies of decided messages that were received before the time. */
  readonly bodies: number
  /** When the oldest of each kind was created or received, in epoch milliseconds; `null` where there is none. */
  readonly oldestPaymentAt: number | null
  readonly oldestDeliveryAt: number | null
  readonly oldestBodyAt: number | null
}

export interface PruneQuery {
  readonly tenant: Tenant
  /** Epoch milliseconds; what was created or received before it. */
  readonly before: number
  /** Rows at most, in one short write. */
  readonly limit: number
  /** No tenant keeps them for longer, so that a store whose `upkeep` drops whole months may leave them to it. */
  readonly isLongest?: boolean | undefined
}

/** Work on the store as a whole, which adapters do in their own way: partitions, pages of a file. Epoch milliseconds. */
export interface UpkeepQuery {
  readonly now: number
  /** Deliveries created before it have no use for any tenant; `null` where they are kept. */
  readonly deliveriesBefore: number | null
  /** As above, of bodies of messages that were received before it. */
  readonly bodiesBefore: number | null
}

/** About how many of each kind left with whole partitions: a store that drops them does not count their rows. */
export interface Upkeep {
  readonly deliveries: number
  readonly bodies: number
}

/** A lease of the sweep is shorter, in milliseconds. */
export const longestLeaseMillis = 60 * 60_000

export interface Retention {
  /** Payments removed at once; 50 unless set. More leave faster, and hold up longer what waits for the store. */
  readonly paymentsAtOnce?: number | undefined
  /**
   * Takes or extends a lease, for all processes on the store: whether `holder` has it until `until`. That of the sweep,
   * unless another is named, only saves work: two sweeps at once remove nothing twice. That of the proof keeps the budget of
   * lookups, and that of the reports lets one process fetch them. One that ends later than `longestLeaseMillis` from
   * `now` was taken by a clock that was wrong, and counts as free.
   */
  readonly lease: (query: {
    readonly what?: "sweep" | "proof" | "reports" | undefined
    readonly holder: string
    readonly now: number
    readonly until: number
  }) => Effect.Effect<boolean, StorageError>
  /** Payments of the tenant, by id, which is oldest first. Each is of one moment. */
  readonly oldPayments: (query: OldPaymentQuery) => Effect.Effect<ReadonlyArray<OldPayment>, StorageError>
  /**
   * Deletes those of the payments that still have the version and no open delivery or message, with everything that is
   * stored of them but the provider's references of their charges; gives the ids of those that it deleted. A payment that
   * another transaction is writing is passed over. After a failure, any of them may be deleted.
   */
  readonly remove: (payments: ReadonlyArray<ReadPayment>) => Effect.Effect<ReadonlyArray<string>, StorageError>
  /** The payment that had this reference of a charge and is not stored any more; `null` for every other reference. */
  readonly removedPaymentOf: (
    tenant: Tenant,
    reference: { readonly connectionId: string; readonly providerRef: string }
  ) => Effect.Effect<string | null, StorageError>
  readonly held: (query: HeldQuery) => Effect.Effect<Held, StorageError>
  /** Deletes deliveries that have ended, with their attempts; gives how many. Those that are due or being sent stay. */
  readonly pruneDeliveries: (query: PruneQuery) => Effect.Effect<number, StorageError>
  /**
   * Empties the bodies of messages that were decided; gives how many. The message stays, so that it is known when it
   * comes again. Bodies of messages that are received, wait, or are unmatched, unreadable or contradict a payment with an
   * open review stay.
   */
  readonly pruneBodies: (query: PruneQuery) => Effect.Effect<number, StorageError>
  /** Bodies of messages that are not decided stay, as with `pruneBodies`. */
  readonly upkeep: (query: UpkeepQuery) => Effect.Effect<Upkeep, StorageError>
}

export const Retention = Context.Service<Retention>("pointsman/ports/Retention")

/**
 * What happens to payments before they are removed, such as writing them to an archive. It succeeds once they are safe; a
 * failure keeps them in the store, and the next sweep brings them again. A process may die after it and before the
 * removal, so it must accept a payment that it was given before.
 */
export const BeforeRemoval = Context.Reference<
  (payments: ReadonlyArray<WholePayment>) => Effect.Effect<void, StorageError>
>("pointsman/ports/BeforeRemoval", { defaultValue: () => () => Effect.void })
