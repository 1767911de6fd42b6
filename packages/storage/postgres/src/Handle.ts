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
    "allowAsyncCommit" | "distributed" | "maxConnections" | "statementTimeoutMillis" | "lockTimeoutMillis"
  > = {}
): StorageHandle => {
  const place = placeOf(url)
  return {
    name: `PostgreSQL ${place ?? "(invalid URL)"}`,
    lasts: true,
    "~pointsman/storage": Layer.unwrap(
      place === undefined
        ? Effect.fail(new StorageError({ operation: "open", cause: new Error(expected) }))
        : Effect.succeed(layer({ ...options, url: Redacted.make(url, { label: "database URL" }) }))
    )
  }
}

const expected =
  "expected postgres://user:password@host:port/database, with reserved characters percent-encoded, " +
  "such as %40 for @"

/**
 * Host and database: the rest of the URL may hold a password. Where they are not plainly to be seen, as with an "@" or a
 * "/" in the password, a part of it would be taken for one of them: shown, and asked for in the network.
 */
const placeOf = (url: string): string | undefined => {
  const parsed = URL.parse(url)
  if (parsed === null || !/^postgres(?:ql)?:$/u.test(parsed.protocol) || parsed.hash !== "") return undefined
  const isPlain = /^(?:\/[^/@]*)?$/u.test(parsed.pathname) && !parsed.search.includes("@")
  return isPlain ? `${parsed.host}${parsed.pathname}` : undefined
}
