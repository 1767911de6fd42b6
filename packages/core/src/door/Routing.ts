/** Why payments went where they went, and what routing knows of connections. */
import { Clock, Context, Effect, Stream } from "effect"
import { type AccountReading, Accounts } from "../call/Accounts.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { StoredRate } from "../ports/SuccessRates.ts"
import type { RoutingExplanation } from "../routing/Explanation.ts"
import type { Replayed, RoutingConfiguration } from "../routing/Replay.ts"
import { type CircuitReading, Circuits } from "../routing/run/Circuits.ts"
import { successRates } from "../routing/run/LearnedRates.ts"
import {
  explainStored,
  type PreviewQuery,
  previewRouting,
  type RoutingPreview
} from "../verbs/explain/PreviewRouting.ts"
import { type ConnectionHealth, connectionHealth } from "../verbs/explain/ReadConnectionHealth.ts"
import { type SuccessHistory, type SuccessHistoryQuery, successHistory } from "../verbs/explain/ReadSuccessHistory.ts"
import { currentConfiguration, type ReplayQuery, replayPayments } from "../verbs/explain/ReplayPayments.ts"
import type { PaymentNotFound } from "../verbs/read/ReadArchive.ts"
import type { DoorContext } from "./DoorContext.ts"

export interface RoutingMethods {
  /** Why a payment went where it went. */
  readonly explainRouting: (
    tenant: Tenant,
    paymentId: string
  ) => Effect.Effect<RoutingExplanation, PaymentNotFound | StorageError>
  /**
   * The decisions of stored payments, oldest first, made again under the configuration as it is now or under another
   * one. No provider is asked and nothing is written. Payments that were never routed are passed over.
   */
  readonly replayRouting: (tenant: Tenant, query: ReplayQuery) => Stream.Stream<Replayed, StorageError>
  /** What the tenant's payments are routed by now. */
  readonly routingConfiguration: (tenant: Tenant) => Effect.Effect<RoutingConfiguration, StorageError>
  /** Where a payment would go now. No provider is asked, nothing is written, and no circuit's probe is used. */
  readonly previewRouting: (query: PreviewQuery) => Effect.Effect<RoutingPreview, StorageError>
  /** How attempts ended over time, from a sample of at most 200 payments of each step. In the sandbox too. */
  readonly successHistory: (tenant: Tenant, query: SuccessHistoryQuery) => Effect.Effect<SuccessHistory, StorageError>
  /** Whether the tenant's connections can be used, and how they fared in the newest payments. No provider is asked. */
  readonly connectionHealth: (tenant: Tenant) => Effect.Effect<ReadonlyArray<ConnectionHealth>, StorageError>
  /** What is stored of how the tenant's connections fare, by connection and segment; nothing in the sandbox. */
  readonly successRates: (tenant: Tenant) => Effect.Effect<ReadonlyArray<StoredRate>, StorageError>
  /** Circuits of this process with failures since the last success, by connection; all others are closed. */
  readonly circuits: Effect.Effect<ReadonlyArray<CircuitReading>>
  /** Whose account each connection opens, of all tenants, and whether its provider told this process so. */
  readonly accounts: Effect.Effect<ReadonlyArray<AccountReading>, StorageError>
}

export const routingMethods = (context: DoorContext): RoutingMethods => ({
  explainRouting: (tenant, id) => Effect.provideContext(explainStored(tenant, id), context),
  replayRouting: (tenant, query) => Stream.provideContext(replayPayments(tenant, query), context),
  routingConfiguration: (tenant) => Effect.provideContext(currentConfiguration(tenant), context),
  previewRouting: (query) => Effect.provideContext(previewRouting(query), context),
  successHistory: (tenant, query) => Effect.provideContext(successHistory(tenant, query), context),
  connectionHealth: (tenant) => Effect.provideContext(connectionHealth(tenant), context),
  successRates: (tenant) => Effect.provideContext(successRates(tenant), context),
  circuits: Effect.map(Clock.currentTimeMillis, (now) => Context.get(context, Circuits).all(now)),
  accounts: Context.get(context, Accounts).readings
})
