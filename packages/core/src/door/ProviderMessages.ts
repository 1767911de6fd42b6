/** Providers' messages: verified, stored, applied, and listed for operators. */
import { Context, Effect } from "effect"
import type { TenantMessage } from "../model/StoredMessage.ts"
import type { MessageQuery } from "../ports/Ledger.ts"
import { ConnectionShares } from "../ports/PaymentSettings.ts"
import type { SealBroken } from "../ports/Secrets.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Page } from "../verbs/read/ReadPayments.ts"
import { makeHintShares } from "../verbs/receive/HintShares.ts"
import { makeMessageShares } from "../verbs/receive/MessageShares.ts"
import { HintNotLookedUp, type ReceivedHint } from "../verbs/receive/ReceiveHint.ts"
import {
  type IncomingMessage,
  recordHint,
  recordMessage,
  type VerifiedMessage,
  verifyMessage
} from "../verbs/receive/ReceiveMessage.ts"
import type { MessageRefused } from "../verbs/receive/RefuseMessage.ts"
import {
  applyMessage,
  type MessageFile,
  type MessageNotApplicable,
  type MessageNotFound,
  message,
  messages
} from "../verbs/receive/StoredMessages.ts"
import { type DoorContext, intentsAtConnection, requests } from "./DoorContext.ts"

export interface MessageMethods {
  /** Whether a message is its provider's; a refusal does not say why. A hint is not verified: limit it by source. */
  readonly verifyMessage: (
    incoming: IncomingMessage
  ) => Effect.Effect<VerifiedMessage | ReceivedHint, MessageRefused | StorageError>
  /**
   * Stores a provider's message, then applies it, once. It waits while as many of its connection as may are being
   * recorded. After a failure the provider may send it again: what is stored
   * and not applied yet is applied then. A hint is the reason for one lookup at the provider, whose answer is stored and
   * applied; hints of one object that come meanwhile have one more lookup together.
   */
  readonly recordMessage: (
    received: VerifiedMessage | ReceivedHint
  ) => Effect.Effect<void, StorageError | HintNotLookedUp>
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
}

export const messageMethods = (context: DoorContext): MessageMethods => {
  const { ask } = requests(context)
  const shares = Context.get(context, ConnectionShares)
  const inShare = makeMessageShares(shares.messages)
  const inHintShare = makeHintShares(shares.hints)
  const busy = () => new HintNotLookedUp({ reason: "too many objects of the connection are looked up already" })
  return {
    verifyMessage: (incoming) => ask(verifyMessage(incoming)),
    recordMessage: (received) =>
      "hint" in received
        ? inHintShare(
            { connectionId: received.connectionId, reference: received.hint },
            ask(recordHint(received)),
            busy
          )
        : inShare(received.connectionId, ask(recordMessage(received))),
    messages: (query) => Effect.provideContext(messages(query), context),
    message: (connectionId, eventId) => Effect.provideContext(message(connectionId, eventId), context),
    applyMessage: (connectionId, eventId) =>
      Effect.andThen(
        intentsAtConnection(context)("message.applying", connectionId, eventId, { connection_id: connectionId }),
        Effect.provideContext(applyMessage(connectionId, eventId), context)
      )
  }
}
