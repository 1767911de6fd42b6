/** What a connection's configuration says about its provider. */
import { Redacted, Result, Schema, SchemaIssue } from "effect"

const expectations = {
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
  // It stands in a header: anything else could not be sent, or would break the header's line.
  apiKey: Schema.String.check(Schema.isPattern(/^[\u0021-\u007e]+$/))
})

export interface Credentials {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string>
}

// A misspelt field must not be taken for one that is not needed.
const decodeFields = Schema.decodeUnknownResult(Fields, { onExcessProperty: "error" })
const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Fails with the field and what was expected. Effect's own message would show the value. */
export const decodeCredentials = (credentials: unknown): Result.Result<Credentials, string> =>
  Result.mapBoth(decodeFields(credentials), {
    onFailure: ({ issue }) => {
      const field = issues(issue).issues[0]?.path?.[0]
      if (field === "baseUrl" || field === "apiKey") return `credentials.${field}: expected ${expectations[field]}`
      return field === undefined
        ? "credentials: expected an object with baseUrl and apiKey"
        : `credentials.${String(field)}: there is no such field; expected baseUrl and apiKey`
    },
    onSuccess: ({ apiKey, baseUrl }) => ({
      baseUrl: baseUrl.replace(/\/+$/, ""),
      apiKey: Redacted.make(apiKey)
    })
  })
