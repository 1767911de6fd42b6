/** The door: everything that Pointsman does, as one service. */
import { Clock, Context, Effect, Layer, Option, Schedule, Stream } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { LookUps } from "./call/LookUps.ts"
import { OpenConnections } from "./call/OpenConnections.ts"
import { Background } from "./commit/Background.ts"
import { Turns } from "./commit/Turns.ts"
import { Stirring } from "./commit/WakeDelivery.ts"
import type {
  Caller,
  Created,
  CreateRequest,
  KeyReused,
  NothingSent,
  PaymentResultUnknown,
  RequestInProgress,
  RoutingFailed
} from "./decide/CreateRequest.ts"
import type {
  ActionNotOffered,
  CheckoutStep,
  HostedAction,
  HostedOutcome,
  HostedSuspended,
  HostedView,
  PageNotFound
} from "./decide/HostedOrder.ts"
import type {
  Answered,
  CaptureOrder,
  InvalidAmount,
  NoProviderRef,
  NotCapturable,
  NotVoidable,
  ProviderRefused,
  ResultUnknown,
  StateConflict,
  StateUnconfirmed,
  TakenByAnother,
  Unsupported,
  VoidOrder
} from "./decide/OperationOrder.ts"
import type { NotRefundable, RefundOrder, RefundPending } from "./decide/RefundOrder.ts"
import type { ApiKey } from "./model/ApiKey.ts"
import type { CheckIntervals } from "./model/CheckIntervals.ts"
import type { Delivery, DeliveryAttempt } from "./model/Delivery.ts"
import type { Event } from "./model/Event.ts"
import type { MerchantDetails } from "./model/Merchant.ts"
import type { Payment } from "./model/Payment.ts"
import type { TenantMessage } from "./model/StoredMessage.ts"
import type { Tenant } from "./model/Tenant.ts"
import type { Connectors } from "./ports/Connector.ts"
import type { Deliveries, DeliveryQuery } from "./ports/Deliveries.ts"
import { DeliverySettings } from "./ports/DeliverySettings.ts"
import type { Directory, KeyHolder } from "./ports/Directory.ts"
import type { Ids } from "./ports/Ids.ts"
import {
  type ApiKeyRevoked,
  type EventQuery,
  Ledger,
  type MessageQuery,
  type PaymentQuery,
  type ReviewQuery,
  type TimelineQuery,
  type UsageQuery
} from "./ports/Ledger.ts"
import type { MerchantQuery, Merchants, ProvisionFailure, ReinviteFailure } from "./ports/Merchants.ts"
import { Notifier } from "./ports/Notifier.ts"
import { PaymentSettings } from "./ports/PaymentSettings.ts"
import type { SealBroken, Secrets } from "./ports/Secrets.ts"
import type { StorageError } from "./ports/StorageError.ts"
import type { StoredRate, SuccessRates } from "./ports/SuccessRates.ts"
import type { Transport } from "./ports/Transport.ts"
import type { CircuitReading } from "./routing/Circuit.ts"
import type { RoutingExplanation } from "./routing/Explanation.ts"
import type { Replayed } from "./routing/Replay.ts"
import { Circuits } from "./routing/run/Circuits.ts"
import { keepLearning } from "./routing/run/KeepLearning.ts"
import { LearnedRates } from "./routing/run/LearnedRates.ts"
import { successRates } from "./routing/run/ReadSuccessRates.ts"
import { authenticate, type KeyRefused } from "./verbs/administer/Authenticate.ts"
import {
  type ApiKeyNotFound,
  type CreatedApiKey,
  createApiKey,
  type RevokedApiKey,
  revokeApiKey,
  type WorkspaceNotFound
} from "./verbs/administer/ManageApiKeys.ts"
import {
  inviteMerchantAgain,
  type MerchantNotFound,
  type MerchantWithStatus,
  merchants,
  provisionMerchant
} from "./verbs/administer/ProvisionMerchant.ts"
import { checkDue, keepChecking } from "./verbs/check/CheckDue.ts"
import { create } from "./verbs/create/CreatePayment.ts"
import { deliverWebhooks } from "./verbs/deliver/DeliverWebhooks.ts"
import {
  type DeliveryNotFound,
  deliveries,
  deliveryAttempts,
  type NotRedeliverable,
  redeliver
} from "./verbs/deliver/ReadDeliveries.ts"
import { explainStored } from "./verbs/explain/ExplainPayment.ts"
import { type ReplayQuery, replayPayments } from "./verbs/explain/ReplayPayments.ts"
import { forgetKeys } from "./verbs/forget/ForgetKeys.ts"
import { actOnHostedPage } from "./verbs/hosted/ActOnHostedPage.ts"
import { pageToken } from "./verbs/hosted/FindPage.ts"
import { openCheckout } from "./verbs/hosted/OpenCheckout.ts"
import { returnFromCheckout } from "./verbs/hosted/ReturnFromCheckout.ts"
import { hostedPage } from "./verbs/hosted/ViewHostedPage.ts"
import { capture, voidPayment } from "./verbs/operate/OperatePayment.ts"
import { events, type Page, type PaymentNotFound, payment, payments, timeline } from "./verbs/read/ReadPayments.ts"
import {
  type IncomingMessage,
  type MessageRefused,
  recordMessage,
  type VerifiedMessage,
  verifyMessage
} from "./verbs/receive/ReceiveMessage.ts"
import {
  applyMessage,
  type MessageFile,
  type MessageNotApplicable,
  type MessageNotFound,
  message,
  messages
} from "./verbs/receive/StoredMessages.ts"
import { refund } from "./verbs/refund/RefundPayment.ts"
import { type PaymentFile, paymentFile, type ReviewNotFound, reviewOf, reviews } from "./verbs/review/ReadReviews.ts"
import { type SettleReviewOrder, type StatementRefused, settleReview } from "./verbs/review/RecordEvidence.ts"

export type CreateFailure =
  | RoutingFailed
  | KeyReused
  | RequestInProgress
  | NothingSent
  | PaymentResultUnknown
  | ApiKeyRevoked

/** What capturing and voiding share. */
type OperationFailure =
  | PaymentNotFound
  | KeyReused
  | TakenByAnother
  | ProviderRefused
  | ResultUnknown
  | StateUnconfirmed
  | NothingSent
  | ApiKeyRevoked

export type VoidFailure =
  | OperationFailure
  | NotVoidable
  | RequestInProgress
  | NoProviderRef
  | Unsupported
  | StateConflict

export type CaptureFailure = Exclude<VoidFailure, NotVoidable> | NotCapturable | InvalidAmount

export type RefundFailure = OperationFailure | NotRefundable | RefundPending | InvalidAmount

/** What beginning on a hosted page can fail with. After `StorageError` nothing has begun. */
export type HostedFailure = PageNotFound | ActionNotOffered | HostedSuspended | StorageError | PaymentResultUnknown

export interface PointsmanOptions {
  /** For how long a claim without an answer counts as being worked on, in milliseconds; 15 minutes unless set. */
  readonly claimWindowMillis?: number | undefined
  /** Time-out of a provider call where the connection names none, in milliseconds; 30 seconds unless set. */
  readonly providerTimeoutMillis?: number | undefined
  /** How often the background looks at what is open; those of the specification unless set. */
  readonly checkIntervals?: Partial<CheckIntervals> | undefined
  /**
   * In milliseconds: before the first attempt to deliver a webhook, and between one and the next, a tenth more or less;
   * then it is given up. Those of the specification unless set.
   */
  readonly webhookScheduleMillis?: ReadonlyArray<number> | undefined
}

export const defaultProviderTimeoutMillis = 30_000

export interface BackgroundOptions {
  /** Between two looks at what is due, in milliseconds; a second unless set. */
  readonly everyMillis?: number | undefined
}

/** How long another server may not know yet what one has learned, in milliseconds. */
const learnEveryMillis = 5_000

/** Entries of the log that are about a payment name it. */
const named = <A, E, R>({ paymentId }: { readonly paymentId: string }, effect: Effect.Effect<A, E, R>) =>
  Effect.annotateLogs(effect, "payment_id", paymentId)

const forgetting = ({ forgetKeys }: Pointsman["Service"]) =>
  Effect.catchCause(forgetKeys, (cause) => Effect.logError("expired idempotency keys could not be deleted", cause))

/** The host's own where it has one: WebCrypto leaves the thread for every signature. */
const macLayer: Layer.Layer<Mac.Mac> = Layer.unwrap(
  Effect.map(
    Effect.serviceOption(Mac.Mac),
    Option.match({
      onNone: () => Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto),
      onSome: (mac) => Layer.succeed(Mac.Mac, mac)
    })
  )
)

export class Pointsman extends Context.Service<
  Pointsman,
  {
    /** Routes and charges a payment. Once claimed it runs to its end, also when the caller is interrupted. */
    readonly create: (caller: Caller, request: CreateRequest) => Effect.Effect<Created, CreateFailure>
    /** Takes the money of an authorization, or part of it. Once claimed it runs to its end. */
    readonly capture: (caller: Caller, order: CaptureOrder) => Effect.Effect<Answered, CaptureFailure>
    /** Releases an authorization. Once claimed it runs to its end. */
    readonly void: (caller: Caller, order: VoidOrder) => Effect.Effect<Answered, VoidFailure>
    /** Gives captured money back. It succeeds where the provider confirmed. Once claimed it runs to its end. */
    readonly refund: (caller: Caller, order: RefundOrder) => Effect.Effect<Answered, RefundFailure>
    readonly payment: (tenant: Tenant, id: string) => Effect.Effect<Payment, PaymentNotFound | StorageError>
    /** Newest first. */
    readonly payments: (tenant: Tenant, query: PaymentQuery) => Effect.Effect<Page<Payment>, StorageError>
    /** All that is recorded of a payment. It only reads, where `payment` ends a hosted page whose time is over. */
    readonly paymentFile: (tenant: Tenant, id: string) => Effect.Effect<PaymentFile, PaymentNotFound | StorageError>
    /** Oldest first. */
    readonly timeline: (
      tenant: Tenant,
      paymentId: string,
      query: TimelineQuery
    ) => Effect.Effect<Page<Event>, PaymentNotFound | StorageError>
    /** Newest first; oldest first when only `after` is given. */
    readonly events: (tenant: Tenant, query: EventQuery) => Effect.Effect<Page<Event>, StorageError>
    /** The token in the address of a payment's hosted page. Who has it can act on the page. */
    readonly pageToken: (paymentId: string) => Effect.Effect<string>
    /** The page of a token, of whichever tenant; one whose time is over is cancelled first. */
    readonly hostedPage: (token: string) => Effect.Effect<HostedView, PageNotFound | StorageError>
    /** What the customer chose. Where somebody acted before, nothing changes. Once begun it runs to its end. */
    readonly actOnHostedPage: (token: string, action: HostedAction) => Effect.Effect<HostedOutcome, HostedFailure>
    /**
     * Where a production page leads: opens the provider's checkout once for a payment. `returnUrl` is where the provider
     * sends the customer afterwards. Once begun it runs to its end.
     */
    readonly openCheckout: (token: string, returnUrl: string) => Effect.Effect<CheckoutStep, HostedFailure>
    /** The customer came back: looks up the provider's record, and returns the payment as it is then. */
    readonly returnFromCheckout: (token: string) => Effect.Effect<HostedView, PageNotFound | StorageError>
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
    /** What is stored of how the tenant's connections fare, by connection and segment; nothing in the sandbox. */
    readonly successRates: (tenant: Tenant) => Effect.Effect<ReadonlyArray<StoredRate>, StorageError>
    /** How many production payments reached a provider; sandbox payments are never counted. */
    readonly usage: (query: UsageQuery) => Effect.Effect<number, StorageError>
    /**
     * Checks payments that are due: unknown results, requests whose process died, expired pages. A batch
     * at a time; gives how many there were.
     */
    readonly checkDue: Effect.Effect<number, StorageError>
    /** As `checkDue`, over and over; `everyMillis` between two looks at what is due. `Pointsman.background` runs it. */
    readonly keepChecking: (everyMillis: number) => Effect.Effect<never>
    /**
     * Sends the webhooks that are due, as soon as a commit of this process makes one due, and looks for those of others
     * every `everyMillis`. It needs a `WebhookSender`, and rests without one. `Pointsman.background` runs it. What is
     * being sent when it is interrupted is sent again by the next process that runs it.
     */
    readonly keepDelivering: (everyMillis: number) => Effect.Effect<never>
    /**
     * Exchanges the success rates that `auto` routes by with the store, every `everyMillis` and once more when it is
     * interrupted. `Pointsman.background` runs it every 5 seconds; without it a process routes by what it learned itself.
     */
    readonly keepLearning: (everyMillis: number) => Effect.Effect<never>
    /** Deletes the idempotency keys whose time is over; gives how many. `Pointsman.background` does it every hour. */
    readonly forgetKeys: Effect.Effect<number, StorageError>
    /** Newest first. */
    readonly deliveries: (tenant: Tenant, query: DeliveryQuery) => Effect.Effect<Page<Delivery>, StorageError>
    /** Every attempt with its answer's status and its times, in the order of their numbers. */
    readonly deliveryAttempts: (
      tenant: Tenant,
      deliveryId: string
    ) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, DeliveryNotFound | StorageError>
    /** Sends again what was refused or given up: at once, under the same id, and then by the schedule. */
    readonly redeliver: (
      tenant: Tenant,
      deliveryId: string
    ) => Effect.Effect<Delivery, DeliveryNotFound | NotRedeliverable | StorageError>
    /** Payments that operations have to look at, those that wait longest first; of all tenants unless one is named. */
    readonly reviews: (query: ReviewQuery) => Effect.Effect<Page<Payment>, StorageError>
    /** All that is recorded of a payment that waits for operations, of whichever tenant. */
    readonly reviewOf: (paymentId: string) => Effect.Effect<PaymentFile, ReviewNotFound | StorageError>
    /**
     * Writes what an operator states that the provider's record says, with their evidence on the timeline, and gives the
     * payment as it is then. It sends nothing to the provider. After `StatementRefused` nothing is written; after
     * `StorageError` it may be written all the same, and the review says so.
     */
    readonly settleReview: (
      order: SettleReviewOrder
    ) => Effect.Effect<Payment, PaymentNotFound | StatementRefused | StorageError>
    /** Whether a message to a connection is its provider's. The refusal does not say why. */
    readonly verifyMessage: (incoming: IncomingMessage) => Effect.Effect<VerifiedMessage, MessageRefused | StorageError>
    /**
     * Stores a provider's message, then applies it, once. After a failure the provider may send it again: what is stored
     * and not applied yet is applied then.
     */
    readonly recordMessage: (verified: VerifiedMessage) => Effect.Effect<void, StorageError>
    /** Providers' messages and their outcomes, newest first; of all tenants unless one is named. */
    readonly messages: (query: MessageQuery) => Effect.Effect<Page<TenantMessage>, StorageError>
    /** One stored message with its body, of whichever tenant. */
    readonly message: (
      connectionId: string,
      eventId: string
    ) => Effect.Effect<MessageFile, MessageNotFound | SealBroken | StorageError>
    /**
     * Reads a stored message again and decides it again, for an operator who has mended what kept it from being applied.
     * It returns the message with its outcome. A message that was applied is refused.
     */
    readonly applyMessage: (
      connectionId: string,
      eventId: string
    ) => Effect.Effect<TenantMessage, MessageNotFound | MessageNotApplicable | SealBroken | StorageError>
    /**
     * Circuits of this process with failures since the last success, by the ids of their connections, of all tenants;
     * at most one for each connection. All others are closed.
     */
    readonly circuits: Effect.Effect<ReadonlyArray<CircuitReading>>
    readonly authenticate: (key: string) => Effect.Effect<KeyHolder, KeyRefused | StorageError>
    /**
     * A new key, for every scope where `scopes` is `null`. No configuration file revokes it. After `StorageError` it may
     * be stored all the same, and nobody has it.
     */
    readonly createApiKey: (
      tenant: Tenant,
      scopes: ApiKey["scopes"]
    ) => Effect.Effect<CreatedApiKey, WorkspaceNotFound | StorageError>
    /**
     * Revokes a key by its hash, for good: no configuration file brings it back. After `StorageError` it may be revoked
     * all the same; it can be asked for again.
     */
    readonly revokeApiKey: (hash: string) => Effect.Effect<RevokedApiKey, ApiKeyNotFound | StorageError>
    /** For white-label partners: makes a workspace without keys and invites its owner through the `Notifier`. */
    readonly provisionMerchant: (
      caller: Caller,
      details: MerchantDetails
    ) => Effect.Effect<MerchantWithStatus, ProvisionFailure>
    /** A new token for the owner of a partner's merchant; the one before is void. */
    readonly inviteMerchantAgain: (
      partnerId: string,
      merchantId: string
    ) => Effect.Effect<MerchantWithStatus, MerchantNotFound | ReinviteFailure>
    /** The merchants of a partner, newest first. */
    readonly merchants: (
      partnerId: string,
      query: MerchantQuery
    ) => Effect.Effect<Page<MerchantWithStatus>, StorageError>
  }
>()("pointsman/Pointsman") {
  static readonly layer = (
    options: PointsmanOptions = {}
  ): Layer.Layer<
    Pointsman,
    never,
    Ledger | Deliveries | Directory | Merchants | SuccessRates | Connectors | Transport | Secrets | Ids
  > =>
    Layer.effect(
      Pointsman,
      Effect.gen(function* () {
        const defaults = yield* PaymentSettings
        const circuits = yield* Circuits
        const settings = {
          ...defaults,
          claimWindowMillis: options.claimWindowMillis ?? defaults.claimWindowMillis,
          checkIntervals: { ...defaults.checkIntervals, ...options.checkIntervals }
        }
        const deliveryDefaults = yield* DeliverySettings
        const deliverySettings = {
          ...deliveryDefaults,
          scheduleMillis: options.webhookScheduleMillis ?? deliveryDefaults.scheduleMillis
        }
        const services = yield* Effect.context<
          | Ledger
          | Deliveries
          | Stirring
          | Mac.Mac
          | Directory
          | Turns
          | Background
          | Merchants
          | SuccessRates
          | Connectors
          | Secrets
          | Ids
          | Circuits
          | LookUps
          | LearnedRates
          | OpenConnections
          | SecureRandom.SecureRandom
        >()
        const context = Context.add(services, PaymentSettings, settings).pipe(
          Context.add(Notifier, yield* Notifier),
          Context.add(DeliverySettings, deliverySettings)
        )
        return Pointsman.of({
          create: (caller, request) => Effect.provideContext(create(caller, request), context),
          capture: (caller, order) => Effect.provideContext(named(order, capture(caller, order)), context),
          void: (caller, order) => Effect.provideContext(named(order, voidPayment(caller, order)), context),
          refund: (caller, order) => Effect.provideContext(named(order, refund(caller, order)), context),
          payment: (tenant, id) => Effect.provideContext(payment(tenant, id), context),
          payments: (tenant, query) => Effect.provideContext(payments(tenant, query), context),
          paymentFile: (tenant, id) => Effect.provideContext(paymentFile(tenant, id), context),
          timeline: (tenant, id, query) => Effect.provideContext(timeline(tenant, id, query), context),
          events: (tenant, query) => Effect.provideContext(events(tenant, query), context),
          pageToken: (paymentId) => Effect.provideContext(pageToken(paymentId), context),
          hostedPage: (token) => Effect.provideContext(hostedPage(token), context),
          actOnHostedPage: (token, action) => Effect.provideContext(actOnHostedPage(token, action), context),
          openCheckout: (token, returnUrl) => Effect.provideContext(openCheckout(token, returnUrl), context),
          returnFromCheckout: (token) => Effect.provideContext(returnFromCheckout(token), context),
          explainRouting: (tenant, id) => Effect.provideContext(explainStored(tenant, id), context),
          replayRouting: (tenant, query) => Stream.provideContext(replayPayments(tenant, query), context),
          successRates: (tenant) => Effect.provideContext(successRates(tenant), context),
          usage: (query) =>
            Effect.flatMap(Ledger, (ledger) => ledger.usage(query)).pipe(Effect.provideContext(context)),
          checkDue: Effect.provideContext(checkDue(), context),
          keepChecking: (everyMillis) => Effect.provideContext(Effect.scoped(keepChecking(everyMillis)), context),
          forgetKeys: Effect.provideContext(forgetKeys(), context),
          keepDelivering: (everyMillis) => Effect.provideContext(Effect.scoped(deliverWebhooks(everyMillis)), context),
          keepLearning: (everyMillis) => Effect.provideContext(keepLearning(everyMillis), context),
          deliveries: (tenant, query) => Effect.provideContext(deliveries(tenant, query), context),
          deliveryAttempts: (tenant, id) => Effect.provideContext(deliveryAttempts(tenant, id), context),
          redeliver: (tenant, id) => Effect.provideContext(redeliver(tenant, id), context),
          reviews: (query) => Effect.provideContext(reviews(query), context),
          reviewOf: (paymentId) => Effect.provideContext(reviewOf(paymentId), context),
          settleReview: (order) => Effect.provideContext(settleReview(order), context),
          verifyMessage: (incoming) => Effect.provideContext(verifyMessage(incoming), context),
          recordMessage: (verified) => Effect.provideContext(recordMessage(verified), context),
          messages: (query) => Effect.provideContext(messages(query), context),
          message: (connectionId, eventId) => Effect.provideContext(message(connectionId, eventId), context),
          applyMessage: (connectionId, eventId) => Effect.provideContext(applyMessage(connectionId, eventId), context),
          circuits: Effect.map(Clock.currentTimeMillis, (now) => circuits.all(now)),
          authenticate: (key) => Effect.provideContext(authenticate(key), context),
          createApiKey: (tenant, scopes) => Effect.provideContext(createApiKey(tenant, scopes), context),
          revokeApiKey: (hash) => Effect.provideContext(revokeApiKey(hash), context),
          provisionMerchant: (caller, details) => Effect.provideContext(provisionMerchant(caller, details), context),
          inviteMerchantAgain: (partnerId, id) => Effect.provideContext(inviteMerchantAgain(partnerId, id), context),
          merchants: (partnerId, query) => Effect.provideContext(merchants(partnerId, query), context)
        })
      })
    ).pipe(
      Layer.provide([
        Circuits.layer,
        LearnedRates.layer,
        LookUps.layer,
        Turns.layer,
        Background.layer,
        Stirring.layer,
        macLayer,
        SecureRandom.layerWebCrypto,
        OpenConnections.layer({ providerTimeoutMillis: options.providerTimeoutMillis ?? defaultProviderTimeoutMillis })
      ])
    )

  /** What has to go on without requests, for as long as the layer lives. Any number of processes may run it. */
  static readonly background = (options: BackgroundOptions = {}): Layer.Layer<never, never, Pointsman> =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const everyMillis = options.everyMillis ?? 1_000
        yield* Effect.forkScoped(pointsman.keepChecking(everyMillis))
        yield* Effect.forkScoped(pointsman.keepDelivering(everyMillis))
        yield* Effect.forkScoped(pointsman.keepLearning(learnEveryMillis))
        yield* Effect.forkScoped(Effect.repeat(forgetting(pointsman), Schedule.spaced("1 hour")))
      })
    )
}
