/** The archive of payments that leave the store: in a folder, or in a bucket of an S3-compatible service. */
import { Archive, ArchiveError, type ArchiveService } from "@pointsman/core/ports"
import { Effect, Layer, type Scope } from "effect"
import { folderStore } from "./FolderStore.ts"
import { type ArchiveLimits, makeArchive } from "./ObjectArchive.ts"
import { type S3Options, s3Store } from "./S3Store.ts"

export { manifestJson, sumJson } from "./ArchiveManifests.ts"
export type { ArchiveLimits } from "./ObjectArchive.ts"
export type { S3Credentials, S3Options } from "./S3Store.ts"

/** Where the archive is. */
export type ArchiveOptions = { readonly folder: string } | { readonly s3: S3Options }

/** Opens no connection. Fails where the client of the service is not installed. */
export const make = (
  options: ArchiveOptions,
  limits: ArchiveLimits = {}
): Effect.Effect<ArchiveService, ArchiveError, Scope.Scope> =>
  "folder" in options
    ? Effect.succeed(makeArchive(folderStore(options.folder), limits))
    : Effect.map(
        Effect.acquireRelease(Effect.tryPromise({ try: () => s3Store(options.s3), catch: notInstalled }), (store) =>
          Effect.sync(store.close)
        ),
        (store) => makeArchive(store, limits)
      )

const notInstalled = (cause: unknown): ArchiveError =>
  new ArchiveError({
    operation: "open",
    reason:
      "the package @aws-sdk/client-s3 is not installed: install it beside Pointsman (npm install @aws-sdk/client-s3)",
    cause
  })

/** `Archive` for as long as the scope is open. */
export const layer = (options: ArchiveOptions, limits: ArchiveLimits = {}): Layer.Layer<never, ArchiveError> =>
  Layer.effect(Archive, make(options, limits))
