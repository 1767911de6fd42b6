import type { StorageHandle } from "@pointsman/core"
import { Redacted } from "effect"
import { layer, type PostgresStorageOptions } from "./Layer.ts"

/**
 * Storage in a PostgreSQL database, for `createPointsman` of `@pointsman/node`. `url`: `postgres://user:password@host:port/database`.
 * Options: as those of `layer`.
 */
export const postgres = (
  url: string,
  options: Pick<PostgresStorageOptions, "maxConnections" | "statementTimeoutMillis" | "lockTimeoutMillis"> = {}
): StorageHandle => ({
  name: `PostgreSQL ${placeOf(url)}`,
  lasts: true,
  "~pointsman/storage": layer({ ...options, url: Redacted.make(url, { label: "database URL" }) })
})

/** Host and database: the rest of the URL may hold a password. */
const placeOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? "(not a URL)" : `${parsed.host}${parsed.pathname}`
}
