/** The archive that the configuration file names. */
import { type ArchiveFile, archiveOptionsOf, understandArchive } from "@pointsman/configuration"
import { Effect, Layer, Result } from "effect"
import { mistaken, readConfigurationJson } from "./ReadJson.ts"
import { StartFailure } from "./StartFailure.ts"

/** Opens it without reaching it: a server starts, and takes payments, while its archive is down. */
export const archiveLayer = (archive: ArchiveFile | undefined): Layer.Layer<never, StartFailure> =>
  archive === undefined
    ? Layer.empty
    : Layer.unwrap(
        // Loaded where there is one.
        Effect.map(
          Effect.promise(() => import("@pointsman/archive")),
          ({ layer }) => layer(archiveOptionsOf(archive))
        )
      ).pipe(
        Layer.catchTag("pointsman/ArchiveError", (error) =>
          Layer.effectDiscard(
            Effect.fail(new StartFailure({ message: `The archive cannot be opened: ${error.reason}.` }))
          )
        )
      )

/** Only the field `archive` is read: other parts of the file may name secrets that this process does not have. */
export const archiveOfFile = Effect.fnUntraced(function* (
  path: string,
  environment: Readonly<Record<string, string | undefined>>
) {
  const archive = understandArchive(yield* readConfigurationJson(path), environment)
  return Result.isSuccess(archive) ? archive.success : yield* mistaken(path, archive.failure)
})
