/**
 * The store of what `auto` routing learned: success rates by connection and segment, shared by all servers. They are an
 * estimate and not money: routing reads them from memory, and what a process learned is written a moment later, in the
 * background.
 */
import { Context, type Effect } from "effect"
import type { SuccessRate } from "../model/SuccessRate.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { StorageError } from "./StorageError.ts"

/** One rate as it is stored. Tenant, connection and segment are its key. */
export interface StoredRate {
  readonly tenant: Tenant
  readonly connectionId: string
  /** As `segmentOf` makes it; empty for the connection as a whole. */
  readonly segment: string
  readonly rate: SuccessRate
  /** Counts the writes, from 1. */
  readonly version: number
}

export class SuccessRates extends Context.Service<
  SuccessRates,
  {
    /** Of all tenants, in no order: the rates whose time (`rate.at`) is not before this, in epoch milliseconds. */
    readonly changedSince: (at: number) => Effect.Effect<ReadonlyArray<StoredRate>, StorageError>
    /**
     * Writes each rate whose stored version is one less than its own, and each of which nothing is stored (any more: it
     * may have been forgotten meanwhile), whatever its version. Returns the others as they are stored now, so that the caller
     * adds to those and writes again. Of writers with the same version in hand one wins.
     *
     * `StorageError`: none was written, or the result is unknown; the error does not say which, because only an estimate
     * can be lost. A caller that writes again after it may count its outcomes twice.
     */
    readonly write: (rates: ReadonlyArray<StoredRate>) => Effect.Effect<ReadonlyArray<StoredRate>, StorageError>
    /** Deletes the rates whose time is before this, in epoch milliseconds; gives how many. */
    readonly forgetBefore: (at: number) => Effect.Effect<number, StorageError>
  }
>()("pointsman/ports/SuccessRates") {}
