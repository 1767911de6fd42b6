/** What adapters share in reading a connection's credentials. A refusal names a field, and never shows its value. */
import { Result, Schema } from "effect"
import type { Environment } from "../model/Tenant.ts"
import { pathOf } from "./WireFields.ts"

/** Printable ASCII without spaces. It is sent in a header: anything else could not be sent, or would break its line. */
export const HeaderText = Schema.String.check(Schema.isPattern(/^[\u0021-\u007e]+$/))

/** `127.0.0.1`, `[::1]` and `localhost`: nothing leaves the machine in the clear. */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** Where a provider is asked: https, or http only on this machine, without user, query or fragment. */
export const ProviderUrl = Schema.String.check(
  Schema.makeFilter((text: string) => {
    if (!URL.canParse(text) || /[?#\s]/.test(text)) return false
    const { hostname, password, protocol, username } = new URL(text)
    return `${username}${password}` === "" && (protocol === "https:" || (protocol === "http:" && isLoopback(hostname)))
  })
)

/**
 * Reads credentials; fails with the field and what was expected. A field that there is not is refused: a misspelt one
 * must not be taken for one that is not needed. `names`: all fields, in words.
 */
export const credentialsReader = <A>(
  schema: Schema.Decoder<A>,
  expected: Readonly<Record<string, string>>,
  names: string
): ((credentials: unknown) => Result.Result<A, string>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (credentials) =>
    Result.mapError(decode(credentials), (error) => {
      const [field] = pathOf(error)
      if (field === undefined) return `credentials: expected an object with ${names}`
      return Object.hasOwn(expected, field)
        ? `credentials.${field}: expected ${expected[field]}`
        : `credentials.${field}: unknown field; expected ${names}`
    })
}

/**
 * What is wrong with a key whose text says its mode; `undefined` where nothing is, or where it says none. A live key in the
 * sandbox would charge, and a test key in production would take no money.
 */
export const keyModeFault = (
  field: string,
  mode: "test" | "live" | undefined,
  environment: Environment
): string | undefined => {
  if (mode === "live" && environment === "sandbox") {
    return `credentials.${field}: expected a test key in the sandbox, but this is a live key`
  }
  if (mode === "test" && environment === "production") {
    return `credentials.${field}: expected a live key in production, but this is a test key`
  }
}
