/** What a connection's `credentials` hold for this provider. */
import { credentialsReader, HeaderText, ProviderUrl, withoutTrailingSlashes } from "@pointsman/core/connector"
import { Redacted, Result, Schema } from "effect"

export interface Credentials {
  /** Without a slash at its end. */
  readonly url: string
  readonly apiKey: Redacted.Redacted<string>
}

const read = credentialsReader(
  Schema.Struct({ url: ProviderUrl, apiKey: HeaderText }),
  {
    url: "an https URL, or an http URL of this machine, without query or fragment",
    apiKey: "printable ASCII text without spaces"
  },
  "url and apiKey"
)

/** Fails with the field and what was expected, never with the value. */
export const credentialsOf = (credentials: unknown): Result.Result<Credentials, string> =>
  Result.map(read(credentials), ({ apiKey, url }) => ({
    url: withoutTrailingSlashes(url),
    apiKey: Redacted.make(apiKey, { label: "API key" })
  }))
