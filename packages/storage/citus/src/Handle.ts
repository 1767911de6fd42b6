import { StorageError, type StorageHandle } from "@pointsman/core/ports"
import { placeOf, urlExpected } from "@pointsman/storage-postgres/internal"
import { Effect, Layer, Redacted } from "effect"
import { type CitusStorageOptions, layer } from "./Layer.ts"

/**
 * Storage on a Citus cluster, for `createPointsman` of `@pointsman/node`. `url`: of the database at any of its nodes,
 * `postgres://user:password@host:port/database`. Options: as those of `layer`.
 */
export const citus = (
  url: string,
  options: Omit<CitusStorageOptions, "existing" | "readUrl" | "url"> & { readonly readUrl?: string | undefined } = {}
): StorageHandle => {
  const place = placeOf(url)
  const redacted = (text: string) => Redacted.make(text, { label: "database URL" })
  const readUrl = options.readUrl === undefined ? undefined : redacted(options.readUrl)
  return {
    name: `PostgreSQL ${place ?? "(invalid URL)"}`,
    lasts: true,
    "~pointsman/storage": Layer.unwrap(
      place === undefined
        ? Effect.fail(new StorageError({ operation: "open", cause: new Error(urlExpected) }))
        : Effect.succeed(layer({ ...options, url: redacted(url), readUrl }))
    )
  }
}
