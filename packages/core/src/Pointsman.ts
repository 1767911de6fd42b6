/** The door: everything that Pointsman does, as one service. `door` has its methods, by subject. */
import { Clock, Context, Effect, Fiber, Layer, Option, Schedule } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Accounts } from "./call/Accounts.ts"
import { OpenConnections } from "./call/CallProvider.ts"
import { LookUps } from "./call/LookUps.ts"
import { Background } from "./commit/Background.ts"
import { KeptBooks, makeKeptBooks } from "./commit/CommitChange.ts"
import { PaymentLocks } from "./commit/PaymentLocks.ts"
import { DeliveryWake } from "./commit/WakeDelivery.ts"
import { type AdministrationMethods, administrationMethods } from "./door/Administration.ts"
import { type BackgroundMethods, backgroundMethods } from "./door/Background.ts"
import { type BookMethods, bookMethods } from "./door/Books.ts"
import { type ConfigureMethods, configureMethods } from "./door/Configure.ts"
import { type DisputeMethods, disputeMethods } from "./door/Disputes.ts"
import type { DoorServices } from "./door/DoorContext.ts"
import { type HostedPageMethods, hostedPageMethods } from "./door/HostedPages.ts"
import { type OperatorMethods, operatorMethods } from "./door/Operators.ts"
import { type PaymentMethods, paymentMethods } from "./door/Payments.ts"
import { type MessageMethods, messageMethods } from "./door/ProviderMessages.ts"
import { type ReconciliationMethods, reconciliationMethods } from "./door/Reconciliation.ts"
import { type RecoveryMethods, recoveryMethods } from "./door/Recovery.ts"
import { type ReviewMethods, reviewMethods } from "./door/Reviews.ts"
import { type RoutingMethods, routingMethods } from "./door/Routing.ts"
import { type WebhookMethods, webhookMethods } from "./door/Webhooks.ts"
import type { CheckIntervals } from "./model/CheckIntervals.ts"
import { Archive } from "./ports/Archive.ts"
import { Audit } from "./ports/Audit.ts"
import type { Connectors } from "./ports/Connector.ts"
import type { Ids } from "./ports/Ids.ts"
import { Notifier } from "./ports/Notifier.ts"
import { Operators, Passkeys, Passwords } from "./ports/Operators.ts"
import {
  type AfterRestore,
  type BareCardNumbers,
  CardNumbers,
  ConnectionShares,
  cardNumberPolicy,
  DeliverySettings,
  PaymentSettings,
  ProofSettings
} from "./ports/PaymentSettings.ts"
import { RecordLosses } from "./ports/RecordLoss.ts"
import { ReportReader } from "./ports/ReportReader.ts"
import { BeforeRemoval, Retention } from "./ports/Retention.ts"
import type { Secrets } from "./ports/Secrets.ts"
import { Settlements } from "./ports/Settlements.ts"
import { machineClock, StorageClock } from "./ports/StorageClock.ts"
import { StorageCondition } from "./ports/StorageCondition.ts"
import { StorageHistory } from "./ports/StorageHistory.ts"
import type { StorageServices } from "./ports/StorageServices.ts"
import type { Transport } from "./ports/Transport.ts"
import { Circuits } from "./routing/run/Circuits.ts"
import { LearnedRates } from "./routing/run/LearnedRates.ts"
import { KeyUses } from "./verbs/administer/KeyUses.ts"
import { RefusedGuesses } from "./verbs/administer/SignIn.ts"
import { ArchiveHints, makeArchiveHints } from "./verbs/read/ReadArchive.ts"
import { archiveFirst } from "./verbs/retain/RemovePayments.ts"

export interface PointsmanService
  extends PaymentMethods,
    DisputeMethods,
    HostedPageMethods,
    RoutingMethods,
    BackgroundMethods,
    WebhookMethods,
    ReviewMethods,
    MessageMethods,
    BookMethods,
    RecoveryMethods,
    AdministrationMethods {
  readonly configure: ConfigureMethods
  readonly operators: OperatorMethods
  readonly reconciliation: ReconciliationMethods
}

export interface PointsmanOptions {
  /** For how long a claim without an answer counts as being worked on, in milliseconds; 15 minutes unless set. */
  readonly claimWindowMillis?: number | undefined
  /** Time-out of a provider call where the connection names none, in milliseconds; 30 seconds unless set. */
  readonly providerTimeoutMillis?: number | undefined
  /** How often the background looks at what is open; each interval has a default. */
  readonly checkIntervals?: Partial<CheckIntervals> | undefined
  /**
   * In milliseconds: before the first attempt to deliver a webhook, and between one and the next, a tenth more or less;
   * then it is given up. 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h unless set.
   */
  readonly webhookScheduleMillis?: ReadonlyArray<number> | undefined
  /** Payments of one connection that this process checks at once, each waiting for a lookup; 16 unless set. */
  readonly lookUpsPerConnection?: number | undefined
  /** Messages of one connection that this process records at once; further ones wait. 16 unless set. */
  readonly messagesPerConnection?: number | undefined
  /** Webhooks that are on their way to one endpoint at once, from all processes; 4 unless set. */
  readonly deliveriesPerEndpoint?: number | undefined
  /** Closed payments looked up per connection and day, by all processes together; 0, which is none, unless set. */
  readonly proofLookUpsPerDay?: number | undefined
  /** What happens to digits in a text that may be a card number or an order number: stored with a warning unless set. */
  readonly cardNumbers?: BareCardNumbers | undefined
  /** Until a loss of records is recovered, `refuse` (unless set) or `serve` requests that may have been executed. */
  readonly afterRestore?: AfterRestore | undefined
}

export const defaultProviderTimeoutMillis = 30_000

export interface BackgroundOptions {
  /** Between two looks at what is due, in milliseconds; a second unless set. */
  readonly everyMillis?: number | undefined
}

/** How long another server may not know yet what one has learned, in milliseconds. */
const learnEveryMillis = 5_000

/** Between two looks for reports that are due, in milliseconds: a schedule counts in hours. */
const fetchEveryMillis = 60_000

/** For how long a start waits for providers to name their accounts, in milliseconds. */
const accountsWithinMillis = 2_000

const forgetting = ({ forgetKeys }: Pointsman["Service"]) =>
  Effect.catchCause(forgetKeys, (cause) => Effect.logError("expired idempotency keys could not be deleted", cause))

/** A start has more urgent work, and a command that ends sooner sweeps nothing. */
const sweepAfter = "1 minute"

const sweeping = ({ sweepInTurn }: Pointsman["Service"]) =>
  Effect.catchCause(sweepInTurn, (cause) => Effect.logError("retention could not remove old records", cause))

/** Of each hour one process makes the lookups: the others look whether it does. */
const proveEvery = "10 minutes"

const proving = ({ proveClosed }: Pointsman["Service"]) =>
  Effect.catchCause(proveClosed, (cause) => Effect.logError("closed payments could not be compared", cause))

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

/** What one instance remembers of what it refused, and of what it warned about. */
const remembering = ({ cardNumbers = "warn" }: PointsmanOptions) =>
  Context.make(RefusedGuesses, new Map()).pipe(Context.add(CardNumbers, cardNumberPolicy(cardNumbers)))

export class Pointsman extends Context.Service<Pointsman, PointsmanService>()("pointsman/Pointsman") {
  static readonly layer = (
    options: PointsmanOptions = {}
  ): Layer.Layer<Pointsman, never, StorageServices | Connectors | Transport | Secrets | Ids> =>
    Layer.effect(
      Pointsman,
      Effect.gen(function* () {
        const defaults = yield* PaymentSettings
        const condition = yield* StorageCondition
        const settings = {
          ...defaults,
          claimWindowMillis: options.claimWindowMillis ?? defaults.claimWindowMillis,
          checkIntervals: { ...defaults.checkIntervals, ...options.checkIntervals },
          afterRestore: options.afterRestore ?? defaults.afterRestore
        }
        const deliveryDefaults = yield* DeliverySettings
        const deliverySettings = {
          ...deliveryDefaults,
          scheduleMillis: options.webhookScheduleMillis ?? deliveryDefaults.scheduleMillis,
          atOncePerEndpoint: options.deliveriesPerEndpoint ?? deliveryDefaults.atOncePerEndpoint
        }
        const shareDefaults = yield* ConnectionShares
        const shares = {
          lookUps: options.lookUpsPerConnection ?? shareDefaults.lookUps,
          messages: options.messagesPerConnection ?? shareDefaults.messages,
          hints: shareDefaults.hints
        }
        const proofDefaults = yield* ProofSettings
        const proof = { ...proofDefaults, lookUpsPerDay: options.proofLookUpsPerDay ?? proofDefaults.lookUpsPerDay }
        const archive = yield* Archive
        const services = Context.merge(yield* Effect.context<DoorServices>(), remembering(options))
        const storageClock = (yield* StorageClock) ?? machineClock(yield* Clock.Clock)
        const context = Context.add(services, PaymentSettings, settings).pipe(
          Context.add(Clock.Clock, storageClock.clock),
          Context.add(StorageClock, storageClock),
          Context.add(StorageHistory, yield* StorageHistory),
          Context.add(Notifier, yield* Notifier),
          Context.add(StorageCondition, condition),
          Context.add(RecordLosses, yield* RecordLosses),
          Context.add(Retention, yield* Retention),
          Context.add(BeforeRemoval, archiveFirst(archive, yield* BeforeRemoval)),
          Context.add(Settlements, yield* Settlements),
          Context.add(ReportReader, yield* ReportReader),
          Context.add(Audit, yield* Audit),
          Context.add(Archive, archive),
          Context.add(ArchiveHints, makeArchiveHints()),
          Context.add(KeptBooks, makeKeptBooks()),
          Context.add(Operators, yield* Operators),
          Context.add(Passkeys, yield* Passkeys),
          Context.add(Passwords, yield* Passwords),
          Context.add(DeliverySettings, deliverySettings),
          Context.add(ConnectionShares, shares),
          Context.add(ProofSettings, proof)
        )
        return Pointsman.of({
          ...paymentMethods(context),
          ...disputeMethods(context),
          ...hostedPageMethods(context),
          ...routingMethods(context),
          ...backgroundMethods(context),
          ...webhookMethods(context),
          ...reviewMethods(context),
          ...messageMethods(context),
          ...recoveryMethods(context),
          ...bookMethods(context),
          ...administrationMethods(context),
          configure: configureMethods(context),
          operators: operatorMethods(context),
          reconciliation: reconciliationMethods(context)
        })
      })
    ).pipe(
      Layer.provide([
        Circuits.layer,
        LearnedRates.layer,
        LookUps.layer,
        PaymentLocks.layer,
        KeyUses.layer,
        DeliveryWake.layer,
        macLayer,
        SecureRandom.layerWebCrypto,
        Accounts.layer
      ]),
      Layer.provide(Background.layer),
      Layer.provide(
        OpenConnections.layer({ providerTimeoutMillis: options.providerTimeoutMillis ?? defaultProviderTimeoutMillis })
      )
    )

  /** The work that runs without requests, for as long as the layer lives. Any number of processes may run it. */
  static readonly background = (options: BackgroundOptions = {}): Layer.Layer<never, never, Pointsman> =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const everyMillis = options.everyMillis ?? 1_000
        // A connection whose credentials changed takes no payment before it is known whose account they open.
        const asking = yield* Effect.forkScoped(Effect.ignore(pointsman.askAccounts))
        yield* Effect.timeoutOption(Fiber.await(asking), accountsWithinMillis)
        yield* Effect.forkScoped(pointsman.keepAskingAccounts(everyMillis))
        yield* Effect.forkScoped(pointsman.keepChecking(everyMillis))
        yield* Effect.forkScoped(pointsman.keepCheckingDisputes(everyMillis))
        yield* Effect.forkScoped(pointsman.keepDelivering(everyMillis))
        yield* Effect.forkScoped(pointsman.keepLearning(learnEveryMillis))
        yield* Effect.forkScoped(pointsman.keepFetching(fetchEveryMillis))
        yield* Effect.forkScoped(Effect.repeat(forgetting(pointsman), Schedule.spaced("1 hour")))
        yield* Effect.forkScoped(
          Effect.delay(Effect.repeat(proving(pointsman), Schedule.spaced(proveEvery)), proveEvery)
        )
        yield* Effect.forkScoped(
          Effect.delay(Effect.repeat(sweeping(pointsman), Schedule.spaced("1 hour")), sweepAfter)
        )
      })
    )
}
