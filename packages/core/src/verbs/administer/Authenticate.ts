import { Clock, Context, Effect, Option, Schema } from "effect"
import { environmentOfApiKey } from "../../model/ApiKey.ts"
import { Directory, type KeyHolder } from "../../ports/Directory.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { KeyUses } from "./KeyUses.ts"

/** The key is malformed, unknown, revoked, expired or used from another network. The error does not say which. */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("pointsman/KeyRefused", {}) {}

/** Whether the caller's address is in one of these networks (`ApiKey.networks`). */
export type ComesFrom = (networks: ReadonlyArray<string>) => boolean

/**
 * Who the key belongs to. A mistyped key is refused by its checksum, without asking the store. Without `comesFrom`, the
 * caller's address is unknown: a key that is limited to networks is refused.
 */
export const authenticate = Effect.fnUntraced(function* (key: string, comesFrom: ComesFrom = () => false) {
  if (environmentOfApiKey(key) === undefined) return yield* new KeyRefused()
  const context = yield* Effect.context<Secrets | Directory | KeyUses>()
  const hash = yield* Context.get(context, Secrets).hash(key)
  const holder: Option.Option<KeyHolder> = yield* Context.get(context, Directory).keyHolder(hash)
  if (Option.isNone(holder)) return yield* new KeyRefused()
  const { expiresAt, networks, revokedAt } = holder.value.apiKey
  if (revokedAt !== null) return yield* new KeyRefused()
  const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
  if (expiresAt !== null && expiresAt <= now) return yield* new KeyRefused()
  if (networks !== null && !comesFrom(networks)) return yield* new KeyRefused()
  const noting = Context.get(context, KeyUses).note({ hash: holder.value.apiKey.hash, at: now })
  if (noting !== undefined) yield* noting
  return holder.value
})
