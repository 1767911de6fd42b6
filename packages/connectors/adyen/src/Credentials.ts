/** What a connection's configuration says about its account at Adyen. */
import {
  credentialsReader,
  type Environment,
  HeaderText,
  ProviderUrl,
  withoutTrailingSlashes
} from "@pointsman/core/connector"
import { Redacted, Result, Schema } from "effect"

const expectations = {
  apiKey: "printable ASCII text without spaces",
  merchantAccount: "the merchant account's name: printable ASCII text without spaces, at most 80 characters",
  liveUrlPrefix:
    "the prefix of the live endpoints, as the Customer Area shows it under Developers, API URLs: letters, digits and hyphens",
  baseUrl: "an absolute https URL (http only for a loopback address) without user, query or fragment",
  returnUrl: "an absolute https URL, at most 1024 characters"
} as const

const names = "apiKey, merchantAccount, and optionally liveUrlPrefix (required in production), baseUrl, returnUrl"

const ReturnUrl = Schema.String.check(
  // The longest that Adyen recommends (https://docs.adyen.com/api-explorer/Checkout/72/post/payments).
  Schema.isMaxLength(1_024),
  Schema.makeFilter((text: string) => /^https:\/\/\S+$/u.test(text) && URL.canParse(text))
)

const Fields = Schema.Struct({
  apiKey: HeaderText,
  merchantAccount: Schema.String.check(Schema.isPattern(/^[\u0021-\u007e]{1,80}$/)),
  // It becomes a part of the host's name, which takes 63 characters up to the next dot.
  liveUrlPrefix: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,47}[A-Za-z0-9])?$/))
  ),
  baseUrl: Schema.optionalKey(ProviderUrl),
  returnUrl: Schema.optionalKey(ReturnUrl)
})

export interface Credentials {
  readonly apiKey: Redacted.Redacted<string>
  readonly merchantAccount: string
  /** Of the Checkout API with its version, without a slash at its end. */
  readonly baseUrl: string
  /** Where a redirect of a direct charge would lead. */
  readonly returnUrl: string
}

/** The version whose description the requests and answers were written by. */
export const apiVersion = "v72"

/**
 * Adyen wants an address with every payment (https://docs.adyen.com/api-explorer/Checkout/72/post/payments), and nobody
 * is led there from a direct charge: one that needs the customer is declined.
 */
const nobodysReturnUrl = "https://example.com/"

const read = credentialsReader(Fields, expectations, names)

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (
  credentials: unknown,
  environment: Environment
): Result.Result<Credentials, string> => {
  const decoded = read(credentials)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const { apiKey, baseUrl, liveUrlPrefix, merchantAccount, returnUrl } = decoded.success
  const base = baseUrl ?? (environment === "sandbox" ? testUrl : liveUrl(liveUrlPrefix))
  if (base === undefined) {
    return Result.fail(`credentials.liveUrlPrefix: expected in production ${expectations.liveUrlPrefix}`)
  }
  return Result.succeed({
    apiKey: Redacted.make(apiKey),
    merchantAccount,
    baseUrl: `${withoutTrailingSlashes(base)}/${apiVersion}`,
    returnUrl: returnUrl ?? nobodysReturnUrl
  })
}

// https://docs.adyen.com/development-resources/live-endpoints
const testUrl = "https://checkout-test.adyen.com"
const liveUrl = (prefix: string | undefined): string | undefined =>
  prefix === undefined ? undefined : `https://${prefix}-checkout-live.adyenpayments.com/checkout`
