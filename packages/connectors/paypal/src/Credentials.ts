/** What a connection's configuration says about its account at PayPal. */
import {
  credentialsReader,
  type Environment,
  HeaderText,
  ProviderUrl,
  withoutTrailingSlashes
} from "@pointsman/core/connector"
import { Redacted, Result, Schema } from "effect"

export const expectations = {
  clientId: "the client id of a REST app in printable ASCII without spaces or colons",
  clientSecret: "the secret of the same REST app in printable ASCII without spaces",
  baseUrl: "an https URL without user, query or fragment; http only for a loopback address"
} as const

/** https://developer.paypal.com/api/rest/authentication/: both are sent as `Basic` authentication, which a colon would split. */
const Fields = Schema.Struct({
  clientId: HeaderText.check(Schema.isPattern(/^[^:]+$/)),
  clientSecret: HeaderText,
  baseUrl: Schema.optionalKey(ProviderUrl)
})

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  /** Without a slash at its end. */
  readonly baseUrl: string
}

const read = credentialsReader(Fields, expectations, "clientId and clientSecret, and optionally baseUrl")

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (credentials: unknown, environment: Environment): Result.Result<Credentials, string> =>
  Result.map(read(credentials), ({ baseUrl, clientId, clientSecret }) => ({
    clientId,
    clientSecret: Redacted.make(clientSecret),
    baseUrl: withoutTrailingSlashes(baseUrl ?? hosts[environment])
  }))

/** https://developer.paypal.com/api/rest/requests/. Nothing in a client id says which of them it is of. */
const hosts = {
  sandbox: "https://api-m.sandbox.paypal.com",
  production: "https://api-m.paypal.com"
} as const satisfies Record<Environment, string>
