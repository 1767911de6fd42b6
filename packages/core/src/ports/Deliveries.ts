/**
 * The store of deliveries. They are written by `Ledger.commit`, in the commit of their events, one for each endpoint of
 * the tenant that is active at that moment and wants the type; an endpoint that comes later is sent nothing of before.
 */
import { Context, type Effect, type Option } from "effect"
import type { Delivery, DeliveryAttempt } from "../model/Delivery.ts"
import type { DeliveryState } from "../model/DeliveryMachine.ts"
import type { Event } from "../model/Event.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { WebhookEndpoint } from "./Directory.ts"
import type { StorageError } from "./StorageError.ts"

export interface DueDeliveryQuery {
  /** Epoch milliseconds; deliveries whose time is not later than this. */
  readonly now: number
  /** For how long no other process gets what is taken, in milliseconds. */
  readonly leaseMillis: number
  readonly limit: number
  /** How many may be on their way to one endpoint at once, with those that others have taken. */
  readonly limitPerEndpoint: number
}

/** A delivery that was taken: it is `Sending`, and the attempt is recorded as begun. */
export interface DueDelivery {
  readonly delivery: Delivery
  readonly endpoint: WebhookEndpoint
  readonly event: Event
}

/** The outcome of an attempt. */
export interface AttemptRecord {
  readonly after: Delivery
  readonly attempt: DeliveryAttempt
}

export interface DeliveryQuery {
  readonly state?: DeliveryState | undefined
  readonly endpointId?: string | undefined
  /** Only deliveries of events of this payment. */
  readonly paymentId?: string | undefined
  /** Only deliveries with a smaller id. */
  readonly before?: string | undefined
  readonly limit: number
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Deliveries of all tenants that are due, those of one endpoint in the order of their times. No two callers get the
     * same one before its lease is over. What is due for one endpoint never keeps back another's beyond its limit.
     */
    readonly takeDue: (query: DueDeliveryQuery) => Effect.Effect<ReadonlyArray<DueDelivery>, StorageError>
    /** Of all tenants, when the first delivery is due, or was, in epoch milliseconds. For monitoring. */
    readonly firstDueAt: Effect.Effect<number | null, StorageError>
    /**
     * All of them or none. The attempt is recorded in any case; a delivery that another has taken since, or that is not
     * being sent any more, stays as it is. One that is given up because its endpoint was not active is due again where
     * the endpoint is active by now.
     */
    readonly record: (records: ReadonlyArray<AttemptRecord>) => Effect.Effect<void, StorageError>
    /** Writes `after` where what is stored is still as `before` says; whether it did. */
    readonly replace: (before: Delivery, after: Delivery) => Effect.Effect<boolean, StorageError>
    readonly delivery: (tenant: Tenant, id: string) => Effect.Effect<Option.Option<Delivery>, StorageError>
    /** Newest first. */
    readonly list: (tenant: Tenant, query: DeliveryQuery) => Effect.Effect<ReadonlyArray<Delivery>, StorageError>
    /** The events of the deliveries with these ids, by the delivery's id. */
    readonly events: (
      tenant: Tenant,
      deliveryIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Event>, StorageError>
    /** In the order of their numbers. */
    readonly attempts: (tenant: Tenant, id: string) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, StorageError>
  }
>()("pointsman/ports/Deliveries") {}
