import { StorageError, type StorageHandle } from "@pointsman/core/ports"
import { placeOf, urlExpected } from "@pointsman/storage-postgres/internal"
import { Effect, Layer, Redacted } from "effect"
import { type CitusStorageOptions, layer } from "./Layer.ts"

/**
 * Storage on a Citus cluster, for `createPointsman` of `@pointsman/node`. `url`: of the database at any of its nodes,
 * `postgres://user:password@host:port/database`. Options: as those of `layer`.
 */
export const citus = (url: string, options: Omit<CitusStorageOptions, "existing" | "url"> = {}): StorageHandle => {
  const place = placeOf(url)
  return {
    name: `PostgreSQL ${place ?? "(invalid URL)"}`,
    lasts: true,
    "~pointsman/storage": Layer.unwrap(
      place === undefined
        ? Effect.fail(new StorageError({ operation: "open", cause: new Error(urlExpected) }))
        : Effect.succeed(layer({ ...options, url: Redacted.make(url, { label: "database URL" }) }))
    )
  }
}
