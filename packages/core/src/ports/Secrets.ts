import { Context, type Effect, type Redacted, Schema } from "effect"
import { StorageError } from "./StorageError.ts"

/** What was sealed cannot be opened: another key sealed it, or it was changed. */
export class SealBroken extends Schema.TaggedError<SealBroken>()("pointsman/SealBroken", { context: Schema.String }) {}

/** The encryption key cannot be had at present: a key service does not answer. Trying again may succeed. */
export class KeyUnavailable extends Schema.TaggedError<KeyUnavailable>()("pointsman/KeyUnavailable", {
  /** Without secrets. */
  reason: Schema.String
}) {}

/** For those whose callers know failures of the storage: what is sealed is not at hand, and trying again may help. */
export const keyStorageError =
  (operation: string) =>
  (cause: KeyUnavailable): StorageError =>
    new StorageError({ operation, cause })

/** Keeps secrets at rest, and makes the marks by which we know requests and keys again without keeping them. */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** Encrypts for the store. `context` binds it to its place: it opens only with the same context. */
    readonly seal: (plaintext: Redacted.Redacted<string>, context: string) => Effect.Effect<string, KeyUnavailable>
    /** With the key that sealed it: the current one, or an earlier one that is still configured. */
    readonly open: (
      sealed: string,
      context: string
    ) => Effect.Effect<Redacted.Redacted<string>, SealBroken | KeyUnavailable>
    /** The id of the key that opens it; it is opened to find out. */
    readonly sealedBy: (sealed: string, context: string) => Effect.Effect<string, SealBroken | KeyUnavailable>
    /** Of all keys, the one that seals first: 16 lower-case hexadecimal digits each, which do not lead back to the key. */
    readonly keyIds: Effect.Effect<ReadonlyArray<string>, KeyUnavailable>
    /** Keyed HMAC-SHA-256, lower-case hex: without the key an attacker cannot try requests against it. */
    readonly fingerprint: (text: string) => Effect.Effect<string>
    /**
     * Keyed HMAC-SHA-256, lower-case hex, of which ids are made (`DerivedId.ts`): the same for the same text, and not to
     * be guessed without the key. The key must never change: a call to a provider is recognised by what was derived with
     * it (decision 30).
     */
    readonly derive: (text: string) => Effect.Effect<string>
    /** The token in the address of a payment's hosted page: the same for the same payment, and not to be guessed. */
    readonly pageToken: (paymentId: string) => Effect.Effect<string>
    /** SHA-256, lower-case hex. For texts with the entropy of a key. */
    readonly hash: (text: string) => Effect.Effect<string>
  }
>()("pointsman/ports/Secrets") {}
