/** What a connection's configuration says about its Stripe account. */
import {
  credentialsReader,
  type Environment,
  HeaderText,
  keyModeFault,
  ProviderUrl,
  withoutTrailingSlashes
} from "@pointsman/core/connector"
import { Redacted, Result, Schema } from "effect"

export const stripeUrl = "https://api.stripe.com"

export const expectations = {
  secretKey: "a secret or restricted Stripe key (sk_… or rk_…) in printable ASCII without spaces",
  baseUrl: "an https URL without user, query or fragment; http only for a loopback address",
  account: "a connected account's id (acct_…)"
} as const

/** A publishable key and a webhook's secret are the two that are taken for it by mistake (https://docs.stripe.com/keys). */
const SecretKey = HeaderText.check(Schema.makeFilter((key: string) => !/^(?:pk|whsec)_/.test(key)))

const Fields = Schema.Struct({
  secretKey: SecretKey,
  baseUrl: Schema.optionalKey(ProviderUrl),
  account: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^acct_[0-9A-Za-z]+$/)))
})

export interface Credentials {
  readonly secretKey: Redacted.Redacted<string>
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** The connected account that is charged; `null` for the key's own. */
  readonly account: string | null
  /** Of the key, which its prefix tells (https://docs.stripe.com/keys); that of the environment where it has none. */
  readonly mode: "test" | "live"
}

const read = credentialsReader(Fields, expectations, "secretKey, and optionally baseUrl and account")

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (
  credentials: unknown,
  environment: Environment
): Result.Result<Credentials, string> => {
  const decoded = read(credentials)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const { account, baseUrl, secretKey } = decoded.success
  const mode = /^[a-z]+_(test|live)_/.exec(secretKey)?.[1] as "test" | "live" | undefined
  const fault = keyModeFault("secretKey", mode, environment)
  if (fault !== undefined) return Result.fail(fault)
  return Result.succeed({
    secretKey: Redacted.make(secretKey),
    baseUrl: withoutTrailingSlashes(baseUrl ?? stripeUrl),
    account: account ?? null,
    mode: mode === "live" || (mode === undefined && environment === "production") ? "live" : "test"
  })
}
