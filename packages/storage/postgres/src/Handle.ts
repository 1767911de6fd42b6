import { type Ids, StorageError, type StorageHandle, type StorageServices } from "@pointsman/core/ports"
import { Effect, Layer, Redacted } from "effect"
import { layer, type PostgresStorageOptions } from "./Layer.ts"

/** For `createPointsman` of `@pointsman/node`. `url`: `postgres://user:password@host:port/database`. */
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
  const { readUrl } = options
  return readUrl === undefined || placeOf(readUrl) !== undefined
    ? handleOf(url, readUrl, (urls) => layer({ ...options, ...urls }))
    : handleOf(url, undefined, () => refused(`readUrl: ${urlExpected}`))
}

interface Urls {
  readonly url: Redacted.Redacted
  readonly readUrl: Redacted.Redacted | undefined
}

export const handleOf = (
  url: string,
  readUrl: string | undefined,
  layerOf: (urls: Urls) => Layer.Layer<StorageServices, StorageError, Ids>
): StorageHandle => {
  const place = placeOf(url)
  const redacted = (text: string) => Redacted.make(text, { label: "database URL" })
  return {
    name: `PostgreSQL ${place ?? "(invalid URL)"}`,
    lasts: true,
    "~pointsman/storage":
      place === undefined
        ? refused(urlExpected)
        : layerOf({ url: redacted(url), readUrl: readUrl === undefined ? undefined : redacted(readUrl) })
  }
}

const refused = (reason: string): Layer.Layer<StorageServices, StorageError> =>
  Layer.effectContext(Effect.fail(new StorageError({ operation: "open", cause: new Error(reason) })))

const urlExpected =
  "expected postgres://user:password@host:port/database, with reserved characters percent-encoded, " +
  "such as %40 for @"

/**
 * Host and database: the rest of the URL may hold a password. An unescaped "@" or "/" in it would let a part of it pass
 * for one of them, which is shown.
 */
const placeOf = (url: string): string | undefined => {
  const parsed = URL.parse(url)
  if (parsed === null || !/^postgres(?:ql)?:$/u.test(parsed.protocol) || parsed.hash !== "") return undefined
  const isPlain = /^(?:\/[^/@]*)?$/u.test(parsed.pathname) && !parsed.search.includes("@")
  return isPlain ? `${parsed.host}${parsed.pathname}` : undefined
}
