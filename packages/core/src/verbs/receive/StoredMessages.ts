/** What providers told, for operators: the messages that are stored, and how one is processed again after a fix. */
import { Clock, Effect, Option, Redacted, Result, Schema } from "effect"
import { OpenConnections } from "../../call/CallProvider.ts"
import type { Connection } from "../../model/Connection.ts"
import { type MessageNote, messageContext, type StoredMessage, type TenantMessage } from "../../model/StoredMessage.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger, type MessageQuery } from "../../ports/Ledger.ts"
import { keyStorageError, Secrets } from "../../ports/Secrets.ts"
import { page } from "../read/ReadPayments.ts"
import { decideMessage, readerOf } from "./ReceiveMessage.ts"

/** No connection has a message with this id. */
export class MessageNotFound extends Schema.TaggedError<MessageNotFound>()("pointsman/MessageNotFound", {}) {}

/** The message cannot be applied again; the reason is free of values. Nothing was written. */
export class MessageNotApplicable extends Schema.TaggedError<MessageNotApplicable>()("pointsman/MessageNotApplicable", {
  reason: Schema.String
}) {}

/** A stored message with its body as it came. */
export interface MessageFile extends TenantMessage {
  readonly body: string
}

/** Newest first; of all tenants unless one is named. */
export const messages = Effect.fnUntraced(function* (query: MessageQuery) {
  const ledger = yield* Ledger
  return page<TenantMessage>(query.limit, yield* ledger.messages({ ...query, limit: query.limit + 1 }))
})

/** Of whichever tenant. Fails with `SealBroken` where another encryption key sealed the body. */
export const message = Effect.fnUntraced(function* (connectionId: string, eventId: string) {
  const { body, isSealed, note, tenant } = yield* find(connectionId, eventId)
  const opened = isSealed ? Redacted.value(yield* open(connectionId, eventId, body)) : body
  return { ...note, tenant, body: opened } satisfies MessageFile
})

/**
 * Reads a stored message again, as its connector reads messages today, and decides it again. It is not verified again:
 * it was when it came. Gives the message as it is then.
 */
export const applyMessage = Effect.fnUntraced(function* (connectionId: string, eventId: string) {
  const stored = yield* find(connectionId, eventId)
  const { note, tenant } = stored
  if (note.outcome === "applied") return yield* new MessageNotApplicable({ reason: "it was applied already" })
  yield* decideMessage(tenant, note, yield* readAgain(stored))
  const after = yield* find(connectionId, eventId)
  return { ...after.note, tenant } satisfies TenantMessage
})

/** What a stored message says, as its connector reads messages today. */
export const readMessage = Effect.fnUntraced(function* (connectionId: string, eventId: string) {
  return yield* readAgain(yield* find(connectionId, eventId))
})

const readAgain = Effect.fnUntraced(function* ({ body, connection, isSealed, note }: Stored) {
  const reader = yield* storedReaderOf(connection)
  if (reader === undefined) return yield* new MessageNotApplicable({ reason: "its connection takes no messages" })
  if (reader.readStored === undefined) {
    return yield* new MessageNotApplicable({ reason: "its connector does not read stored messages" })
  }
  if (body === "") return yield* new MessageNotApplicable({ reason: "its body was erased" })
  const text = isSealed ? Redacted.value(yield* open(note.connectionId, note.eventId, body)) : body
  const read = yield* Effect.result(
    reader.readStored({ body: utf8.encode(text), secret: reader.secret, otherSecret: reader.previousSecret })
  )
  if (Result.isFailure(read)) {
    return yield* new MessageNotApplicable({ reason: `it cannot be read: ${read.failure.reason}` })
  }
  return read.success
})

/** What stored messages are read with, without verifying: after hints, connections may have no secret. */
const storedReaderOf = Effect.fnUntraced(function* (connection: Connection) {
  if (connection.sealedWebhookSecret !== null) return yield* readerOf(connection)
  const connector = yield* Effect.option((yield* OpenConnections).connector(connection))
  const { hints, readStored } = Option.getOrElse(connector, () => ({ hints: undefined, readStored: undefined }))
  return hints === undefined || readStored === undefined
    ? undefined
    : { secret: Redacted.make(""), previousSecret: undefined, readStored }
})

/** Messages at once, and for how long after its arrival a message may still find its charge. */
const batch = 100
const matchMillis = 30 * 24 * 60 * 60_000

/**
 * Applies the unmatched messages that name a charge by its provider's reference, where that reference has been recorded
 * since: of a charge that was not answered, a lookup or another message may state it days after a dispute. One query finds
 * them, so that the commits that record references need not look for messages.
 */
export const matchMessages = Effect.fnUntraced(function* () {
  const ledger = yield* Ledger
  const namesAttemptFrom = (yield* Clock.currentTimeMillis) - matchMillis
  const query = { outcome: "unmatched", namesAttemptFrom, limit: batch } as const
  let before: TenantMessage | undefined
  for (;;) {
    const found: ReadonlyArray<TenantMessage> = yield* ledger.messages({ ...query, before })
    // As they came.
    for (const { connectionId, eventId } of found.toReversed()) {
      yield* Effect.catchCause(applyMessage(connectionId, eventId), (cause) =>
        Effect.logWarning(`message ${eventId} of connection ${connectionId} could not be applied again`, cause)
      )
    }
    if (found.length < batch) return
    before = found.at(-1)
  }
})

const utf8 = new TextEncoder()

interface Stored extends Pick<StoredMessage, "body" | "isSealed"> {
  readonly connection: Connection
  readonly note: MessageNote
}

const find = Effect.fnUntraced(function* (connectionId: string, eventId: string) {
  const directory = yield* Directory
  const ledger = yield* Ledger
  // Connections are never deleted, and no two workspaces have one of the same id.
  const connection = yield* Effect.fromOption(yield* directory.connection(connectionId), () => new MessageNotFound())
  const tenant = { workspaceId: connection.workspaceId, environment: connection.environment }
  const found = yield* ledger.message(tenant, connectionId, eventId)
  const { body, isSealed, ...note } = yield* Effect.fromOption(found, () => new MessageNotFound())
  return { connection, tenant, body, isSealed, note: note satisfies MessageNote }
})

const open = (connectionId: string, eventId: string, sealed: string) =>
  Effect.flatMap(Secrets, (secrets) => secrets.open(sealed, messageContext(connectionId, eventId))).pipe(
    Effect.catchTag("pointsman/KeyUnavailable", (cause) => Effect.fail(keyStorageError("opening a message")(cause)))
  )
