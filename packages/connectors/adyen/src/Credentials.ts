/** What a connection's configuration says about its account at Adyen. */
import {
  credentialsReader,
  type Environment,
  HeaderText,
  ProviderUrl,
  withoutTrailingSlashes
} from "@pointsman/core/connector"
import { Redacted, Result, Schema } from "effect"

export const expectations = {
  apiKey: "printable ASCII text without spaces",
  reportKey: 'the API key of a report user with the role "Merchant Report Download role"',
  merchantAccount: "the merchant account's name: printable ASCII text without spaces, at most 80 characters",
  liveUrlPrefix:
    "the prefix of the live endpoints, as the Customer Area shows it under Developers, API URLs: letters, digits and hyphens",
  baseUrl: "an absolute https URL (http only for a loopback address) without user, query or fragment",
  reportsUrl: "an absolute https URL (http only for a loopback address) without user, query or fragment",
  returnUrl: "an absolute https URL, at most 1024 characters"
} as const

const names =
  "apiKey, merchantAccount, and optionally liveUrlPrefix (required in production), reportKey, baseUrl, reportsUrl, returnUrl"

const ReturnUrl = Schema.String.check(
  // The longest that Adyen recommends (https://docs.adyen.com/api-explorer/Checkout/72/post/payments).
  Schema.isMaxLength(1_024),
  Schema.makeFilter((text: string) => /^https:\/\/\S+$/u.test(text) && URL.canParse(text))
)

const Fields = Schema.Struct({
  apiKey: HeaderText,
  reportKey: Schema.optionalKey(HeaderText),
  merchantAccount: Schema.String.check(Schema.isPattern(/^[\u0021-\u007e]{1,80}$/)),
  // It becomes a part of the host's name, which takes 63 characters up to the next dot.
  liveUrlPrefix: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,47}[A-Za-z0-9])?$/))
  ),
  baseUrl: Schema.optionalKey(ProviderUrl),
  reportsUrl: Schema.optionalKey(ProviderUrl),
  returnUrl: Schema.optionalKey(ReturnUrl)
})

export interface Credentials {
  readonly apiKey: Redacted.Redacted<string>
  /** Of a report user, which is a credential of its own; `null` where reports are not fetched. */
  readonly reportKey: Redacted.Redacted<string> | null
  readonly merchantAccount: string
  /** Of the Checkout API with its version, without a slash at its end. */
  readonly baseUrl: string
  /** Of the Customer Area, without a slash at its end. */
  readonly reportsUrl: string
  /** Where a redirect of a direct charge would lead. */
  readonly returnUrl: string
}

/** The version whose description the requests and answers were written by. */
export const apiVersion = "v72"

/**
 * Adyen wants an address with every payment (https://docs.adyen.com/api-explorer/Checkout/72/post/payments), and no
 * customer is sent there from a direct charge: one that needs the customer is declined.
 */
const unusedReturnUrl = "https://example.com/"

const read = credentialsReader(Fields, expectations, names)

/** Why reports cannot be fetched; `undefined` where they can. */
export const reportsMissing = ({ reportKey }: Pick<Credentials, "reportKey">): string | undefined =>
  reportKey === null ? `credentials.reportKey: expected ${expectations.reportKey}` : undefined

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (
  credentials: unknown,
  environment: Environment
): Result.Result<Credentials, string> => {
  const decoded = read(credentials)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const { apiKey, baseUrl, liveUrlPrefix, merchantAccount, reportKey, reportsUrl, returnUrl } = decoded.success
  const base = baseUrl ?? (environment === "sandbox" ? testUrl : liveUrl(liveUrlPrefix))
  if (base === undefined) {
    return Result.fail(`credentials.liveUrlPrefix: expected in production ${expectations.liveUrlPrefix}`)
  }
  return Result.succeed({
    apiKey: Redacted.make(apiKey),
    reportKey: reportKey === undefined ? null : Redacted.make(reportKey),
    merchantAccount,
    baseUrl: `${withoutTrailingSlashes(base)}/${apiVersion}`,
    reportsUrl: withoutTrailingSlashes(reportsUrl ?? customerAreas[environment]),
    returnUrl: returnUrl ?? unusedReturnUrl
  })
}

// https://docs.adyen.com/development-resources/live-endpoints
const testUrl = "https://checkout-test.adyen.com"
const liveUrl = (prefix: string | undefined): string | undefined =>
  prefix === undefined ? undefined : `https://${prefix}-checkout-live.adyenpayments.com/checkout`

// https://docs.adyen.com/reporting/automatically-get-reports
const customerAreas = {
  sandbox: "https://ca-test.adyen.com",
  production: "https://ca-live.adyen.com"
} as const satisfies Record<Environment, string>
