/** Shared request and response handling. */
import {
  type ConnectorAccount,
  hideSecrets,
  type NotSent,
  type Transport,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { type Effect, Redacted, type Schema } from "effect"
import type { Credentials } from "./Credentials.ts"

export interface Ask {
  readonly method: "GET" | "POST"
  /** Under the provider's address, with its first slash. Encode ids in it with `encodeURIComponent`. */
  readonly path: string
  /** Our id of the operation, which is the provider's idempotency key; none of a question about the account. */
  readonly id?: string
  readonly body?: Schema.Json
}

/** One operation is one call of this. It fails with `NotSent` or `Unanswered`, by the transport's proof: let both pass. */
export const asking =
  ({ apiKey, url }: Credentials, { timeoutMillis }: ConnectorAccount, transport: Transport["Service"]) =>
  ({ body, id, method, path }: Ask): Effect.Effect<TransportAnswer, NotSent | Unanswered> =>
    transport.send({
      method,
      url: `${url}${path}`,
      headers: {
        authorization: `Bearer ${Redacted.value(apiKey)}`,
        ...(id === undefined ? {} : { "idempotency-key": id }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMillis
    })

/** For whatever is not as the provider's documentation says: it may have been executed. */
export const unreadable = ({ status }: TransportAnswer): Unanswered =>
  new Unanswered({ reason: `an answer with status ${status} that is not as the documentation says` })

/** Providers send back what they were sent, and their words end up in our answers and records. */
export const hiding = (secrets: ReadonlyArray<Redacted.Redacted<string> | null>): ((text: string) => string) =>
  hideSecrets(secrets.filter((secret) => secret !== null))
