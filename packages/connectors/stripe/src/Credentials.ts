/** What a connection's configuration says about its Stripe account. */
import type { Environment } from "@pointsman/core/connector"
import { Redacted, Result, Schema, SchemaIssue } from "effect"

const stripeUrl = "https://api.stripe.com"

const expectations = {
  secretKey: "a secret or restricted key of Stripe (sk_… or rk_…), printable ASCII without spaces",
  baseUrl: "an https URL without user, query or fragment; http at a loopback address alone",
  account: "a connected account's id (acct_…)"
} as const

/** `127.0.0.1`, `[::1]` and `localhost`: nothing leaves the machine in the clear. */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

const BaseUrl = Schema.String.check(
  Schema.makeFilter((text: string) => {
    if (!URL.canParse(text) || /[?#\s]/.test(text)) return false
    const { hostname, protocol, username, password } = new URL(text)
    return `${username}${password}` === "" && (protocol === "https:" || (protocol === "http:" && isLoopback(hostname)))
  })
)

/**
 * It stands in a header: anything else could not be sent, or would break the header's line. A publishable key and a
 * webhook's secret are the two that are taken for it by mistake (https://docs.stripe.com/keys).
 */
const SecretKey = Schema.String.check(
  Schema.isPattern(/^[\u0021-\u007e]+$/),
  Schema.makeFilter((key: string) => !/^(?:pk|whsec)_/.test(key))
)

const Fields = Schema.Struct({
  secretKey: SecretKey,
  baseUrl: Schema.optionalKey(BaseUrl),
  account: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^acct_[0-9A-Za-z]+$/)))
})

export interface Credentials {
  readonly secretKey: Redacted.Redacted<string>
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** The connected account that is charged; `null` for the key's own. */
  readonly account: string | null
}

// A misspelt field must not be taken for one that is not needed.
const decodeFields = Schema.decodeUnknownResult(Fields, { onExcessProperty: "error" })
const issues = SchemaIssue.makeFormatterStandardSchemaV1()

const isField = (name: unknown): name is keyof typeof expectations =>
  typeof name === "string" && Object.hasOwn(expectations, name)

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (
  credentials: unknown,
  environment: Environment
): Result.Result<Credentials, string> => {
  const decoded = decodeFields(credentials)
  if (Result.isFailure(decoded)) {
    const field = issues(decoded.failure.issue).issues[0]?.path?.[0]
    if (isField(field)) return Result.fail(`credentials.${field}: expected ${expectations[field]}`)
    return Result.fail(
      field === undefined
        ? "credentials: expected an object with secretKey, and optionally baseUrl and account"
        : `credentials.${String(field)}: there is no such field; expected secretKey, baseUrl and account`
    )
  }
  const { account, baseUrl, secretKey } = decoded.success
  const mode = /^[a-z]+_(test|live)_/.exec(secretKey)?.[1]
  if (mode === "live" && environment === "sandbox") {
    return Result.fail("credentials.secretKey: expected a test key in the sandbox, and this one is of live mode")
  }
  if (mode === "test" && environment === "production") {
    return Result.fail("credentials.secretKey: expected a live key in production, and this one is of test mode")
  }
  return Result.succeed({
    secretKey: Redacted.make(secretKey),
    baseUrl: (baseUrl ?? stripeUrl).replace(/\/+$/, ""),
    account: account ?? null
  })
}
