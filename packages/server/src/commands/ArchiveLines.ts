/** Whether the archive of the configuration file can be reached. */
import { constants, existsSync } from "node:fs"
import { access } from "node:fs/promises"
import { dirname } from "node:path"
import { Archive } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { archiveLayer, archiveOfFile } from "../ArchiveLayer.ts"
import type { Settings } from "../Settings.ts"
import { type CheckLine, ok, wrong } from "./Checkup.ts"

/** A mistake in the field is one of the configuration file, which has its own lines. */
export const archiveLines = Effect.fnUntraced(function* (
  { configuration }: Settings,
  environment: Readonly<Record<string, string | undefined>>
) {
  const file =
    configuration === null ? Result.succeed(undefined) : yield* Effect.result(archiveOfFile(configuration, environment))
  if (Result.isFailure(file)) return []
  if (file.success === undefined) {
    const none = "no archive is configured: payments that leave the store by retention are not kept"
    return [ok("archive", none)] satisfies ReadonlyArray<CheckLine>
  }
  const { folder } = file.success
  if (folder !== undefined && (yield* isToBeMade(folder))) {
    return [
      ok("archive", `${folder} is created when the first payments are archived`)
    ] satisfies ReadonlyArray<CheckLine>
  }
  const reached = yield* Effect.result(
    Effect.gen(function* () {
      const archive = yield* Archive
      yield* archive?.reach ?? Effect.void
      return archive?.location ?? ""
    }).pipe(Effect.provide(archiveLayer(file.success)))
  )
  return [
    Result.isSuccess(reached)
      ? ok("archive", `${reached.success} can be reached`)
      : wrong("archive", "reason" in reached.failure ? reached.failure.reason : reached.failure.message)
  ] satisfies ReadonlyArray<CheckLine>
})

/** Whether the folder does not exist and can be made. */
const isToBeMade = (folder: string) =>
  Effect.promise(async () => {
    const may = constants.W_OK | constants.X_OK
    return (
      !existsSync(folder) &&
      (await access(dirname(folder), may).then(
        () => true,
        () => false
      ))
    )
  })
