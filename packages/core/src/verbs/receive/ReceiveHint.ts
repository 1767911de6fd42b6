/**
 * An unsigned message that names one of the provider's objects (decision 50): the reason for one lookup, whose answer
 * is recorded as verified messages are. Nothing is stored before the provider answered, because anybody can send a
 * hint. If the process dies meanwhile, or the provider does not answer, the sender is not told that its message was
 * accepted, and sends it again.
 */
import { Effect, Option, Schema } from "effect"
import { askProvider, OpenConnections } from "../../call/CallProvider.ts"
import type { Connection } from "../../model/Connection.ts"
import { Unanswered } from "../../model/ProviderStatement.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { HintedMessage, UnsignedMessage } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"

/** The provider did not answer what a hint is the reason to ask. The message may come again. */
export class HintNotLookedUp extends Schema.TaggedError<HintNotLookedUp>()("pointsman/HintNotLookedUp", {
  /** Free of secrets. */
  reason: Schema.String
}) {}

/** A message without a signature that names one of its connection's provider's objects. Anybody may have sent it. */
export interface ReceivedHint {
  readonly connectionId: string
  readonly tenant: Tenant
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** The provider's reference of the object. */
  readonly hint: string
}

const hinted = "hint:"

/** The id under which what the provider stated after a hint is stored; a verified message of the same id is another one. */
export const hintedId = (id: string): string => `${hinted}${id}`

/** Whether a stored message came by a hint. */
export const isHinted = (eventId: string): boolean => eventId.startsWith(hinted)

/** The reference that a message names; `undefined` where the connection takes no hints, or the message is none. */
export const hintIn = Effect.fnUntraced(function* (connection: Connection, message: UnsignedMessage) {
  const connections = yield* OpenConnections
  const connector = yield* Effect.option(connections.connector(connection))
  const hints = Option.getOrUndefined(connector)?.hints
  return hints === undefined ? undefined : Option.getOrUndefined(yield* Effect.option(hints.read(message)))
})

/** What the provider states about the object now. */
export const lookUpHint = Effect.fnUntraced(function* ({ connectionId, hint }: ReceivedHint) {
  const connection = Option.getOrUndefined(yield* (yield* Directory).connection(connectionId))
  if (connection === undefined) return []
  const found = yield* askProvider<Stated>(
    connection,
    { operation: "look_up_hint", paymentId: null, subject: { hint } },
    ({ hints }) =>
      hints === undefined
        ? Effect.fail(new Unanswered({ reason: "the connection takes no hints" }))
        : Effect.map(hints.lookUp(hint), (messages) => ({ _tag: "Stated", messages }))
  )
  if (found._tag !== "Stated") {
    yield* Effect.logWarning(`a hint of connection ${connectionId} could not be looked up: ${found.reason}`)
    return yield* new HintNotLookedUp({ reason: found.reason })
  }
  return found.messages
})

interface Stated {
  readonly _tag: "Stated"
  readonly messages: ReadonlyArray<HintedMessage>
}
