import { Effect, Option, Schema } from "effect"
import { environmentOfApiKey } from "../../model/ApiKey.ts"
import { Directory, type KeyHolder } from "../../ports/Directory.ts"
import { Secrets } from "../../ports/Secrets.ts"

/** The key is malformed, unknown or revoked. Which of them is not told. */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("pointsman/KeyRefused", {}) {}

/** Who the key belongs to. A mistyped key is refused by its checksum, without asking the store. */
export const authenticate = Effect.fnUntraced(function* (key: string) {
  if (environmentOfApiKey(key) === undefined) return yield* new KeyRefused()
  const secrets = yield* Secrets
  const directory = yield* Directory
  const holder: Option.Option<KeyHolder> = yield* directory.keyHolder(yield* secrets.hash(key))
  if (Option.isNone(holder) || holder.value.apiKey.revokedAt !== null) return yield* new KeyRefused()
  return holder.value
})
