/**
 * What we ask of a provider. A connector answers with what happened; it never decides what that means.
 *
 * A capability is an optional method: a connector without `capture` cannot capture, and the API answers 501.
 */

import { Context, type Effect, Layer, Option, type Redacted, type Result, Schema, type Scope } from "effect"
import type { Supports } from "../model/Connection.ts"
import type { EvidenceFile, SubmissionKind } from "../model/Dispute.ts"
import type { Initiator, Simulation } from "../model/Payment.ts"
import type { PaymentMethod, PaymentMethodName } from "../model/PaymentMethod.ts"
import type { ProviderAccount } from "../model/ProviderAccount.ts"
import type {
  ChargeAnswer,
  ChargeRecord,
  CheckoutOpened,
  Found,
  NotSent,
  OperationAnswer,
  OperationState,
  ProviderMessage,
  RefundAnswer,
  RefundState,
  Rejected,
  StatedDispute,
  SubmissionAnswer,
  SubmissionState,
  Unanswered
} from "../model/ProviderStatement.ts"
import type { ReportEntry } from "../model/ReportRow.ts"
import type { Environment } from "../model/Tenant.ts"
import type { Money } from "../money/Money.ts"
import type { ListedCharge, ListedDispute, ListedPage, ListedRefund, ListRequest } from "./ProviderLists.ts"
import type { Transport } from "./Transport.ts"

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
  /** Only for the built-in simulator. */
  readonly simulation: Simulation | null
}

/** To open the provider's own page, on which the customer pays. */
export interface CheckoutRequest extends Omit<ChargeRequest, "instrument" | "simulation"> {
  /** Where the provider sends the customer afterwards. */
  readonly returnUrl: string
  /** The one method that the page offers; absent where the merchant named none. */
  readonly paymentMethod?: PaymentMethodName | undefined
}

/** To take the money of a checkout that its customer approved, or to hold it. */
export interface CompletionRequest {
  /** The provider's idempotency key, the same each time that the step is taken. */
  readonly attemptId: string
  /** The provider's name for the checkout. */
  readonly checkoutReference: string
  readonly money: Money
  /** `true`: take the money at once. `false`: authorize it, to be captured later. */
  readonly capture: boolean
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
  /**
   * Epoch milliseconds by our clock: the provider was not asked after this. Absent where `sentAt` is when it was asked; to
   * be set where the store lost that time, because "never received" counts only for the whole span in between.
   */
  readonly sentBefore?: number
  readonly money: Money
  readonly simulation: Simulation | null
}

export interface OperationLookup {
  readonly operationId: string
  readonly kind: "capture" | "void"
  /** The attempt that made the charge. */
  readonly attemptId: string
  /** Of the charge. */
  readonly providerRef: string
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
  /** As of a charge. */
  readonly sentBefore?: number
  readonly money: Money
  readonly simulation: Simulation | null
}

/** To send evidence for a dispute, or to accept it. */
export interface DisputeRequest {
  /** The provider's idempotency key. */
  readonly operationId: string
  /** The provider's id of the dispute. */
  readonly disputeId: string
  /** Of the charge that is disputed; `null` where the provider does not tell it. */
  readonly providerRef: string | null
  readonly simulation: Simulation | null
}

export interface DisputeSubmission extends DisputeRequest {
  /** By name. A name that the provider has a field for goes there. */
  readonly texts: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<EvidenceFile>
}

export interface DisputeLookup extends DisputeRequest {
  readonly kind: SubmissionKind
  /** Epoch milliseconds by our clock: the provider was not asked before this. */
  readonly sentAt: number
}

export type DisputeQuestion = Omit<DisputeRequest, "operationId">

/** One page of a report. The order of the rows means nothing, and is the same each time. */
export interface ReportPage {
  /** A row that cannot be read is an entry, so that it is counted; its number is its place on the page, from 1. */
  readonly entries: ReadonlyArray<ReportEntry>
  /** Files whose rows follow those entries, for `download`. */
  readonly files?: ReadonlyArray<NamedReportFile>
  /** `null` for the last page. An empty page may have another one after it. */
  readonly nextCursor: string | null
}

export interface NamedReportFile {
  /** 1 to 255 characters. */
  readonly name: string
  /** When the provider generated it, in epoch milliseconds; absent where it does not say. */
  readonly generatedAt?: number
}

/** A report that the provider's API gives row by row. It only reads. */
export interface FetchedReport {
  /** As the format of the provider's file with the same rows is named: `stripe-balance`. Rows have the ids that they have there. */
  readonly name: string
  /** How long after a capture the provider may take to report it, in milliseconds. After that it is missing there. */
  readonly delayMillis: number
  /** Milliseconds after its time in which a row may still be listed; an hour unless set. Newer is fetched next. */
  readonly addedWithinMillis?: number
  /** The longest window that is asked for, in milliseconds; an hour unless set. A whole day at most is asked for. */
  readonly windowMillis?: number
  /** Set where the credentials do not allow the report, which is not asked for: the field and what was expected. */
  readonly missing?: string
  /**
   * Rows of a window, by the time of the row or of what it belongs to. The same window gives the same rows in the same order
   * once it is over. What is not the provider's own word, or not complete yet, is `Unanswered`, and never an empty page.
   */
  readonly list: (request: ListRequest) => Effect.Effect<ReportPage, NotSent | Unanswered>
  /**
   * The text of a file that a page named, in the format of the report's name; `null` where the provider made none, which an
   * empty answer does not say. Absent where pages name none.
   */
  readonly download?: (file: string) => Effect.Effect<string | null, NotSent | Unanswered>
}

/** A provider's message as it came. */
export interface RawMessage {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes as they came: a signature covers them, and not what a parser made of them. */
  readonly body: Uint8Array
  /** A webhook secret of the connection as it is configured: what is unverified by one may come again with the other. */
  readonly secret: Redacted.Redacted<string>
  /** The connection's other webhook secret, while one replaces the other. It verifies nothing; no text may show it. */
  readonly otherSecret?: Redacted.Redacted<string> | undefined
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** A message that was verified when it came, and is read again. */
export type VerifiedBody = Pick<RawMessage, "body" | "secret" | "otherSecret">

/** A message that carries no signature; anybody can send one. */
export type UnsignedMessage = Pick<RawMessage, "headers" | "body">

/** What a provider stated when it was asked about the object that a hint names. */
export interface HintedMessage {
  /** What is stored of it: `readStored` must read the same from it. */
  readonly body: string
  /** Its id is the same each time that the provider states the same. */
  readonly message: ProviderMessage
}

/**
 * Unsigned messages that name one of the provider's objects and say nothing about it. Such a hint changes nothing: it
 * is the reason for one lookup, and the provider's answer to it counts like a verified message. A connection whose
 * connector has hints needs no webhook secret for them.
 */
export interface Hints {
  /** The reference (1 to 255 characters) of the object that a message names; fails for others. Nothing is sent. */
  readonly read: (message: UnsignedMessage) => Effect.Effect<string, MessageUnreadable>
  /**
   * One lookup of that object: everything that the provider states about it now and that is about a charge of ours. Empty for an
   * object that is not ours or that the provider does not know, because anybody can name one.
   */
  readonly lookUp: (reference: string) => Effect.Effect<ReadonlyArray<HintedMessage>, NotSent | Unanswered>
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
  readonly lookUpCharge: (request: ChargeLookup) => Effect.Effect<Found<ChargeRecord>, NotSent | Unanswered>
  /** Once for an attempt; `lookUpCharge` reports what the customer did there. */
  readonly openCheckout?: (request: CheckoutRequest) => Effect.Effect<CheckoutOpened | Rejected, NotSent | Unanswered>
  /**
   * Takes the money of a checkout that its customer approved. Absent where the provider takes it by itself. It is asked after
   * `lookUpCharge` said `Approved`, and may be asked again with the same request after a result that is unknown: the provider
   * must take the money of one checkout once, however often it is asked. `Rejected` is for a refusal of the request: it is
   * asked again while the checkout lasts. A refusal of the payment is `Declined`, and ends it. The charge is named as
   * `lookUpCharge` names it.
   */
  readonly completeCheckout?: (request: CompletionRequest) => Effect.Effect<ChargeAnswer, NotSent | Unanswered>
  readonly capture?: (request: CaptureRequest) => Effect.Effect<OperationAnswer, NotSent | Unanswered>
  readonly void?: (request: VoidRequest) => Effect.Effect<OperationAnswer, NotSent | Unanswered>
  readonly refund?: (request: RefundRequest) => Effect.Effect<RefundAnswer, NotSent | Unanswered>
  /** The outcome of one capture or void. Without it the record of the charge, messages and operators settle it. */
  readonly lookUpOperation?: (request: OperationLookup) => Effect.Effect<Found<OperationState>, NotSent | Unanswered>
  readonly lookUpRefund?: (request: RefundLookup) => Effect.Effect<Found<RefundState>, NotSent | Unanswered>
  /** Sends all evidence at once and for good. With several requests, the last one submits. */
  readonly submitDispute?: (request: DisputeSubmission) => Effect.Effect<SubmissionAnswer, NotSent | Unanswered>
  /** Gives the disputed money up, for good. */
  readonly acceptDispute?: (request: DisputeRequest) => Effect.Effect<SubmissionAnswer, NotSent | Unanswered>
  /** What became of a submission or an acceptance: of this one, and not of another one for the same dispute. */
  readonly lookUpDispute?: (request: DisputeLookup) => Effect.Effect<Found<SubmissionState>, NotSent | Unanswered>
  /** What the provider states of a dispute now, as its messages do. Absent where disputes cannot be read. */
  readonly readDispute?: (request: DisputeQuestion) => Effect.Effect<Found<StatedDispute>, NotSent | Unanswered>
  /**
   * The account that the credentials open. Whatever is not the provider's own word about its account is `Unanswered`:
   * then the account that was known before still counts. `isUnsupported` where the provider has no such lookup.
   */
  readonly account?: () => Effect.Effect<ProviderAccount, NotSent | Unanswered>
  /**
   * The charges of a window, to recover records that the store lost. Absent where the provider has no complete list. A
   * page that is not the provider's own word is `Unanswered`, and never an empty one; `isUnsupported` where the account has
   * no list. A connector may refuse a window that holds too many: ask for shorter ones.
   */
  readonly listCharges?: (request: ListRequest) => Effect.Effect<ListedPage<ListedCharge>, NotSent | Unanswered>
  /** The same of refunds, by the time of the refund and not of its charge. */
  readonly listRefunds?: (request: ListRequest) => Effect.Effect<ListedPage<ListedRefund>, NotSent | Unanswered>
  /**
   * The same of disputes: those that the provider opened in the window, or changed where its list goes by changes.
   * Absent where the provider lists none: recovery reports that it did not ask for them.
   */
  readonly listDisputes?: (request: ListRequest) => Effect.Effect<ListedPage<ListedDispute>, NotSent | Unanswered>
  /**
   * Reports about money that the provider's API gives, to compare them with the records, in the order in which they are read.
   * Absent where the API gives none: then reports are read from files.
   */
  readonly reports?: ReadonlyArray<FetchedReport>
  /**
   * Verifies a message by the provider's own scheme, and reads it only then. It says nothing of a message that cannot
   * be verified but that. Nothing is sent but a request for the provider's public certificate, where the scheme has one, and
   * nothing is compared in a time that depends on the secret.
   */
  readonly readMessage?: (message: RawMessage) => Effect.Effect<ProviderMessage, MessageUnverified | MessageUnreadable>
  /**
   * Reads a message again that `readMessage` verified when it came, without verifying it: its signature may be too old by
   * now. An operator applies a stored message by it. `secret` is the connection's of today, so that no text shows it.
   */
  readonly readStored?: (message: VerifiedBody) => Effect.Effect<ProviderMessage, MessageUnreadable>
  /**
   * What is stored of the body of a message that was read: without personal data that no statement needs. `readStored` must
   * read the same from it as from the whole body. Without this method the whole body is stored.
   */
  readonly keptOfMessage?: (body: string) => string
  /** For a provider that sends messages without a signature. */
  readonly hints?: Hints
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

/** Names of evidence for which a provider has fields, in the order in which a form asks for them. */
export interface EvidenceFields {
  readonly texts: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

/** What an adapter package exports: how to make a `Connector` for one connection. */
export interface ConnectorDefinition {
  /** The name that a connection's configuration gives, for example `http`. */
  readonly name: string
  readonly environments: ReadonlyArray<Environment>
  /** The provider's own limits, besides those of the connection. */
  readonly supports: Supports
  /**
   * Whether the provider's API can express the amount. Routing excludes the connection for every other amount. Absent where
   * the API can express all. It uses the function by which the connector writes amounts.
   */
  readonly expresses?: (money: Money) => boolean
  /** The kinds of payment that its checkout takes; all where it is left out. Those of `supports` are of charges too. */
  readonly checkoutMethods?: ReadonlyArray<PaymentMethod>
  /** The fields of `submitDispute`; left out where the provider takes evidence of any name. */
  readonly evidence?: EvidenceFields
  /** What is expected of each field of the credentials; left out where the console is not to ask for them. */
  readonly credentials?: Readonly<Record<string, string>>
  /** Fails with what is wrong with the credentials: the field, and what was expected, never its value. */
  readonly connect: (account: ConnectorAccount, transport: Transport["Service"]) => Result.Result<Connector, string>
  /**
   * `Redacted.make` of the Effect that the connector imports. The server and `@pointsman/node` have a copy of Effect
   * inside, and a secret of one copy cannot be read in another: with this they make the secrets that they pass to the
   * connector. Required of a connector that the server loads.
   */
  readonly redact?: (secret: string) => Redacted.Redacted<string>
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

/** A connector with something to open first, such as a file. For programs without Effect. */
export interface ConnectorHandle {
  readonly name: string
  /** Fails with a sentence for the operator. What it opens is closed with the scope. */
  readonly "~pointsman/connector": Effect.Effect<ConnectorDefinition, string, Scope.Scope>
}
