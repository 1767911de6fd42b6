import { StorageError, type StorageHandle } from "@pointsman/core/ports"
import { Effect, Layer, Redacted } from "effect"
import { layer, type PostgresStorageOptions } from "./Layer.ts"

/**
 * Storage in a PostgreSQL database, for `createPointsman` of `@pointsman/node`. `url`: `postgres://user:password@host:port/database`.
 * Options: as those of `layer`.
 */
export const postgres = (
  url: string,
  options: Pick<
    PostgresStorageOptions,
    "allowAsyncCommit" | "maxConnections" | "statementTimeoutMillis" | "lockTimeoutMillis" | "maxReadLagMillis"
  > & {
    /** A streaming standby, as `url`: see `StandbyOptions`. */
    readonly readUrl?: string | undefined
  } = {}
): StorageHandle => {
  const place = placeOf(url)
  const { readUrl, ...others } = options
  const fault =
    place === undefined
      ? urlExpected
      : readUrl !== undefined && placeOf(readUrl) === undefined
        ? `readUrl: ${urlExpected}`
        : undefined
  const redacted = (text: string) => Redacted.make(text, { label: "database URL" })
  return {
    name: `PostgreSQL ${place ?? "(invalid URL)"}`,
    lasts: true,
    "~pointsman/storage": Layer.unwrap(
      fault === undefined
        ? Effect.succeed(
            layer({ ...others, url: redacted(url), readUrl: readUrl === undefined ? undefined : redacted(readUrl) })
          )
        : Effect.fail(new StorageError({ operation: "open", cause: new Error(fault) }))
    )
  }
}

export const urlExpected =
  "expected postgres://user:password@host:port/database, with reserved characters percent-encoded, " +
  "such as %40 for @"

/**
 * Host and database: the rest of the URL may hold a password. Where they are not plainly to be seen, as with an "@" or a
 * "/" in the password, a part of it would be taken for one of them: shown, and asked for in the network.
 */
export const placeOf = (url: string): string | undefined => {
  const parsed = URL.parse(url)
  if (parsed === null || !/^postgres(?:ql)?:$/u.test(parsed.protocol) || parsed.hash !== "") return undefined
  const isPlain = /^(?:\/[^/@]*)?$/u.test(parsed.pathname) && !parsed.search.includes("@")
  return isPlain ? `${parsed.host}${parsed.pathname}` : undefined
}
