/**
 * The store of payments, as core needs it: one write, and a few reads. `commit` writes all of a change or nothing of it,
 * has made it durable when it succeeds, and checks the versions, the key, the API key, the guard and the references of
 * charges inside the same write.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Attempt } from "../model/Attempt.ts"
import type { Claim } from "../model/Claim.ts"
import type { Dispute } from "../model/Dispute.ts"
import type { Event, EventDraft } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import type { Operation } from "../model/Operation.ts"
import { brokenInvariant, type Metadata, type Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { type PaymentState, statusOf } from "../model/PaymentMachine.ts"
import type { Refund } from "../model/Refund.ts"
import type {
  MessageBook,
  MessageDecision,
  MessageNote,
  MessageOutcome,
  MessageSubject,
  StoredMessage,
  TenantMessage
} from "../model/StoredMessage.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { Money } from "../money/Money.ts"
import {
  brokenDisputes,
  type DisputeQuery,
  type DueDispute,
  type DueDisputesQuery,
  type SealedEvidence
} from "./LedgerDisputes.ts"
import type { RecoveredKey } from "./RecordLoss.ts"
import type { CommitUnknown, StorageError } from "./StorageError.ts"
import { isNextVersion } from "./StorageHistory.ts"

/**
 * What a claim, of which something is sent, must not be written beside. The store compares it in the write itself, after the
 * versions: where it refuses, it fails with a `StorageError` and this cause.
 */
export interface ClaimGuard {
  /** Whether it refuses with `RecordsMissing`: a loss has not ended, and a connection of the tenant is not recovered. */
  readonly refusesMissing: boolean
  /**
   * It refuses with `KeyRecovered` where a recovery filed this tag: for a charge of any payment, for a refund of this one.
   * `null` without a key, and for calls that no list of a provider names.
   */
  readonly key: Pick<RecoveredKey, "tag" | "kind"> | null
}

/** One step, to be written whole. */
export interface Change {
  readonly tenant: Tenant
  readonly guard?: ClaimGuard | undefined
  /** When set, the write happens only while this API key is alive: a revoked key never moves money. */
  readonly apiKeyHash?: string | undefined
  readonly payment: {
    /** The version that the step was decided on; 0 for a payment that is not stored yet. */
    readonly expected: number
    /** The book of that version, where the caller has it: a store that keeps it in one row need not read it again. */
    readonly before?: PaymentBook | undefined
    readonly after: Payment
  }
  /** Inserted, or replaced by id. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Inserted, or replaced by id. */
  readonly operations?: ReadonlyArray<Operation> | undefined
  /**
   * Inserted, or replaced by id. After every change all refunds of the payment must add up to what the payment says
   * (see `brokenBalance`): the store compares them inside the write.
   */
  readonly refunds?: ReadonlyArray<Refund> | undefined
  /** Inserted, or replaced by id. */
  readonly disputes?: ReadonlyArray<Dispute> | undefined
  /** Sealed evidence of the disputes of this change; replaced by id. */
  readonly evidence?: ReadonlyArray<SealedEvidence> | undefined
  /** Epoch milliseconds at which the background looks at the payment; `null` or absent where nothing is open. */
  readonly checkAt?: number | null | undefined
  /** The connection whose provider that check asks; `null` or absent where it asks none. */
  readonly checkedConnection?: string | null | undefined
  /** In this order; with each, in the same write, a delivery for every active endpoint that wants its type. */
  readonly events: ReadonlyArray<EventDraft>
  /** Epoch milliseconds at which the events' deliveries are due; when the event was created unless set. */
  readonly deliverAt?: number | undefined
  readonly claim?:
    | {
        /** As for the payment; 0 for a key that is not stored yet. */
        readonly expected: number
        readonly after: Claim
      }
    | undefined
  /**
   * The outcome of the provider's message that reports it, written in the same write: the same message is never applied
   * twice. It was stored before (`storeMessage`); where it is not there any more, the write fails with `Stale`.
   */
  readonly message?: MessageDecision | undefined
}

/**
 * What makes a change unwritable, whatever the store holds; `undefined` for a sound one. Every adapter asks it
 * before it writes. A broken change is a defect: the commit dies and nothing is written.
 */
export const brokenChange = (change: Change): string | undefined => {
  const { attempts, claim, events, message, operations = [], payment, refunds = [], tenant } = change
  const { id, tenant: owner, version } = payment.after
  if (!isNextVersion(version, payment.expected)) return `payment version ${version} does not follow ${payment.expected}`
  if (owner.workspaceId !== tenant.workspaceId || owner.environment !== tenant.environment) {
    return "the payment is another tenant's"
  }
  if (attempts.some((attempt) => attempt.paymentId !== id)) return "an attempt is another payment's"
  if (operations.some((operation) => operation.paymentId !== id)) return "an operation is another payment's"
  if (refunds.some((refund) => refund.paymentId !== id)) return "a refund is another payment's"
  for (const { money } of [...operations, ...refunds]) {
    if (money.currency !== payment.after.money.currency) {
      return "an operation or a refund is in another currency than its payment"
    }
    if (!Number.isSafeInteger(money.minorUnits) || money.minorUnits < 0) {
      return `the amount of an operation or a refund is not a whole number of minor units: ${money.minorUnits}`
    }
  }
  const hasDisputes = change.disputes !== undefined || change.evidence !== undefined
  const ofDisputes = hasDisputes ? brokenDisputes(change, id) : undefined
  if (ofDisputes !== undefined) return ofDisputes
  if (events.some((event) => event.paymentId !== id)) return "an event is another payment's"
  if (claim !== undefined && !isNextVersion(claim.after.version, claim.expected)) {
    return `claim version ${claim.after.version} does not follow ${claim.expected}`
  }
  if (claim !== undefined && (claim.after.paymentId !== id || (claim.after.answer?.id ?? id) !== id)) {
    return "the claim is another payment's"
  }
  if (message !== undefined && message.after.paymentId !== id) return "the message is about another payment"
  if (payment.after.review === null && needsReview(change)) return "operations would not hear of it"
  return brokenInvariant(payment.after)
}

/**
 * An operator may remove a contradiction; an unknown result remains in review. A write without events carries a payment
 * on unchanged, also one that an older version left without a review.
 */
const needsReview = ({ events, payment }: Change): boolean => {
  if (statusOf[payment.after.state] === "UNKNOWN" && events.length > 0) return true
  const types = events.map(({ type }) => type)
  return !types.includes("payment.reviewed") && types.some((type) => toldToOperations.has(type))
}

const toldToOperations: ReadonlySet<EventType> = new Set([
  "payment.unknown",
  "payment.capture_unknown",
  "payment.void_unknown",
  "payment.conflict",
  "payment.amount_mismatch"
])

/** Another write came first: decide again on a fresh read. */
export class Stale extends Schema.TaggedError<Stale>()("pointsman/Stale", {}) {}

/** The key is stored already; nothing was written. */
export class KeyTaken extends Schema.TaggedError<KeyTaken>()("pointsman/KeyTaken", {
  claim: Schema.Any as Schema.Codec<Claim>
}) {}

/**
 * Another payment has a reference that the change names (see `referencesOf`); nothing was written. A payment has those
 * that it took, for good. What it stands on already it keeps, also where an older version wrote the same of another one.
 */
export class ReferenceTaken extends Schema.TaggedError<ReferenceTaken>()("pointsman/ReferenceTaken", {
  connectionId: Schema.String,
  providerRef: Schema.String,
  /** The other payment. */
  paymentId: Schema.String
}) {}

/** The API key was revoked meanwhile; nothing was written. */
export class ApiKeyRevoked extends Schema.TaggedError<ApiKeyRevoked>()("pointsman/ApiKeyRevoked", {}) {}

/** The message was decided already; nothing was written. */
export class MessageTaken extends Schema.TaggedError<MessageTaken>()("pointsman/MessageTaken", {}) {}

export type CommitFailure =
  | Stale
  | KeyTaken
  | ApiKeyRevoked
  | MessageTaken
  | ReferenceTaken
  | StorageError
  | CommitUnknown

/** To take payments whose time to be checked has come. */
export interface DueQuery {
  /** Epoch milliseconds; payments whose time is not later than this. */
  readonly now: number
  /**
   * For how long no other process gets what is taken, in milliseconds; afterwards what a dead process took is free
   * again.
   */
  readonly leaseMillis: number
  readonly limit: number
  /** How many of one connection the caller checks at once, with those under way. */
  readonly limitPerConnection: number
  /** By connection, how many the caller has under way. `null`: those that ask no provider. */
  readonly underWay: ReadonlyMap<string | null, number>
}

export interface DuePayment {
  readonly tenant: Tenant
  readonly paymentId: string
  /** The connection whose provider its check asks; `null` where it asks none. */
  readonly connectionId: string | null
}

/** Payments of one connection that are due. */
export interface DueCount {
  readonly connectionId: string | null
  readonly payments: number
}

/** What the background will look at again, as far as it was counted. */
export interface Watched {
  readonly payments: number
  /** Of those, the ones with a refund whose end is not known. */
  readonly withRefunds: number
  /** Epoch milliseconds: when the first of them is due, or was; `null` where there is none. */
  readonly firstAt: number | null
}

/** To read what operations have to look at. */
export interface ReviewQuery {
  /** Of one tenant; absent for all of them. */
  readonly tenant?: Tenant | undefined
  /** One payment, if it has to be looked at. */
  readonly paymentId?: string | undefined
  /** Only payments that wait for less long than this one. */
  readonly after?: { readonly since: number; readonly paymentId: string } | undefined
  /**
   * In the order of amounts instead of ages: the largest of each currency first, and currencies by their codes, because
   * amounts of two currencies do not compare. `after`: only payments that follow this one.
   */
  readonly byAmount?: { readonly after?: { readonly money: Money; readonly paymentId: string } | undefined } | undefined
  readonly limit: number
}

/** To read the messages of providers. */
export interface MessageQuery {
  /** Of one tenant; absent for all of them. */
  readonly tenant?: Tenant | undefined
  readonly connectionId?: string | undefined
  readonly paymentId?: string | undefined
  readonly outcome?: MessageOutcome | undefined
  /**
   * Only messages that name a charge by the provider's reference, where an attempt of their tenant and connection has that
   * reference, and that came at this time or later (epoch milliseconds).
   */
  readonly namesAttemptFrom?: number | undefined
  /** Only messages that came before this one; of those of one millisecond, by their connection and id. */
  readonly before?: Pick<MessageNote, "receivedAt" | "connectionId" | "eventId"> | undefined
  readonly limit: number
}

/** To read the keys that may be old enough to be forgotten. */
export interface OldClaimsQuery {
  /** Epoch milliseconds; claims made before it. */
  readonly claimedBefore: number
  /** Only claims that follow this one. */
  readonly after?: { readonly claimedAt: number; readonly tenant: Tenant; readonly key: string } | undefined
  readonly limit: number
}

export interface OldClaim {
  readonly tenant: Tenant
  readonly claim: Claim
  /** The payment of the claim, in its current state. */
  readonly payment: Payment
}

/** The texts of a payment that are replaced when its personal data is erased. */
export interface TextErasure {
  readonly paymentId: string
  /** The data that replaces the data of these events of the payment. */
  readonly events: ReadonlyArray<Pick<Event, "id" | "data">>
}

export interface UsageQuery {
  readonly workspaceId: string
  /** Epoch milliseconds; payments created from here on. */
  readonly from: number
  /** Epoch milliseconds; payments created before this. */
  readonly until: number
}

/** What payments have to be, to be found. An absent field finds all. */
export interface PaymentFilter {
  /** One of these states; an empty list finds nothing. */
  readonly states?: ReadonlyArray<PaymentState> | undefined
  /** Exactly this reference of the merchant. */
  readonly reference?: string | undefined
  /** A reference of the merchant that begins so: 1 to 64 characters. What is no `isPlainText` is not found by it. */
  readonly referencePrefix?: string | undefined
  /** Of this amount, in minor units of the payment's currency. */
  readonly amountMinor?: number | undefined
  readonly currency?: string | undefined
  /** The connection that holds or held the money. */
  readonly connectionId?: string | undefined
  /** The provider's reference of the payment's charge, or of one of its attempts. */
  readonly providerRef?: string | undefined
  /** Exactly these texts under these names. */
  readonly metadata?: Metadata | undefined
  /** Exactly this text under any name of the metadata. */
  readonly metadataValue?: string | undefined
  /** Created at this time or later; epoch milliseconds. */
  readonly createdFrom?: number | undefined
  /** Created earlier than this; epoch milliseconds. */
  readonly createdBefore?: number | undefined
}

export interface PaymentQuery extends PaymentFilter {
  /** Only payments with a smaller id. */
  readonly before?: string | undefined
  /** Rows at most. */
  readonly limit: number
}

export interface SearchQuery extends PaymentQuery {
  /** Rows at most that lead to payments, whether these are found or not. */
  readonly walkAtMost: number
}

/** A page of a search. */
export interface SearchedPayments {
  readonly payments: ReadonlyArray<Payment>
  /** The smallest id that was looked at, where the page ended before it was full and older payments may match; else `null`. */
  readonly walkedTo: string | null
}

export interface EventQuery {
  readonly type?: string | undefined
  /** Only events with a smaller id. */
  readonly before?: string | undefined
  /** Only events with a greater id. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface TimelineQuery {
  /** Only events with a greater id. */
  readonly after?: string | undefined
  readonly limit: number
}

export class Ledger extends Context.Service<
  Ledger,
  {
    /** Gives whether deliveries of its events are due: `true` too where that is not known. */
    readonly commit: (change: Change) => Effect.Effect<boolean, CommitFailure>
    readonly payment: (tenant: Tenant, id: string) => Effect.Effect<Option.Option<Payment>, StorageError>
    /** A payment with its attempts, operations and refunds, in one round trip and of one moment. */
    readonly book: (tenant: Tenant, id: string) => Effect.Effect<Option.Option<PaymentBook>, StorageError>
    /** The payment that an attempt, a refund or a charge of the tenant belongs to, in one round trip and of one moment. */
    readonly bookOf: (
      tenant: Tenant,
      subject: MessageSubject
    ) => Effect.Effect<Option.Option<MessageBook>, StorageError>
    /** Stores a message before it is applied. Gives the one stored before with its id; `None` where there was none. */
    readonly storeMessage: (
      tenant: Tenant,
      message: StoredMessage
    ) => Effect.Effect<Option.Option<MessageNote>, StorageError | CommitUnknown>
    /**
     * Writes the outcome of a stored message that changes nothing else. `seen` is what that was decided on: where the
     * payment has another version by now, or the message is not stored, it fails with `Stale`. The version stays, so that
     * a writer who is at work on the payment is not disturbed.
     */
    readonly keepMessage: (
      tenant: Tenant,
      message: MessageDecision,
      seen: { readonly paymentId: string; readonly version: number } | null
    ) => Effect.Effect<void, Stale | MessageTaken | StorageError | CommitUnknown>
    readonly message: (
      tenant: Tenant,
      connectionId: string,
      eventId: string
    ) => Effect.Effect<Option.Option<StoredMessage>, StorageError>
    /** For operators: without the bodies, newest first. */
    readonly messages: (query: MessageQuery) => Effect.Effect<ReadonlyArray<TenantMessage>, StorageError>
    /** The payment of a hosted page, of any tenant, by the hash of the page's token. */
    readonly paymentOfPage: (tokenHash: string) => Effect.Effect<Option.Option<Payment>, StorageError>
    /**
     * Payments of all tenants that are due, those of one connection in the order of their times. No two callers get the
     * same one. A connection gets another payment after those that have fewer, with what is under way: whatever is due for
     * one of them never keeps back another's.
     */
    readonly takeDue: (query: DueQuery) => Effect.Effect<ReadonlyArray<DuePayment>, StorageError>
    /** After a check that brought nothing: when to look again. If the payment was written since, that write is kept. */
    readonly postpone: (payment: Payment, checkAt: number | null) => Effect.Effect<void, StorageError>
    /** Of all tenants, those that are due first; no more than `limit` are counted. For monitoring. */
    readonly watched: (limit: number) => Effect.Effect<Watched, StorageError>
    /** How many payments are due at `now`, by connection; of each no more than `limit` are counted. For monitoring. */
    readonly dueByConnection: (query: {
      readonly now: number
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<DueCount>, StorageError>
    /** Payments with a review, those that wait longest first; where two wait as long, by id. */
    readonly reviews: (query: ReviewQuery) => Effect.Effect<ReadonlyArray<Payment>, StorageError>
    /** Production payments with an attempt whose outcome is known and neither `NotSent` nor `Abandoned`. */
    readonly usage: (query: UsageQuery) => Effect.Effect<number, StorageError>
    /** Newest first. */
    readonly payments: (tenant: Tenant, query: PaymentQuery) => Effect.Effect<ReadonlyArray<Payment>, StorageError>
    /** As `payments`, and no further than a number of rows leads. */
    readonly search: (tenant: Tenant, query: SearchQuery) => Effect.Effect<SearchedPayments, StorageError>
    /** In the order of their numbers. */
    readonly attempts: (tenant: Tenant, paymentId: string) => Effect.Effect<ReadonlyArray<Attempt>, StorageError>
    readonly claim: (tenant: Tenant, key: string) => Effect.Effect<Option.Option<Claim>, StorageError>
    /** Claims of all tenants, by the time at which they were made; those of the same time in an order that stays. */
    readonly oldClaims: (query: OldClaimsQuery) => Effect.Effect<ReadonlyArray<OldClaim>, StorageError>
    /** Deletes those of the claims that still have the version; gives how many. */
    readonly forgetClaims: (
      claims: ReadonlyArray<{ readonly tenant: Tenant; readonly key: string; readonly version: number }>
    ) => Effect.Effect<number, StorageError>
    /**
     * For the erasure of personal data: replaces the data of events, also in deliveries that are not sent yet, empties the
     * bodies of all messages about the payment, and has no metadata find it any more. One write; written again it changes nothing. Gives how many messages
     * had a body.
     */
    readonly eraseTexts: (tenant: Tenant, erasure: TextErasure) => Effect.Effect<number, StorageError>
    readonly dispute: (tenant: Tenant, id: string) => Effect.Effect<Option.Option<Dispute>, StorageError>
    /** Newest first. */
    readonly disputes: (tenant: Tenant, query: DisputeQuery) => Effect.Effect<ReadonlyArray<Dispute>, StorageError>
    /**
     * Disputes of all tenants that are due, those that are due first before the others; of one time by id. Nothing is
     * leased: what two processes do about one dispute is guarded by the version of its payment.
     */
    readonly dueDisputes: (query: DueDisputesQuery) => Effect.Effect<ReadonlyArray<DueDispute>, StorageError>
    /** The sealed evidence that is kept for a dispute. */
    readonly evidence: (
      tenant: Tenant,
      paymentId: string,
      disputeId: string
    ) => Effect.Effect<Option.Option<string>, StorageError>
    /** Oldest first. */
    readonly timeline: (
      tenant: Tenant,
      paymentId: string,
      query: TimelineQuery
    ) => Effect.Effect<ReadonlyArray<Event>, StorageError>
    /**
     * Newest first, or oldest first when only `after` is given. An event shows only when no smaller id can still be
     * committed, so a follower that continues from the last id misses nothing.
     */
    readonly events: (tenant: Tenant, query: EventQuery) => Effect.Effect<ReadonlyArray<Event>, StorageError>
  }
>()("pointsman/ports/Ledger") {}
