/**
 * A provider's message: known to be the provider's, and recorded with what it changes (specification, inbound provider
 * webhook; decisions, sections 3 and 10).
 *
 * The rule that a reader would otherwise break: whoever cannot sign learns nothing. A connection that does not exist,
 * one without a secret, and a wrong signature are one answer, after about the same work. What a message changes and its
 * id are written in one commit, so that a message that comes again changes nothing, whenever it does.
 */
import { Clock, Effect, Option, Redacted, Result, Schema } from "effect"
import { Mac } from "effect/crypto"
import type { EventDraft } from "../events/Event.ts"
import { factDecisionsAtMost } from "../payment/Insistently.ts"
import { Turns } from "../payment/Turns.ts"
import type { Connector, MessageAbout, ProviderMessage } from "../ports/Connector.ts"
import { Directory } from "../ports/Directory.ts"
import {
  Ledger,
  type MessageBook,
  type MessageNote,
  type MessageSubject,
  type PaymentBook,
  type StoredMessage
} from "../ports/Ledger.ts"
import { Secrets } from "../ports/Secrets.ts"
import { StorageError } from "../ports/StorageError.ts"
import type { Connection } from "../routing/Connection.ts"
import { OpenConnections, webhookSecretContext } from "../routing/OpenConnections.ts"
import { LearnedRates } from "../routing/success/LearnedRates.ts"
import type { Tenant } from "../workspace/Tenant.ts"
import { applyMessage, attemptNamed } from "./MessageFact.ts"
import { signatureHeader, verifySignature } from "./Signature.ts"

/** The message is refused. There is one refusal, whatever the reason: see the log. */
export class MessageRefused extends Schema.TaggedError<MessageRefused>()("pointsman/MessageRefused", {}) {}

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
  readonly body: string
  /** `null` where nobody understands it. */
  readonly message: ProviderMessage | null
}

export const verifyMessage = Effect.fnUntraced(function* (incoming: IncomingMessage) {
  const directory = yield* Directory
  const receivedAt = yield* Clock.currentTimeMillis
  const { body, connectionId, headers } = incoming
  const found = Option.getOrUndefined(yield* directory.connection(connectionId))
  const reader = found === undefined ? undefined : yield* readerOf(found)
  if (found === undefined || reader === undefined) return yield* refuseSlowly(incoming, receivedAt)
  const read = yield* Effect.result(reader.readMessage({ headers, body, secret: reader.secret, receivedAt }))
  const { environment, workspaceId } = found
  const verified = { connectionId, tenant: { workspaceId, environment }, receivedAt, body: utf8.decode(body) }
  if (Result.isSuccess(read)) return { ...verified, message: read.success } satisfies VerifiedMessage
  if (read.failure._tag === "pointsman/MessageUnverified") {
    yield* Effect.logWarning(`a message to connection ${connectionId} was refused: ${read.failure.reason}`)
    return yield* new MessageRefused()
  }
  // Its provider would send it again and again, and it would not become readable.
  yield* Effect.logError(`a message to connection ${connectionId} cannot be read: ${read.failure.reason}`)
  return { ...verified, message: null } satisfies VerifiedMessage
})

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

interface Reader {
  readonly secret: Redacted.Redacted<string>
  readonly readMessage: NonNullable<Connector["readMessage"]>
}

/** What the connection's messages are read with; `undefined` where it can have none. */
const readerOf = Effect.fnUntraced(function* (connection: Connection) {
  const { id, sealedWebhookSecret } = connection
  if (sealedWebhookSecret === null) return undefined
  const secrets = yield* Secrets
  const connections = yield* OpenConnections
  const opened = yield* Effect.result(secrets.open(sealedWebhookSecret, webhookSecretContext(id)))
  const connector = yield* Effect.result(connections.connector(connection))
  if (Result.isFailure(opened)) {
    yield* Effect.logError(`the webhook secret of connection ${id} cannot be opened with this encryption key`)
    return undefined
  }
  if (Result.isFailure(connector)) {
    yield* Effect.logError(`connection ${id} takes no messages: ${connector.failure.reason}`)
    return undefined
  }
  const { readMessage } = connector.success
  return readMessage === undefined ? undefined : ({ secret: opened.success, readMessage } satisfies Reader)
})

/** Nobody's secret: it is checked against, so that the refusal takes as long as that of a wrong signature. */
const nobodys = Redacted.make("whsec_of_no_connection")

const refuseSlowly = Effect.fnUntraced(function* ({ body, headers }: IncomingMessage, receivedAt: number) {
  yield* verifySignature(headers[signatureHeader], [nobodys], body, Math.floor(receivedAt / 1000)).pipe(
    Effect.provide(Mac.layerWebCrypto),
    Effect.ignore
  )
  return yield* new MessageRefused()
})

/** Records a message with what it changes; succeeds where that was done before. After a failure it may come again. */
export const recordMessage = Effect.fnUntraced(function* (verified: VerifiedMessage) {
  const { message, tenant } = verified
  if (message === null) return
  const ledger = yield* Ledger
  const turns = yield* Turns
  const found = Option.getOrUndefined(yield* ledger.bookOf(tenant, subjectOf(verified.connectionId, message.about)))
  if (found === undefined) {
    yield* Effect.logWarning(`message ${message.id} of connection ${verified.connectionId} is about nothing of ours`)
  }
  const record = decideAndWrite(verified, message)
  return yield* found === undefined ? record : turns.take(found.book.payment.id)(record)
})

const subjectOf = (connectionId: string, about: MessageAbout): MessageSubject => {
  if (about._tag === "Refund") return { refundId: about.refundId }
  return "attemptId" in about.charge ? about.charge : { connectionId, ...about.charge }
}

const decideAndWrite = Effect.fnUntraced(function* (verified: VerifiedMessage, message: ProviderMessage) {
  const ledger = yield* Ledger
  const learned = yield* LearnedRates
  const { connectionId, tenant } = verified
  let failure: unknown = "other writers kept winning"
  for (let decision = 0; decision < factDecisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    const found = ownBook(
      Option.getOrUndefined(yield* ledger.bookOf(tenant, subjectOf(connectionId, message.about))),
      connectionId,
      message.about
    )
    const applied = found === undefined ? undefined : applyMessage(found, connectionId, message, now)
    const before = found?.book.payment
    const stored = storedMessage(verified, message, found?.book, isHeard(message.about, applied?.events ?? []))
    const written = yield* Effect.result(
      before === undefined || applied === undefined
        ? ledger.keepMessage(
            tenant,
            stored,
            before === undefined ? null : { paymentId: before.id, version: before.version }
          )
        : ledger.commit({
            tenant,
            payment: { expected: before.version, after: applied.payment },
            attempts: applied.attempts,
            operations: applied.operations,
            refunds: applied.refunds,
            events: applied.events,
            message: stored
          })
    )
    if (Result.isSuccess(written)) {
      for (const attempt of applied?.attempts ?? []) {
        const earlier = found?.book.attempts.find(({ id }) => id === attempt.id)?.outcome ?? null
        if (before !== undefined) learned.learn(before, earlier, attempt, now)
      }
      return
    }
    if (written.failure._tag === "pointsman/MessageTaken") return
    if (written.failure._tag === "pointsman/StorageError") return yield* written.failure
    // After a commit that nobody answered too: where it was written, the message is taken.
    failure = written.failure
  }
  return yield* new StorageError({ operation: `recording message ${message.id}`, cause: failure })
})

/** What another connection was asked is nothing of this one's. */
const ownBook = (
  found: MessageBook | undefined,
  connectionId: string,
  about: MessageAbout
): MessageBook | undefined => {
  if (found === undefined) return undefined
  const asked =
    about._tag === "Refund"
      ? found.book.refunds.find((one) => one.id === about.refundId && one.connectionId === connectionId)
      : attemptNamed(found.book, connectionId, about.charge)
  return asked === undefined ? undefined : found
}

/** Our id of it where we know it: what was told under the provider's name and under ours is about one thing. */
const subjectIdOf = (connectionId: string, about: MessageAbout, book: PaymentBook | undefined): string => {
  if (about._tag === "Refund") return about.refundId
  const { charge } = about
  if ("attemptId" in charge) return charge.attemptId
  return (book === undefined ? undefined : attemptNamed(book, connectionId, charge)?.id) ?? charge.providerRef
}

/** A settlement may tell of money alone that was taken beside the payment's: the payment itself is settled later. */
const isHeard = ({ _tag }: MessageAbout, events: ReadonlyArray<EventDraft>): boolean =>
  _tag === "Settled" ? events.some(({ type }) => type === "payment.settled") : events.length > 0

const kindOf = { Charge: "charge", Refund: "refund", Settled: "settlement", Dispute: "dispute" } as const

const storedMessage = (
  { body, connectionId, receivedAt }: VerifiedMessage,
  { about, at, id }: ProviderMessage,
  book: PaymentBook | undefined,
  isApplied: boolean
): StoredMessage => ({
  connectionId,
  eventId: id,
  paymentId: book?.payment.id ?? null,
  about: kindOf[about._tag] satisfies MessageNote["about"],
  subjectId: subjectIdOf(connectionId, about, book),
  disputeId: about._tag === "Dispute" ? about.disputeId : null,
  verdict: about._tag === "Dispute" ? about.verdict : null,
  isApplied,
  writtenAt: at,
  receivedAt,
  body
})
