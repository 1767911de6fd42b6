import * as Core from "@pointsman/core"
import { keyStorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { EncryptionRotation } from "../Records.ts"
import { fromStore } from "./Failures.ts"

export const rotateEncryption = Core.rotateEncryption().pipe(
  Effect.catchTag("pointsman/KeyUnavailable", (cause) => Effect.fail(keyStorageError("rotating the key")(cause))),
  fromStore,
  Effect.map(
    ({ left, resealed }): EncryptionRotation => ({
      resealed,
      left: [...left.byKey].map(([key, texts]) => ({ key, texts })),
      unreadable: left.unreadable.count
    })
  )
)
