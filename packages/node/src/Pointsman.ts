/** What `createPointsman` gives: core's services with promises in place of effects, and the API for requests. */

import type { IncomingMessage, ServerResponse } from "node:http"
import type {
  CreatePayment,
  Dispute,
  DisputesQuery,
  Event,
  EventsQuery,
  Page,
  Payment,
  PaymentsQuery,
  TimelineQuery
} from "@pointsman/client/contract"
import type { ConsoleOptions, MountedConsole } from "./Console.ts"
import type { CorrectionCalls, ResolvedPayment } from "./Corrections.ts"
import type { JournalEntry, JournalQuery } from "./Journal.ts"
import type { OperatorCalls } from "./Operators.ts"
import type { ReconciliationCalls } from "./Reconciliation.ts"
import type {
  ApiKeyOrder,
  Circuit,
  CreatedApiKey,
  Delivery,
  DeliveryAttempt,
  DeliveryStatus,
  EncryptionRotation,
  Evidence,
  OperatorStatement,
  PaymentFile,
  RecordLoss,
  Recovery,
  ReviewedPayment,
  RoutingExplanation,
  SuccessRate
} from "./Records.ts"
import type { CallOptions } from "./Settings.ts"

export interface MoneyOptions extends CallOptions {
  /**
   * 8 to 200 printable ASCII characters that name what is asked, such as the order's id: however often it is asked, it
   * happens once. Needed to create a payment in production; send one always.
   */
  readonly idempotencyKey?: string | undefined
}

export interface Answered {
  readonly payment: Payment
  /** An earlier call with the same key was answered so, and no provider was asked now. */
  readonly isReplay: boolean
}

export interface AnsweredDispute {
  readonly dispute: Dispute
  /** As of `Answered`. */
  readonly isReplay: boolean
}

export interface PageQuery {
  /** Rows at most, 1 to 100; 50 unless set. */
  readonly limit?: number | undefined
}

export interface Pointsman extends AsyncDisposable {
  /**
   * Routes a payment and charges it at once, or gives a hosted page (`return_url`). Look at `payment.status`: a payment
   * that was declined is a result too, and `UNKNOWN` means that the result is not known yet.
   */
  readonly create: (order: CreatePayment, options?: MoneyOptions) => Promise<Answered>
  /** Takes the money of an authorization; all of it unless `amount` (minor units) is given. Once. */
  readonly capture: (
    paymentId: string,
    order?: { readonly amount?: number | undefined },
    options?: MoneyOptions
  ) => Promise<Answered>
  /** Releases an authorization. */
  readonly void: (paymentId: string, options?: MoneyOptions) => Promise<Answered>
  /** Gives captured money back; all that is left unless `amount` (minor units) is given. It names the refund by its key. */
  readonly refund: (
    paymentId: string,
    order?: { readonly amount?: number | undefined; readonly reason?: string | undefined },
    options?: MoneyOptions
  ) => Promise<Answered>

  readonly payment: (paymentId: string, options?: CallOptions) => Promise<Payment>
  /** Newest first. */
  readonly payments: (query?: PaymentsQuery, options?: CallOptions) => Promise<Page<Payment>>
  /** What happened to a payment, oldest first. */
  readonly timeline: (paymentId: string, query?: TimelineQuery, options?: CallOptions) => Promise<Page<Event>>
  /** Of all payments, newest first; oldest first when only `after` is given. */
  readonly events: (query?: EventsQuery, options?: CallOptions) => Promise<Page<Event>>
  /** Why a payment went where it went. */
  readonly explainRouting: (paymentId: string, options?: CallOptions) => Promise<RoutingExplanation>
  /** All that is recorded of a payment. */
  readonly paymentFile: (paymentId: string, options?: CallOptions) => Promise<PaymentFile>

  /** Newest first. */
  readonly disputes: (query?: DisputesQuery, options?: CallOptions) => Promise<Page<Dispute>>
  readonly dispute: (disputeId: string, options?: CallOptions) => Promise<Dispute>
  /**
   * Keeps texts and files by name, encrypted, in place of what was kept before, until they are submitted. Up to 40 texts of
   * 20,000 characters, and up to 10 files (PDF, JPEG, PNG) of 5,000,000 bytes together.
   */
  readonly keepEvidence: (
    disputeId: string,
    evidence: {
      readonly texts?: Readonly<Record<string, string>> | undefined
      readonly files?: Readonly<Record<string, Uint8Array>> | undefined
    },
    options?: CallOptions
  ) => Promise<Dispute>
  /** Sends the kept evidence to the provider, once and for good. */
  readonly submitDispute: (disputeId: string, options?: MoneyOptions) => Promise<AnsweredDispute>
  /** Leaves the disputed money to the customer, for good. */
  readonly acceptDispute: (disputeId: string, options?: MoneyOptions) => Promise<AnsweredDispute>

  /**
   * Payments that operations have to look at, those that wait longest first; of all workspaces unless options name one
   * with its environment.
   */
  readonly reviews: (
    query?: PageQuery & { readonly after?: string | undefined },
    options?: CallOptions
  ) => Promise<Page<ReviewedPayment>>
  /** One of them, with all that is recorded of it, of whichever workspace. */
  readonly reviewOf: (paymentId: string) => Promise<PaymentFile>
  /**
   * Writes what an operator states that the provider's record says, and returns the payment afterwards; with
   * `proposed_correction` where a second person has to approve it first.
   */
  readonly resolveReview: (
    paymentId: string,
    stated: OperatorStatement,
    evidence: Evidence,
    options?: CallOptions
  ) => Promise<ResolvedPayment>
  /** Statements that wait for a second person. */
  readonly corrections: CorrectionCalls

  /** Providers' reports about money, compared with the records. */
  readonly reconciliation: ReconciliationCalls
  /**
   * The books as double entries: the transactions that are posted in a period, grouped by payment, and money whose result is
   * not known. `for await` reads it page by page, in bounded memory, and each reading begins anew. It fails while it is read,
   * as calls do.
   */
  readonly journal: (query?: JournalQuery, options?: CallOptions) => AsyncIterable<JournalEntry>

  /** Webhooks, newest first. `before`: the `next_cursor` of the page before. */
  readonly deliveries: (
    query?: PageQuery & { readonly status?: DeliveryStatus | undefined; readonly before?: string | undefined },
    options?: CallOptions
  ) => Promise<Page<Delivery>>
  readonly deliveryAttempts: (deliveryId: string, options?: CallOptions) => Promise<ReadonlyArray<DeliveryAttempt>>
  /** Sends again what was refused or given up, at once and under the same id. */
  readonly redeliver: (deliveryId: string, options?: CallOptions) => Promise<Delivery>

  readonly successRates: (options?: CallOptions) => Promise<ReadonlyArray<SuccessRate>>
  readonly circuits: () => Promise<ReadonlyArray<Circuit>>
  /** How many production payments of a workspace reached a provider, created from `from` on and before `until`. */
  readonly usage: (
    period: { readonly from: Date; readonly until: Date },
    options?: Pick<CallOptions, "workspace">
  ) => Promise<number>

  /** A key for the API over HTTP, for every scope unless some are named. */
  readonly createApiKey: (order?: ApiKeyOrder, options?: CallOptions) => Promise<CreatedApiKey>
  /** By its hash, as `createApiKey` told it; for good. */
  readonly revokeApiKey: (hash: string) => Promise<void>

  /**
   * Seals again, under `encryptionKey`, everything in the database that another one of `previousEncryptionKeys` sealed. It
   * may be repeated, and run while other processes use the database.
   */
  readonly rotateEncryption: () => Promise<EncryptionRotation>

  /**
   * Recovers payments, refunds and disputes that the database lost: asks the providers for what they have since a time before the
   * first lost record (by default, since the known loss), and adopts what is not stored. It may be repeated.
   */
  readonly recover: (order?: {
    readonly since?: Date | undefined
    /** Only this connection. */
    readonly connection?: string | undefined
    /** Whether to report what would be recovered, and to write nothing. */
    readonly dryRun?: boolean | undefined
  }) => Promise<Recovery>
  /**
   * Accepts what is missing at one connection, or at all: then the known loss ends although connections are not recovered. Refunds
   * wait there no longer. `null` where nothing is missing.
   */
  readonly acceptLoss: (order?: { readonly connection?: string | undefined }) => Promise<RecordLoss | null>

  /** Looks at a batch of payments whose time has come; gives how many. The background does it by itself. */
  readonly checkDue: () => Promise<number>

  /** The v1 API, with hosted pages and providers' messages, for what brings a `Request`: Hono, Next's route handlers. */
  readonly handler: (request: Request) => Promise<Response>
  /**
   * The same for Node's own requests, and faster: `createServer(pointsman.listener)`, `app.use(pointsman.listener)` of
   * Express. With `next`, paths that are not the API's go there. It has to come before whatever reads bodies
   * (`express.json()`).
   */
  readonly listener: (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void

  /**
   * The dashboard for people, under a path of the program. Each call makes one; its code is loaded by the first. It ends
   * with `close`.
   */
  readonly console: (options: ConsoleOptions) => Promise<MountedConsole>
  /** Who may use the console. */
  readonly operators: OperatorCalls

  /**
   * Takes nothing more, waits for what is under way, ends the background and closes the storage. May be called again, and
   * is done when the first call is.
   */
  readonly close: () => Promise<void>
}
