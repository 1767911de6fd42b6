/** Which configuration is served, and whether it is that of the file which this process was started with. */
import { Directory, type StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"

export interface ServedConfiguration {
  /** `null`: none was ever applied. */
  readonly generation: number | null
  /** `null`: this process was started without a file. */
  readonly file: "served" | "older" | null
}

/** `fileHash`: `null` for none. A file that was newer was applied, so that one that is not served is older. */
export const servedConfiguration = (
  fileHash: string | null
): Effect.Effect<ServedConfiguration, StorageError, Directory> =>
  Effect.gen(function* () {
    const newest = (yield* (yield* Directory).state).configurations.at(-1)
    return {
      generation: newest?.generation ?? null,
      file: fileHash === null ? null : newest?.hash === fileHash ? "served" : "older"
    }
  })
