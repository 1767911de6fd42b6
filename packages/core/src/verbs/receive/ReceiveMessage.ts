/**
 * A provider's message: known to be the provider's, and recorded with what it changes. A connection that does not exist,
 * one without a secret, and a wrong signature are one answer, after the same time. Only a connector with hints takes a
 * message without a signature. A verified message is stored whole before it is applied. Its effect and its outcome are one
 * commit, so that a message that comes again changes nothing, and one that was stored and never decided is decided then.
 */
import { Clock, Effect, Metric, Option, Redacted, Result } from "effect"
import { Accounts } from "../../call/Accounts.ts"
import { withRefundId } from "../../call/CallIds.ts"
import { OpenConnections } from "../../call/CallProvider.ts"
import { canLookUpOperations, canReadDisputes } from "../../call/LookUp.ts"
import { asStorageError, decideAndCommit, done, write, writeUntilKnown } from "../../commit/DecideAndCommit.ts"
import { type Lock, PaymentLocks } from "../../commit/PaymentLocks.ts"
import { type DisputedBook, nextVersionOf, statedIn, withDisputes, withStated } from "../../commit/RecordDispute.ts"
import { attemptOf, interpret, isAboutBook } from "../../decide/interpret/Interpret.ts"
import type { Interpretation } from "../../decide/interpret/Interpretation.ts"
import { ofOtherAccount, otherAccount } from "../../decide/interpret/OtherAccount.ts"
import type { Source, Subject } from "../../decide/interpret/Statement.ts"
import { ofContested, ofReused } from "../../decide/ReusedReference.ts"
import { messagesDecided } from "../../metrics/Metrics.ts"
import { type Connection, webhookSecretContext } from "../../model/Connection.ts"
import type { Payment } from "../../model/Payment.ts"
import { movedPayment, type PaymentBook, type ReusedReference } from "../../model/PaymentBook.ts"
import type { ProviderAccount } from "../../model/ProviderAccount.ts"
import type { MessageAbout, ProviderMessage } from "../../model/ProviderStatement.ts"
import {
  type MessageBook,
  type MessageNote,
  type MessageOutcome,
  messageContext,
  type StoredMessage
} from "../../model/StoredMessage.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { Connector, MessageUnreadable, MessageUnverified, RawMessage } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ids } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { keyStorageError, Secrets } from "../../ports/Secrets.ts"
import { StorageError } from "../../ports/StorageError.ts"
import { LearnedRates, learnFrom } from "../../routing/run/LearnedRates.ts"
import { contentOf, decidedMessage, subjectIdOf } from "./DecidedMessage.ts"
import { findCharge, removedPayment } from "./FindCharge.ts"
import { noticeLoss } from "./NoticeLoss.ts"
import { hintedId, hintIn, lookUpHint, type ReceivedHint } from "./ReceiveHint.ts"
import { refuseAtTicks, refuseSlowly, refuseUnverified } from "./RefuseMessage.ts"

export interface IncomingMessage {
  /** As the path names it; anybody may have written it. */
  readonly connectionId: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** A message that its connection's provider wrote. */
export interface VerifiedMessage {
  readonly connectionId: string
  readonly tenant: Tenant
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** What is stored of it; see `Connector.keptOfMessage`. */
  readonly body: string
  /** `null` where it cannot be read. */
  readonly message: ProviderMessage | null
  /** Why it cannot be read: a field, and never its value. `null` where it can. */
  readonly reason: string | null
}

export const verifyMessage = (incoming: IncomingMessage) => refuseAtTicks(verify(incoming))

const verify = Effect.fnUntraced(function* (incoming: IncomingMessage) {
  const directory = yield* Directory
  const receivedAt = yield* Clock.currentTimeMillis
  const { body, connectionId, headers } = incoming
  const found = Option.getOrUndefined(yield* directory.connection(connectionId))
  const reader = found === undefined ? undefined : yield* readerOf(found)
  if (found === undefined) return yield* refuseSlowly(headers, body, receivedAt)
  const { environment, workspaceId } = found
  const received = { connectionId, tenant: { workspaceId, environment }, receivedAt }
  const hint = yield* hintIn(found, incoming)
  if (hint !== undefined) return { ...received, hint } satisfies ReceivedHint
  if (reader === undefined) return yield* refuseSlowly(headers, body, receivedAt)
  const read = yield* readWithEither(reader, { headers, body, receivedAt })
  const verified = { ...received, body: utf8.decode(body) }
  if (Result.isSuccess(read)) {
    // It was verified over the bytes as they came. Of a message that cannot be read nothing is known, and it stays whole.
    const kept = reader.keptOfMessage?.(verified.body) ?? verified.body
    return { ...verified, body: kept, message: read.success, reason: null } satisfies VerifiedMessage
  }
  if (read.failure._tag === "pointsman/MessageUnverified") {
    return yield* refuseUnverified(connectionId, read.failure.reason)
  }
  // Its provider would send it again and again, and it would not become readable.
  yield* Effect.logError(`a message to connection ${connectionId} cannot be read: ${read.failure.reason}`)
  return { ...verified, message: null, reason: read.failure.reason } satisfies VerifiedMessage
})

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

interface Reader {
  readonly secret: Redacted.Redacted<string>
  readonly previousSecret: Redacted.Redacted<string> | undefined
  readonly readMessage: NonNullable<Connector["readMessage"]>
  readonly readStored: Connector["readStored"] | undefined
  readonly keptOfMessage: Connector["keptOfMessage"] | undefined
}

/** While a provider's secret is rotated, its messages are signed with either. */
const readWithEither = Effect.fnUntraced(function* (
  { previousSecret, readMessage, secret }: Reader,
  raw: Pick<RawMessage, "body" | "headers" | "receivedAt">
) {
  const read = yield* Effect.result(readMessage({ ...raw, secret, otherSecret: previousSecret }))
  if (previousSecret === undefined || !isUnverified(read)) return read
  const again = yield* Effect.result(readMessage({ ...raw, secret: previousSecret, otherSecret: secret }))
  return isUnverified(again) ? read : again
})

const isUnverified = <A>(read: Result.Result<A, MessageUnverified | MessageUnreadable>): boolean =>
  Result.isFailure(read) && read.failure._tag === "pointsman/MessageUnverified"

/** What the connection's messages are read with; `undefined` where it can have none. */
export const readerOf = Effect.fnUntraced(function* (connection: Connection) {
  const { id, sealedPreviousWebhookSecret, sealedWebhookSecret } = connection
  if (sealedWebhookSecret === null) return undefined
  const secrets = yield* Secrets
  const connections = yield* OpenConnections
  const open = (sealed: string) =>
    secrets.open(sealed, webhookSecretContext(id)).pipe(
      // The provider sends the message again.
      Effect.catchTags({
        "pointsman/KeyUnavailable": (cause) => Effect.fail(keyStorageError("opening a webhook secret")(cause)),
        "pointsman/SealBroken": () => Effect.undefined
      })
    )
  const opened = yield* open(sealedWebhookSecret)
  // Without it, what is signed with the newer secret is still taken.
  const previousSecret =
    sealedPreviousWebhookSecret === undefined ? undefined : yield* open(sealedPreviousWebhookSecret)
  const connector = yield* Effect.result(connections.connector(connection))
  if (opened === undefined) {
    yield* connections.reportOnce(connection, "its webhook secret cannot be decrypted with this encryption key")
    return undefined
  }
  if (Result.isFailure(connector)) {
    yield* connections.reportOnce(connection, connector.failure.reason)
    return undefined
  }
  const { keptOfMessage, readMessage, readStored } = connector.success
  return readMessage === undefined
    ? undefined
    : ({ secret: opened, previousSecret, readMessage, readStored, keptOfMessage } satisfies Reader)
})

/** Looks up what a hint names, and records what the provider states; see `recordMessage`. */
export const recordHint = Effect.fnUntraced(function* (received: ReceivedHint) {
  const { hint: _, ...from } = received
  for (const { body, message } of yield* lookUpHint(received)) {
    yield* recordMessage({ ...from, body, message: { ...message, id: hintedId(message.id) }, reason: null })
  }
})

/** Stores a message and decides it; succeeds where that was done before. After a failure it may come again. */
export const recordMessage = Effect.fnUntraced(function* (verified: VerifiedMessage) {
  const stored = yield* storeMessage(verified)
  if (verified.message !== null && stored.outcome === "received") {
    yield* decideMessage(verified.tenant, stored, verified.message)
  }
})

/** Gives the message as it is stored: by this call, or when it came before. */
const storeMessage = Effect.fnUntraced(function* ({
  body,
  connectionId,
  message,
  reason,
  receivedAt,
  tenant
}: VerifiedMessage) {
  const ledger = yield* Ledger
  const secrets = yield* Secrets
  const eventId = message?.id ?? `sha256:${yield* secrets.hash(body)}`
  const stored: StoredMessage = {
    connectionId,
    eventId,
    paymentId: null,
    outcome: message === null ? "unreadable" : "received",
    reason,
    receivedAt,
    body: yield* secrets
      .seal(Redacted.make(body), messageContext(connectionId, eventId))
      .pipe(Effect.mapError(keyStorageError("sealing a message"))),
    isSealed: true,
    ...(message === null ? unread(receivedAt) : contentOf(connectionId, message, undefined, receivedAt))
  }
  const earlier = yield* writeUntilKnown(ledger.storeMessage(tenant, stored)).pipe(
    Effect.mapError(({ cause, operation }) => new StorageError({ operation, cause }))
  )
  if (Option.isNone(earlier) && message === null) yield* Metric.update(messagesDecided(connectionId, "unreadable"), 1)
  return Option.getOrElse(earlier, (): MessageNote => stored)
})

const unread = (receivedAt: number) =>
  ({ about: "unreadable", subjectId: "", disputeId: null, verdict: null, writtenAt: receivedAt }) as const

/** Decides a stored message by what it says, from the outcome that it has. */
export const decideMessage = Effect.fnUntraced(function* (
  tenant: Tenant,
  stored: MessageNote,
  message: ProviderMessage
) {
  const ledger = yield* Ledger
  const locks = yield* PaymentLocks
  const { connectionId } = stored
  const found = Option.getOrUndefined(yield* findCharge(tenant, connectionId, message.about))
  const removed = found === undefined ? yield* removedPayment(tenant, connectionId, message.about) : null
  if (found === undefined) {
    const named = removed === null ? "names none of our payments" : `is about payment ${removed}, which left the store`
    yield* Effect.logWarning(`message ${message.id} of connection ${connectionId} ${named}`)
  }
  const about = yield* withRefundId(tenant, connectionId, message.about)
  const isLookedUp =
    (message.about._tag === "Operation" && (yield* canLookUpOperations(tenant, connectionId))) ||
    (message.about._tag === "Dispute" && (yield* canReadDisputes(tenant, connectionId)))
  yield* decideAndWrite(
    tenant,
    stored,
    { ...message, about, isLookedUp, opened: yield* openedBy(connectionId), removed },
    found === undefined ? undefined : locks.take(found.book.payment.id)
  )
  if (found !== undefined && isApproval(message.about, found.book.payment)) {
    // The check takes the next step. Where this is not written, the customer's return or the next check does.
    yield* Effect.ignore(ledger.postpone(found.book.payment, yield* Clock.currentTimeMillis))
  }
  if (found === undefined) {
    const { receivedAt } = stored
    yield* noticeLoss(tenant, { ...stored, ...contentOf(connectionId, message, undefined, receivedAt) })
  }
})

/** The customer approved a checkout that the payment waits on, and nothing was taken yet. */
const isApproval = (about: MessageAbout, { money, state }: Payment): boolean =>
  state === "CheckoutOpen" && about._tag === "Charge" && about.state(money)._tag === "Approved"

/** The connection that a message came to, and whose account it opens. */
interface Opened {
  readonly connection: Connection
  readonly account: ProviderAccount | undefined
}

const openedBy = Effect.fnUntraced(function* (connectionId: string) {
  const accounts = yield* Accounts
  const found = yield* (yield* Directory).connection(connectionId)
  return Option.map(found, (connection): Opened => ({ connection, account: accounts.current(connection) }))
})

const decideAndWrite = Effect.fnUntraced(function* (
  tenant: Tenant,
  stored: MessageNote,
  message: ProviderMessage &
    Pick<Source, "isLookedUp"> & { readonly opened: Option.Option<Opened>; readonly removed: string | null },
  withLock: Lock | undefined
) {
  const learned = yield* LearnedRates
  const { connectionId } = stored
  const { about } = message
  const disputeId = yield* (yield* Ids).dispute
  const decided = yield* decideAndCommit({
    ...(withLock === undefined ? {} : { withLock }),
    read: (conflict) =>
      conflict._tag === "MessageRecorded"
        ? Effect.succeed(conflict._tag)
        : Effect.flatMap(findCharge(tenant, connectionId, about), (found) =>
            withDisputes(tenant, ownBook(Option.getOrUndefined(found), connectionId, about), about)
          ),
    decide: (found: DisputedBook | "MessageRecorded" | undefined, now, reused) => {
      if (found === "MessageRecorded") return done(decidedBefore)
      const { at, isLookedUp = false } = message
      const source = { via: "message", at, askedAt: now, isLookedUp } as const
      const { isOfCharge = false, meaning } =
        found === undefined ? {} : meaningOf(found, { ...message, ...source, connectionId }, reused, now)
      const told = meaning !== undefined && "applied" in meaning ? meaning.applied : undefined
      const before = found?.book ?? null
      const stated =
        found && isOfCharge
          ? statedIn(found, told?.payment ?? found.book.payment, connectionId, { about, source }, disputeId, now)
          : undefined
      const applied = told ?? (stated && found && nextVersionOf(found.book.payment))
      const decision = decidedMessage(stored, message, found?.book, meaning, message.removed)
      const { outcome } = decision.after
      if (before === null || applied === undefined) {
        const value: Decided = { outcome, learn: () => {} }
        return Effect.succeed({
          _tag: "Keep" as const,
          tenant,
          message: decision,
          seen: before?.payment ?? null,
          value
        })
      }
      const { payment, ...beside } = applied
      const step = { tenant, payment: movedPayment(before, payment), ...withStated(beside, stated), message: decision }
      const learn = () => {
        if (found !== undefined) learnFrom(learned, found.book, applied, now)
      }
      return Effect.succeed(write(step, { outcome, learn } satisfies Decided))
    },
    // Where it was written, the message is recorded.
    afterUnknown: () => false,
    storageErrors: "fail"
  }).pipe(Effect.mapError(asStorageError(`recording message ${message.id}`)))
  decided.learn()
  if (decided.outcome !== null) yield* Metric.update(messagesDecided(connectionId, decided.outcome), 1)
})

interface Decided {
  /** `null` where the message was decided before. */
  readonly outcome: MessageOutcome | null
  readonly learn: () => void
}

const decidedBefore: Decided = { outcome: null, learn: () => {} }

interface MessageStatement extends Source {
  readonly about: MessageAbout
  readonly connectionId: string
  readonly opened: Option.Option<Opened>
}

interface Meaning {
  readonly meaning: Interpretation
  /** Whether it is certain that the statement is about the charge of this payment. */
  readonly isOfCharge: boolean
}

const meaningOf = (
  found: MessageBook,
  { connectionId, opened, ...statement }: MessageStatement,
  reused: ReusedReference | undefined,
  now: number
): Meaning => {
  const elsewhere = Option.flatMapNullishOr(opened, ({ account, connection }) =>
    otherAccount(attemptOf(found.book, connectionId, statement.about), connection, account)
  )
  if (Option.isSome(elsewhere)) {
    const subject = subjectIn(found.book, connectionId, statement.about)
    const about = { _tag: "OtherAccount", subject, ...elsewhere.value } as const
    return { meaning: ofOtherAccount(found.book, connectionId, about, now), isOfCharge: false }
  }
  const contested = ofContested(found, connectionId, statement.about, now)
  if (contested !== undefined) return { meaning: contested, isOfCharge: false }
  const meaning = interpret(found.book, connectionId, statement, now)
  const applied = "applied" in meaning ? meaning.applied : undefined
  const isKept = reused === undefined || applied === undefined
  return { meaning: isKept ? meaning : ofReused(found.book, applied, reused, now), isOfCharge: true }
}

/** What another connection was asked is nothing of this one's. */
const ownBook = (
  found: MessageBook | undefined,
  connectionId: string,
  about: MessageAbout
): MessageBook | undefined => {
  return found !== undefined && isAboutBook(found.book, connectionId, about) ? found : undefined
}

const subjectIn = (book: PaymentBook, connectionId: string, about: MessageAbout): Subject => {
  const id = subjectIdOf(connectionId, about, book)
  if (about._tag === "Refund") return { refund_id: id }
  return about._tag === "Operation" ? { operation_id: id } : { attempt_id: id }
}
