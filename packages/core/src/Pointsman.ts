/** The door: everything that Pointsman does, as one service. */
import { Context, type Effect } from "effect"
import type { Event } from "./events/Event.ts"
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
import type { Page, PaymentNotFound } from "./payment/ReadPayments.ts"
import type { KeyHolder } from "./ports/Directory.ts"
import type { ApiKeyRevoked, EventQuery, PaymentQuery, TimelineQuery } from "./ports/Ledger.ts"
import type { StorageError } from "./ports/StorageError.ts"
import type { KeyRefused } from "./workspace/Authenticate.ts"
import type { Tenant } from "./workspace/Tenant.ts"

export type CreateFailure =
  | RoutingFailed
  | KeyReused
  | RequestInProgress
  | NothingSent
  | PaymentResultUnknown
  | ApiKeyRevoked

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
>()("pointsman/Pointsman") {}
