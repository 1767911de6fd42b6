import * as Configuration from "@pointsman/configuration"
import type { DirectoryContents } from "@pointsman/core/ports"
import { Effect } from "effect"
import { mistaken } from "./ReadConfiguration.ts"

/** Core's step, in the operator's words. `path` is named in messages. */
export const applyConfiguration = (path: string, file: Configuration.ConfigurationFile, present: DirectoryContents) =>
  Effect.catchTag(Configuration.applyConfiguration(file, present), "pointsman/ConfigurationConflict", ({ mistakes }) =>
    mistaken(path, mistakes)
  )
