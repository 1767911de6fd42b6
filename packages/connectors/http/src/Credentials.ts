/** What a connection's configuration says about its provider. */
import { credentialsReader, HeaderText, withoutTrailingSlashes } from "@pointsman/core/connector"
import { Redacted, Result, Schema } from "effect"

export const expectations = {
  baseUrl: "an absolute http or https URL without user, query or fragment",
  apiKey: "printable ASCII text without spaces"
} as const

const BaseUrl = Schema.String.check(
  Schema.makeFilter((text: string) => {
    if (!URL.canParse(text)) return false
    const { protocol, username, password, search, hash } = new URL(text)
    return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "" && !/[?#\s]/.test(text)
  })
)

const Fields = Schema.Struct({
  baseUrl: BaseUrl,
  apiKey: HeaderText
})

export interface Credentials {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string>
}

const read = credentialsReader(Fields, expectations, "baseUrl and apiKey")

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (credentials: unknown): Result.Result<Credentials, string> =>
  Result.map(read(credentials), ({ apiKey, baseUrl }) => ({
    baseUrl: withoutTrailingSlashes(baseUrl),
    apiKey: Redacted.make(apiKey)
  }))
