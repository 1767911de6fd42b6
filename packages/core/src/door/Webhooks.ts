/** Webhooks and their attempts. */
import { Effect } from "effect"
import type { Delivery, DeliveryAttempt } from "../model/Delivery.ts"
import type { Event } from "../model/Event.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { DeliveryQuery } from "../ports/Deliveries.ts"
import type { StorageError } from "../ports/StorageError.ts"
import {
  type DeliveryFile,
  type DeliveryNotFound,
  deliveredEvents,
  deliveries,
  deliveryAttempts,
  deliveryFile,
  type NotRedeliverable,
  type RedeliveryOptions,
  redeliver
} from "../verbs/deliver/ReadDeliveries.ts"
import {
  type EndpointChanged,
  type EndpointNotFound,
  type RotatedSecret,
  rotateEndpointSecret,
  type SecretRotationOrder
} from "../verbs/deliver/RotateEndpointSecret.ts"
import type { Page } from "../verbs/read/ReadPayments.ts"
import { type DoorContext, intents, ofTenant } from "./DoorContext.ts"

export interface WebhookMethods {
  /** Newest first. */
  readonly deliveries: (tenant: Tenant, query: DeliveryQuery) => Effect.Effect<Page<Delivery>, StorageError>
  /** The events of these deliveries, by the delivery's id. */
  readonly deliveredEvents: (
    tenant: Tenant,
    deliveryIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, Event>, StorageError>
  /** A delivery with its event and its attempts. */
  readonly deliveryFile: (
    tenant: Tenant,
    deliveryId: string
  ) => Effect.Effect<DeliveryFile, DeliveryNotFound | StorageError>
  /** Every attempt with its answer's status and its times, in the order of their numbers. */
  readonly deliveryAttempts: (
    tenant: Tenant,
    deliveryId: string
  ) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, DeliveryNotFound | StorageError>
  /** Sends again what was refused or given up: at once, under the same id, and then by the schedule. */
  readonly redeliver: (
    tenant: Tenant,
    deliveryId: string,
    options?: RedeliveryOptions
  ) => Effect.Effect<Delivery, DeliveryNotFound | NotRedeliverable | StorageError>
  /**
   * Replaces the signing secret of an endpoint by a new one; for the overlap, both sign. Repeated with the same key, it
   * gives the same secret. A configuration that still names the former secret does not bring it back. After `StorageError`
   * it may be replaced all the same; repeat the request.
   */
  readonly rotateEndpointSecret: (
    tenant: Tenant,
    order: SecretRotationOrder
  ) => Effect.Effect<RotatedSecret, EndpointNotFound | EndpointChanged | StorageError>
}

export const webhookMethods = (context: DoorContext): WebhookMethods => ({
  deliveries: (tenant, query) => Effect.provideContext(deliveries(tenant, query), context),
  deliveredEvents: (tenant, ids) => Effect.provideContext(deliveredEvents(tenant, ids), context),
  deliveryFile: (tenant, id) => Effect.provideContext(deliveryFile(tenant, id), context),
  deliveryAttempts: (tenant, id) => Effect.provideContext(deliveryAttempts(tenant, id), context),
  rotateEndpointSecret: (tenant, order) => Effect.provideContext(rotateEndpointSecret(tenant, order), context),
  redeliver: (tenant, id, options) =>
    Effect.andThen(
      intents(context)("webhook.redelivering", id, ofTenant(tenant)),
      Effect.provideContext(redeliver(tenant, id, options), context)
    )
})
