import * as Configuration from "@pointsman/configuration"
import type { DirectoryContents } from "@pointsman/core/ports"
import { Effect } from "effect"
import { StartFailure } from "./StartFailure.ts"

/** Core's check, in the operator's words. */
export const checkSeals = (present: DirectoryContents) =>
  Effect.catchTag(Configuration.checkSeals(present), "pointsman/SealedWithAnotherKey", ({ context }) =>
    Effect.fail(
      new StartFailure({
        message:
          `The encryption key does not match the database: ${context} cannot be decrypted. Set ` +
          "POINTSMAN_ENCRYPTION_KEY to the key that the database was created with, or restore its key file."
      })
    )
  )
