/** Shared request and response handling. */
import type { CredentialKind, Given, HttpAnswer } from "@pointsman/node/connector"

/** The fields of a connection's `credentials`. */
export const credentials = { url: "url", apiKey: "secret" } as const satisfies Readonly<Record<string, CredentialKind>>

/** What each function of the connector receives besides its request. */
export type GivenByPointsman = Given<typeof credentials>

export interface Ask {
  /** Under the provider's address, with its first slash. Encode ids in it with `encodeURIComponent`. */
  readonly path: string
  /** Our id of the operation, which is the provider's idempotency key; none of a question about the account. */
  readonly id?: string
  /** Sent by POST; without one, the request is a GET. */
  readonly json?: unknown
}

/** One operation is one call of this. It throws `NotSent` or `Unanswered`: let both pass. */
export const ask = (given: GivenByPointsman, { id, json, path }: Ask): Promise<HttpAnswer> => {
  const { apiKey, url } = given.credentials
  const headers = { authorization: `Bearer ${apiKey}`, ...(id === undefined ? {} : { "idempotency-key": id }) }
  const address = `${url.replace(/\/+$/u, "")}${path}`
  return json === undefined ? given.http.get(address, { headers }) : given.http.post(address, { headers, json })
}

/** To be thrown for whatever is not as the provider's documentation says: it may have been executed. */
export const unreadable = ({ status }: HttpAnswer): Error =>
  new Error(`an answer with status ${status} that is not as the documentation says`)
