/** What a connection's configuration says about its account at Checkout.com. */
import {
  credentialsReader,
  type Environment,
  HeaderText,
  ProviderUrl,
  withoutTrailingSlashes
} from "@pointsman/core/connector"
import { Redacted, Result, Schema } from "effect"

export const expectations = {
  secretKey: "a secret key (sk_… or sk_sbox_…) in printable ASCII without spaces",
  prefix: "the prefix of the account's base URL: the first eight characters of the client id after cli_",
  processingChannelId: "a processing channel's id: pc_ and 26 letters and digits",
  baseUrl: "an https URL without user, query or fragment; http only for a loopback address"
} as const

/**
 * https://www.checkout.com/docs/developer-resources/api/manage-api-keys/api-keys. A public key is the one that is taken for
 * it by mistake. The official SDKs accept `sk_` with an optional `sbox_` (`StaticKeysSdkCredentials.cs` of
 * https://github.com/checkout/checkout-sdk-net).
 */
const SecretKey = HeaderText.check(Schema.isPattern(/^sk_\S+$/))

const Fields = Schema.Struct({
  secretKey: SecretKey,
  // It becomes a part of the host's name. The SDKs take `pl-` before it for a private link (`EnvironmentSubdomain.js` of
  // https://github.com/checkout/checkout-sdk-node).
  prefix: Schema.String.check(Schema.isPattern(/^(?:pl-)?[a-z0-9]{1,59}$/)),
  // https://api-reference.checkout.com/tag/Payment-Links
  processingChannelId: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^pc_\w{26}$/))),
  baseUrl: Schema.optionalKey(ProviderUrl)
})

export interface Credentials {
  readonly secretKey: Redacted.Redacted<string>
  /** Names the account: each account has its own. */
  readonly prefix: string
  /** `null` where the key is of one channel alone. */
  readonly processingChannelId: string | null
  /** Without a slash at its end. */
  readonly baseUrl: string
}

const read = credentialsReader(
  Fields,
  expectations,
  "secretKey and prefix, and optionally processingChannelId and baseUrl"
)

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (
  credentials: unknown,
  environment: Environment
): Result.Result<Credentials, string> => {
  const decoded = read(credentials)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const { baseUrl, prefix, processingChannelId, secretKey } = decoded.success
  const isOfSandbox = secretKey.startsWith("sk_sbox_")
  if (environment === "sandbox" && !isOfSandbox) {
    return Result.fail("credentials.secretKey: expected a sandbox key (sk_sbox_…) in the sandbox")
  }
  if (environment === "production" && isOfSandbox) {
    return Result.fail("credentials.secretKey: expected a live key in production, but this is a sandbox key")
  }
  return Result.succeed({
    secretKey: Redacted.make(secretKey),
    prefix,
    processingChannelId: processingChannelId ?? null,
    baseUrl: withoutTrailingSlashes(baseUrl ?? `https://${prefix}.${hosts[environment]}`)
  })
}

/** https://www.checkout.com/docs/developer-resources/api/api-endpoints */
const hosts = {
  sandbox: "api.sandbox.checkout.com",
  production: "api.checkout.com"
} as const satisfies Record<Environment, string>
