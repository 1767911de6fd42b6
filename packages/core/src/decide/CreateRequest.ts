/** The question and the answers of creating a payment: what `CreatePayment.create` takes, gives and refuses. */
import { type Redacted, Schema } from "effect"
import type { Payment, PaymentDetails } from "../model/Payment.ts"
import type { Exclusion } from "../model/RoutingDecision.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { Workspace } from "../model/Workspace.ts"

/** Who asks: the workspace in one environment, by an API key or an operator, if by either. */
export interface Caller {
  readonly tenant: Tenant
  readonly workspace: Workspace
  /** When set, nothing is claimed once this key is revoked. */
  readonly apiKeyHash?: string | undefined
  /** The operator who captures, voids, refunds or answers a dispute: audited before anything is claimed. */
  readonly operator?: string | undefined
}

/** A stored credential that a provider itself issued; never card data. Held in memory, and never stored. */
export interface Instrument {
  readonly connectionId: string
  readonly token: Redacted.Redacted<string>
}

export interface CreateRequest {
  readonly details: PaymentDetails
  /**
   * `null`: any connection may take it. A list: only connections that it names. Tokens are in memory only, during the create;
   * what is stored has them in its keyed fingerprint.
   */
  readonly instruments: ReadonlyArray<Instrument> | null
  /** 8 to 200 printable ASCII characters, or `null`: every request without a key is a new payment. */
  readonly idempotencyKey: string | null
  /** When set, the customer pays on a hosted page, which sends them back here afterwards. `http` or `https`. */
  readonly returnUrl?: string | null | undefined
  /** Where the hosted page sends a customer who cancels; part of what makes two requests the same. */
  readonly cancelUrl?: string | null | undefined
  /** Part of what makes two requests the same; it changes nothing else here. */
  readonly debug: boolean
}

export interface Created {
  /** As it was answered the first time, with its routing. */
  readonly payment: Payment
  /** An earlier request under the same key made it. */
  readonly isReplay: boolean
}

/** No connection can take the payment. Nothing was recorded, and the key is free. */
export class RoutingFailed extends Schema.TaggedError<RoutingFailed>()("pointsman/RoutingFailed", {
  excluded: Schema.Any as Schema.Codec<ReadonlyArray<Exclusion>>
}) {}

/** The key was used for another request. Nothing was charged. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("pointsman/KeyReused", {}) {}

/** A request under this key is still being worked on; or it may be one of those whose records were lost. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("pointsman/RequestInProgress", {
  /** In milliseconds: when the same request is worth sending again, where that is known. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {}

/** Nothing was sent to a provider and the key is free: the same request may be sent again. */
export class NothingSent extends Schema.TaggedError<NothingSent>()("pointsman/NothingSent", {
  cause: Schema.Defect()
}) {}

/** A provider may have received the payment, and its result could not be recorded. */
export class PaymentResultUnknown extends Schema.TaggedError<PaymentResultUnknown>()("pointsman/PaymentResultUnknown", {
  paymentId: Schema.String,
  cause: Schema.Defect()
}) {}
