/** What a connection's configuration says about its Mollie profile. */
import {
  credentialsReader,
  type Environment,
  HeaderText,
  keyModeFault,
  ProviderUrl,
  withoutTrailingSlashes
} from "@pointsman/core/connector"
import { Redacted, Result, Schema } from "effect"

const mollieUrl = "https://api.mollie.com"

export const expectations = {
  apiKey: "an API key of one profile (test_… or live_…) in printable ASCII without spaces",
  webhookUrl: "an https address of at most 1,024 characters that Mollie can reach; http only for a loopback address",
  reportToken: "an organization access token (access_…) with settlements.read and payments.read",
  baseUrl: "an https URL without user, query or fragment; http only for a loopback address"
} as const

/**
 * "Authenticates API requests for a single website profile" (`apiKey` in https://github.com/mollie/openapi). An access token
 * (`access_…`) is of a whole organization: every request would have to name the profile and the mode.
 */
const ApiKey = HeaderText.check(Schema.isPattern(/^(?:test|live)_/u))

const AccessToken = HeaderText.check(Schema.isPattern(/^access_/u))

const Fields = Schema.Struct({
  apiKey: ApiKey,
  reportToken: Schema.optionalKey(AccessToken),
  webhookUrl: Schema.optionalKey(ProviderUrl.check(Schema.isMaxLength(1_024))),
  baseUrl: Schema.optionalKey(ProviderUrl)
})

export interface Credentials {
  readonly apiKey: Redacted.Redacted<string>
  /** Of the organization, for its settlements alone; `null`: they are not fetched. */
  readonly reportToken: Redacted.Redacted<string> | null
  /** Where Mollie sends the id of each payment that changes; `null`: it sends none. */
  readonly webhookUrl: string | null
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Of the key; Mollie's objects name it. */
  readonly mode: "test" | "live"
}

const read = credentialsReader(Fields, expectations, "apiKey, and optionally reportToken, webhookUrl and baseUrl")

/** Why settlements cannot be fetched; `undefined` where they can. */
export const reportsMissing = ({ mode, reportToken }: Credentials): string | undefined => {
  if (mode === "test")
    return "credentials.apiKey: expected a key of the live mode: Mollie has no settlements in its test mode"
  return reportToken === null ? `credentials.reportToken: expected ${expectations.reportToken}` : undefined
}

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (
  credentials: unknown,
  environment: Environment
): Result.Result<Credentials, string> => {
  const decoded = read(credentials)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const { apiKey, baseUrl, reportToken, webhookUrl } = decoded.success
  const mode = apiKey.startsWith("live_") ? "live" : "test"
  const fault = keyModeFault("apiKey", mode, environment)
  if (fault !== undefined) return Result.fail(fault)
  return Result.succeed({
    apiKey: Redacted.make(apiKey),
    reportToken: reportToken === undefined ? null : Redacted.make(reportToken),
    webhookUrl: webhookUrl ?? null,
    baseUrl: withoutTrailingSlashes(baseUrl ?? mollieUrl),
    mode
  })
}
