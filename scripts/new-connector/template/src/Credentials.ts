/** What a connection's `credentials` hold for this provider. */
import { Redacted, Result } from "effect"

export interface Credentials {
  /** Without a slash at its end. */
  readonly url: string
  readonly apiKey: Redacted.Redacted<string>
}

/** Fails with the field and what was expected, never with the value. */
export const credentialsOf = (credentials: unknown): Result.Result<Credentials, string> => {
  const { apiKey, url } = Object(credentials) as Record<string, unknown>
  const parsed = typeof url === "string" ? URL.parse(url) : null
  if (typeof url !== "string" || parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== "") {
    return Result.fail("credentials.url: expected an absolute http or https URL without a user")
  }
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    return Result.fail("credentials.apiKey: expected printable ASCII text without spaces")
  }
  return Result.succeed({ url: url.replace(/\/+$/, ""), apiKey: Redacted.make(apiKey, { label: "API key" }) })
}
