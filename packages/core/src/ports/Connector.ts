/**
 * What we ask of a provider. A connector answers with what happened; it never decides what that means.
 *
 * A capability is an optional method: a connector without `capture` cannot capture, and the API answers 501.
 */
import { Context, type Effect, Layer, Option, type Redacted, type Result, Schema } from "effect"
import type { Money } from "../money/Money.ts"
import type { DeclineCategory } from "../payment/Decline.ts"
import type { Initiator, PaymentMethod } from "../payment/Payment.ts"
import type { Simulation } from "../payment/Simulation.ts"
import type { Supports } from "../routing/Connection.ts"
import type { Environment } from "../workspace/Tenant.ts"
import type { NotSent, Transport, Unanswered } from "./Transport.ts"

export interface ChargeRequest {
  /** The provider's idempotency key. */
  readonly attemptId: string
  /** Which attempt of the payment this is, counted from 1. */
  readonly attemptNumber: number
  readonly paymentId: string
  readonly money: Money
  readonly country: string
  readonly method: PaymentMethod
  readonly cardBrand: string | null
  readonly initiator: Initiator
  /** `true`: take the money at once. `false`: authorize it, to be captured later. */
  readonly capture: boolean
  readonly reference: string | null
  /** A stored credential that the provider itself issued. */
  readonly instrument: Redacted.Redacted<string> | null
  /** For the built-in simulator alone. */
  readonly simulation: Simulation | null
}

/** To open the provider's own page, on which the customer pays. */
export interface CheckoutRequest extends Omit<ChargeRequest, "instrument" | "simulation"> {
  /** Where the provider sends the customer afterwards. */
  readonly returnUrl: string
}

export interface CheckoutOpened {
  readonly _tag: "CheckoutOpened"
  /** The provider's name for the checkout. */
  readonly reference: string
  /** Where to send the customer; absolute, `http` or `https`. */
  readonly url: string
  /** Epoch milliseconds after which nobody can pay on it; `null` where the provider names no end. */
  readonly expiresAt: number | null
}

export interface CaptureRequest {
  /** The provider's idempotency key. */
  readonly operationId: string
  /** The attempt that made the charge. */
  readonly attemptId: string
  readonly providerRef: string
  readonly money: Money
  readonly simulation: Simulation | null
}

export interface VoidRequest {
  /** The provider's idempotency key. */
  readonly operationId: string
  /** The attempt that made the charge. */
  readonly attemptId: string
  readonly providerRef: string
  readonly simulation: Simulation | null
}

export interface RefundRequest {
  /** The provider's idempotency key. */
  readonly refundId: string
  /** The attempt that made the charge. */
  readonly attemptId: string
  readonly providerRef: string
  readonly money: Money
  readonly reason: string | null
  readonly simulation: Simulation | null
}

export interface ChargeLookup {
  readonly attemptId: string
  /** Where the provider told it. */
  readonly providerRef: string | null
  /** The provider's name for the checkout that the customer was sent to; `null` for a direct charge. */
  readonly checkoutReference: string | null
  /** Epoch milliseconds by our clock: the provider was not asked before this. */
  readonly sentAt: number
  readonly money: Money
  readonly simulation: Simulation | null
}

export interface RefundLookup {
  readonly refundId: string
  /** Where the provider told it. */
  readonly providerRefundId: string | null
  /** Of the charge that is refunded. */
  readonly providerRef: string
  /** Epoch milliseconds by our clock: the provider was not asked before this. */
  readonly sentAt: number
  readonly money: Money
  readonly simulation: Simulation | null
}

/**
 * The amount that a provider states, where it does. Another currency, or more than was asked, makes the result
 * unknown; less is recorded as stated.
 */
interface Stated {
  /**
   * The provider's name for the charge, in every word about it: a capture that has a name of its own is told under that
   * of its charge. Money under another name is another charge of the attempt, of which operations are told.
   */
  readonly providerRef: string
  readonly stated?: Money | undefined
}

/** The state of a charge, as the provider tells it. */
export type ChargeState =
  | ({ readonly _tag: "Authorized" } & Stated)
  | ({ readonly _tag: "Captured" } & Stated)
  | ({ readonly _tag: "Pending" } & Stated)
  | {
      readonly _tag: "Declined"
      readonly providerRef: string | null
      readonly category: DeclineCategory
      /** The provider's raw code. */
      readonly code: string
      readonly soft: boolean
    }
  | { readonly _tag: "NeedsCustomer"; readonly providerRef: string | null }
  | { readonly _tag: "Canceled"; readonly providerRef: string | null }

/** The provider's word that it did nothing with the request. */
export interface Rejected {
  readonly _tag: "Rejected"
  readonly code: string
  /** The provider's message. */
  readonly message: string
}

export type ChargeAnswer = ChargeState | Rejected
/** How a call to charge ended. `NotSent` and `Unanswered` are ends like any other: no answer is a fact too. */
export type ChargeEnd = ChargeAnswer | NotSent | Unanswered
/** For capture and void. */
export type OperationAnswer = ChargeState | Rejected

export type RefundState =
  | { readonly _tag: "Succeeded"; readonly providerRefundId: string; readonly stated?: Money | undefined }
  | { readonly _tag: "RefundPending"; readonly providerRefundId: string; readonly stated?: Money | undefined }
  | { readonly _tag: "RefundFailed"; readonly providerRefundId: string; readonly reason: string | null }

export type RefundAnswer = RefundState | Rejected

/** The provider's record of an operation. `conclusive`: not found means that it will never be executed. */
export type Found<State> =
  | { readonly _tag: "Found"; readonly state: State }
  | { readonly _tag: "NotFound"; readonly conclusive: boolean }

/** A provider's message as it came (decisions, section 10). */
export interface RawMessage {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes as they came: a signature covers them, and not what a parser made of them. */
  readonly body: Uint8Array
  /** The connection's webhook secret as it is configured. */
  readonly secret: Redacted.Redacted<string>
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/**
 * How a message names a charge: by our attempt's id, or by the provider's reference where it has nothing of ours (a
 * dispute, often). A reference finds the payment that stands on that charge, and no attempt that another one followed.
 */
export type ChargeName = { readonly attemptId: string } | { readonly providerRef: string }

/**
 * What a message is about. A state is made from what was asked for, because a provider may leave the currency or the
 * amount out, as in a look-up.
 */
export type MessageAbout =
  | { readonly _tag: "Charge"; readonly charge: ChargeName; readonly state: (asked: Money) => ChargeState }
  | { readonly _tag: "Refund"; readonly refundId: string; readonly state: (asked: Money) => RefundState }
  /** The provider pays the money of the charge out. `state`: where the message tells it too, else `null`. */
  | { readonly _tag: "Settled"; readonly charge: ChargeName; readonly state: ((asked: Money) => ChargeState) | null }
  /** `disputeId`: the provider's; `null` where it names none, and then a charge has one dispute. */
  | {
      readonly _tag: "Dispute"
      readonly charge: ChargeName
      readonly disputeId: string | null
      readonly verdict: "opened" | "won" | "lost"
    }

/** A provider's message, known to be the provider's. */
export interface ProviderMessage {
  /** The provider's id of it: a message that comes again has the same. */
  readonly id: string
  /** When the provider wrote it, in epoch milliseconds. */
  readonly at: number
  readonly about: MessageAbout
}

/** It is not the provider's, or it is too old. The reason is for the operator's log, and free of secrets. */
export class MessageUnverified extends Schema.TaggedError<MessageUnverified>()("pointsman/MessageUnverified", {
  reason: Schema.String
}) {}

/** The provider's without doubt, and nothing that we understand. The reason names a field and never its value. */
export class MessageUnreadable extends Schema.TaggedError<MessageUnreadable>()("pointsman/MessageUnreadable", {
  reason: Schema.String
}) {}

export interface Connector {
  readonly charge: (request: ChargeRequest) => Effect.Effect<ChargeAnswer, NotSent | Unanswered>
  readonly lookUpCharge: (request: ChargeLookup) => Effect.Effect<Found<ChargeState>, NotSent | Unanswered>
  /** Once for an attempt; what the customer did there is told by `lookUpCharge`. */
  readonly openCheckout?: (request: CheckoutRequest) => Effect.Effect<CheckoutOpened | Rejected, NotSent | Unanswered>
  readonly capture?: (request: CaptureRequest) => Effect.Effect<OperationAnswer, NotSent | Unanswered>
  readonly void?: (request: VoidRequest) => Effect.Effect<OperationAnswer, NotSent | Unanswered>
  readonly refund?: (request: RefundRequest) => Effect.Effect<RefundAnswer, NotSent | Unanswered>
  readonly lookUpRefund?: (request: RefundLookup) => Effect.Effect<Found<RefundState>, NotSent | Unanswered>
  /**
   * Verifies a message by the provider's own scheme, and reads it only then. It says nothing of a message that cannot
   * be verified but that. Nothing is sent, and nothing is compared in a time that depends on the secret.
   */
  readonly readMessage?: (message: RawMessage) => Effect.Effect<ProviderMessage, MessageUnverified | MessageUnreadable>
}

/** One connection's account, as its connector is given it. */
export interface ConnectorAccount {
  readonly connectionId: string
  readonly environment: Environment
  /** Decoded JSON of the connection's credentials. */
  readonly credentials: unknown
  /** Time-out of one call, in milliseconds. */
  readonly timeoutMillis: number
}

/** What an adapter package exports: how to make a `Connector` for one connection. */
export interface ConnectorDefinition {
  /** The name that a connection's configuration gives, for example `http`. */
  readonly name: string
  readonly environments: ReadonlyArray<Environment>
  /** The provider's own limits, besides those of the connection. */
  readonly supports: Supports
  /** Fails with what is wrong with the credentials: the field, and what was expected, never its value. */
  readonly connect: (account: ConnectorAccount, transport: Transport["Service"]) => Result.Result<Connector, string>
}

/** The connectors that this installation has, by name. */
export class Connectors extends Context.Service<
  Connectors,
  { readonly definition: (name: string) => Option.Option<ConnectorDefinition>; readonly names: ReadonlyArray<string> }
>()("pointsman/ports/Connectors") {
  static readonly make = (definitions: ReadonlyArray<ConnectorDefinition>): Connectors["Service"] => ({
    names: definitions.map((definition) => definition.name),
    definition: (name) => Option.fromUndefinedOr(definitions.find((definition) => definition.name === name))
  })
  static readonly layer = (definitions: ReadonlyArray<ConnectorDefinition>): Layer.Layer<Connectors> =>
    Layer.succeed(Connectors, Connectors.make(definitions))
}
