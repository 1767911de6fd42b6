/** Lets a command read the archive of the configuration file. */
import { Archive, type ArchiveError, type ArchiveService } from "@pointsman/core/ports"
import { Effect } from "effect"
import { archiveLayer, archiveOfFile } from "../ArchiveLayer.ts"
import { readSettings, type Settings } from "../Settings.ts"
import { StartFailure } from "../StartFailure.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { textsOf } from "./CommandHelp.ts"

export type Variables = Readonly<Record<string, string | undefined>>

export const archiveMissing = new StartFailure({
  message:
    "POINTSMAN_CONFIG (--config): expected the path of a configuration file with the field `archive`, which names " +
    "the folder or the bucket."
})

/** With the archive of the configuration file. No database is opened. */
export const onArchive = Effect.fnUntraced(function* <A, R>(
  texts: Parameters<typeof textsOf>[0],
  environment: Variables,
  act: (archive: ArchiveService, settings: Settings) => Effect.Effect<A, ArchiveError | CommandFailure, R>
) {
  const settings = yield* readSettings(textsOf(texts))
  const path = settings.configuration
  const file = path === null ? undefined : yield* archiveOfFile(path, environment)
  if (file === undefined) {
    return yield* archiveMissing
  }
  return yield* Effect.gen(function* () {
    const archive = yield* Archive
    if (archive === undefined) return yield* Effect.die("the archive was opened")
    return yield* act(archive, settings)
  }).pipe(
    Effect.provide(archiveLayer(file)),
    Effect.catchTag("pointsman/ArchiveError", ({ message }) =>
      Effect.fail(new CommandFailure({ message: `The archive failed: ${message}.` }))
    )
  )
})
