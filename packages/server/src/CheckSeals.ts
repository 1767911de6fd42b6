import type { DirectoryContents } from "@pointsman/core"
import * as Configuration from "@pointsman/core/configuration"
import { Effect } from "effect"
import { StartFailure } from "./StartFailure.ts"

/** Core's check, in the operator's words. */
export const checkSeals = (present: DirectoryContents) =>
  Effect.mapError(
    Configuration.checkSeals(present),
    ({ context }) =>
      new StartFailure({
        message:
          "The encryption key is not the one that this database was made with: what is sealed in it does not " +
          `open (${context}). Set POINTSMAN_ENCRYPTION_KEY to that key, or put its file back.`
      })
  )
