import * as Configuration from "@pointsman/configuration"
import { SecretsLayer } from "@pointsman/core"
import type { DirectoryContents } from "@pointsman/core/ports"
import { Effect, Layer } from "effect"
import { StartFailure } from "./StartFailure.ts"

/** Over the storage. Fails the start where no key opens what it needs. */
export const secretsLayer = (keys: SecretsLayer.EncryptionKeys) =>
  Layer.effectContext(
    Layer.build(SecretsLayer.layerRotating(Effect.succeed(keys))).pipe(
      Effect.catchTags({
        "pointsman/SealBroken": ({ context }) => doesNotMatch(context),
        "pointsman/KeyUnavailable": ({ reason }) =>
          Effect.fail(new StartFailure({ message: `The encryption key is unavailable: ${reason}.` }))
      })
    )
  )

const doesNotMatch = (context: string) =>
  Effect.fail(
    new StartFailure({
      message:
        `The encryption key does not match the database: ${context} cannot be decrypted. Set ` +
        "POINTSMAN_ENCRYPTION_KEY to the key that the database was created with or that it was rotated to, or restore " +
        "its key file."
    })
  )

/** Core's check, in the operator's words. */
export const checkSeals = (present: DirectoryContents) =>
  Effect.catchTag(Configuration.checkSeals(present), "pointsman/SealedWithAnotherKey", ({ context }) =>
    doesNotMatch(context)
  )
