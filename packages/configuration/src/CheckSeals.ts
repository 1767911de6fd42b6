import { type Connection, credentialsContext, endpointSecretContext, webhookSecretContext } from "@pointsman/core"
import { type DirectoryContents, keyStorageError, Ledger, Secrets } from "@pointsman/core/ports"
import { Effect, Schema } from "effect"

/** What is sealed in the store does not open: the encryption key is not the one that the store was made with. */
export class SealedWithAnotherKey extends Schema.TaggedError<SealedWithAnotherKey>()("pointsman/SealedWithAnotherKey", {
  /** Which of the sealed texts it is. */
  context: Schema.String
}) {}

interface Sealed {
  readonly text: string
  readonly context: string
  /** Whether anything new is sent with it. */
  readonly active: boolean
}

/**
 * Stops a start with another encryption key than the store was made with. Sealing anew would hide it: stored
 * fingerprints would no longer match, and a repeated request would be taken for another one.
 *
 * What a configuration removed may be sealed with a key that is gone. It stops no start as long as another text opens:
 * then the key is the right one.
 */
export const checkSeals = Effect.fnUntraced(function* (present: DirectoryContents) {
  const sealed = sealedIn(present)
  const unreadable: Array<Sealed> = []
  for (const one of sealed) {
    if (!(yield* opens(one.text, one.context))) unreadable.push(one)
  }
  const needed =
    unreadable.find(({ active }) => active) ?? (unreadable.length === sealed.length ? sealed[0] : undefined)
  if (needed !== undefined) return yield* new SealedWithAnotherKey({ context: needed.context })
})

const sealedIn = ({ connections, webhookEndpoints }: DirectoryContents): ReadonlyArray<Sealed> =>
  [
    ...connections.flatMap(({ active, id, sealedCredentials, sealedPreviousWebhookSecret, sealedWebhookSecret }) => [
      { text: sealedCredentials, context: credentialsContext(id), active },
      { text: sealedWebhookSecret, context: webhookSecretContext(id), active },
      { text: sealedPreviousWebhookSecret ?? null, context: webhookSecretContext(id), active }
    ]),
    ...webhookEndpoints.flatMap(({ active, id, sealedPreviousSecret, sealedSecret }) => [
      { text: sealedSecret, context: endpointSecretContext(id), active },
      { text: sealedPreviousSecret ?? null, context: endpointSecretContext(id), active }
    ])
  ].filter((one): one is Sealed => one.text !== null)

const opens = Effect.fnUntraced(function* (text: string, context: string) {
  return yield* (yield* Secrets).open(text, context).pipe(
    Effect.as(true),
    Effect.catchTags({
      "pointsman/KeyUnavailable": (cause) => Effect.fail(keyStorageError("checking sealed texts")(cause)),
      "pointsman/SealBroken": () => Effect.succeed(false)
    })
  )
})

/** What of a connection cannot be decrypted with this encryption key; `undefined`: nothing. */
export const unreadableOf = Effect.fnUntraced(function* (connection: Connection) {
  const { id, sealedCredentials, sealedPreviousWebhookSecret, sealedWebhookSecret } = connection
  if (!(yield* opens(sealedCredentials, credentialsContext(id)))) return "credentials" as const
  for (const sealed of [sealedWebhookSecret, sealedPreviousWebhookSecret ?? null]) {
    if (sealed !== null && !(yield* opens(sealed, webhookSecretContext(id)))) return "webhook secret" as const
  }
  return undefined
})

/** Of each connection no more are counted. */
const openAtMost = 500

/** By connection, how many of its payments the background still has to look up. */
export const openPayments = Effect.gen(function* () {
  const due = yield* (yield* Ledger).dueByConnection({ now: Number.MAX_SAFE_INTEGER, limit: openAtMost })
  const counts = new Map(due.map(({ connectionId, payments }) => [connectionId, payments]))
  return (connectionId: string): number => counts.get(connectionId) ?? 0
})

/** What follows for the payments of a connection that cannot be used, and what to do, as one sentence. */
export const openPaymentsText = (open: number): string => {
  const many = open >= openAtMost ? `${openAtMost} or more` : String(open)
  return (
    `${many} of its payments are open and cannot be looked up: configure the connection with its credentials again ` +
    "(with `active` false, it receives no new payments)"
  )
}

/** For the log of a start: each inactive connection that cannot be read, with what is open there. */
export const warnOfUnreadable = Effect.fnUntraced(function* ({ connections }: DirectoryContents) {
  const found: Array<readonly [Connection, string]> = []
  for (const connection of connections) {
    const what = connection.active ? undefined : yield* unreadableOf(connection)
    if (what !== undefined) found.push([connection, what])
  }
  if (found.length === 0) return
  const openAt = yield* openPayments
  for (const [{ id }, what] of found) {
    const open = openAt(id)
    yield* Effect.logWarning(
      `the ${what} of the inactive connection ${id} cannot be decrypted with this encryption key` +
        (open === 0 ? "" : `; ${openPaymentsText(open)}`)
    )
  }
})
