/** The door: everything that Pointsman does, as one service. */
import { Context, Effect, Layer } from "effect"
import type { Event } from "./events/Event.ts"
import { create } from "./payment/CreatePayment.ts"
import type {
  Caller,
  Created,
  CreateRequest,
  KeyReused,
  NothingSent,
  PaymentResultUnknown,
  RequestInProgress,
  RoutingFailed
} from "./payment/CreateRequest.ts"
import type { Payment } from "./payment/Payment.ts"
import { PaymentSettings } from "./payment/PaymentSettings.ts"
import { events, type Page, type PaymentNotFound, payment, payments, timeline } from "./payment/ReadPayments.ts"
import type { Connectors } from "./ports/Connector.ts"
import type { Directory, KeyHolder } from "./ports/Directory.ts"
import type { Ids } from "./ports/Ids.ts"
import type { ApiKeyRevoked, EventQuery, Ledger, PaymentQuery, TimelineQuery } from "./ports/Ledger.ts"
import type { Secrets } from "./ports/Secrets.ts"
import type { StorageError } from "./ports/StorageError.ts"
import type { Transport } from "./ports/Transport.ts"
import { Circuits } from "./routing/Circuits.ts"
import { OpenConnections } from "./routing/OpenConnections.ts"
import { authenticate, type KeyRefused } from "./workspace/Authenticate.ts"
import type { Tenant } from "./workspace/Tenant.ts"

export type CreateFailure =
  | RoutingFailed
  | KeyReused
  | RequestInProgress
  | NothingSent
  | PaymentResultUnknown
  | ApiKeyRevoked

export interface PointsmanOptions {
  /** For how long a claim without an answer counts as being worked on, in milliseconds; 15 minutes unless set. */
  readonly claimWindowMillis?: number | undefined
  /** Time-out of a provider call where the connection names none, in milliseconds; 30 seconds unless set. */
  readonly providerTimeoutMillis?: number | undefined
}

export const defaultProviderTimeoutMillis = 30_000

export class Pointsman extends Context.Service<
  Pointsman,
  {
    /** Routes and charges a payment. Once claimed it runs to its end, also when the caller is interrupted. */
    readonly create: (caller: Caller, request: CreateRequest) => Effect.Effect<Created, CreateFailure>
    readonly payment: (tenant: Tenant, id: string) => Effect.Effect<Payment, PaymentNotFound | StorageError>
    /** Newest first. */
    readonly payments: (tenant: Tenant, query: PaymentQuery) => Effect.Effect<Page<Payment>, StorageError>
    /** Oldest first. */
    readonly timeline: (
      tenant: Tenant,
      paymentId: string,
      query: TimelineQuery
    ) => Effect.Effect<Page<Event>, PaymentNotFound | StorageError>
    /** Newest first; oldest first when only `after` is given. */
    readonly events: (tenant: Tenant, query: EventQuery) => Effect.Effect<Page<Event>, StorageError>
    readonly authenticate: (key: string) => Effect.Effect<KeyHolder, KeyRefused | StorageError>
  }
>()("pointsman/Pointsman") {
  static readonly layer = (
    options: PointsmanOptions = {}
  ): Layer.Layer<Pointsman, never, Ledger | Directory | Connectors | Transport | Secrets | Ids> =>
    Layer.effect(
      Pointsman,
      Effect.gen(function* () {
        const defaults = yield* PaymentSettings
        const settings = {
          ...defaults,
          claimWindowMillis: options.claimWindowMillis ?? defaults.claimWindowMillis
        }
        const services = yield* Effect.context<
          Ledger | Directory | Connectors | Secrets | Ids | Circuits | OpenConnections
        >()
        const context = Context.add(services, PaymentSettings, settings)
        return Pointsman.of({
          create: (caller, request) => Effect.provideContext(create(caller, request), context),
          payment: (tenant, id) => Effect.provideContext(payment(tenant, id), context),
          payments: (tenant, query) => Effect.provideContext(payments(tenant, query), context),
          timeline: (tenant, id, query) => Effect.provideContext(timeline(tenant, id, query), context),
          events: (tenant, query) => Effect.provideContext(events(tenant, query), context),
          authenticate: (key) => Effect.provideContext(authenticate(key), context)
        })
      })
    ).pipe(
      Layer.provide([
        Circuits.layer,
        OpenConnections.layer({ providerTimeoutMillis: options.providerTimeoutMillis ?? defaultProviderTimeoutMillis })
      ])
    )
}
