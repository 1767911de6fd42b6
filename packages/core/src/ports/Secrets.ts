import { Context, type Effect, type Redacted, Schema } from "effect"

/** What was sealed cannot be opened: another key sealed it, or it was changed. */
export class SealBroken extends Schema.TaggedError<SealBroken>()("pointsman/SealBroken", { context: Schema.String }) {}

/** Keeps secrets at rest, and makes the marks by which we know requests and keys again without keeping them. */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** Encrypts for the store. `context` binds it to its place: it opens with the same context alone. */
    readonly seal: (plaintext: Redacted.Redacted<string>, context: string) => Effect.Effect<string>
    readonly open: (sealed: string, context: string) => Effect.Effect<Redacted.Redacted<string>, SealBroken>
    /** Keyed HMAC-SHA-256, lower-case hex: without the key nobody can try requests against it. */
    readonly fingerprint: (text: string) => Effect.Effect<string>
    /**
     * A lower-case UUIDv8 of a time in epoch milliseconds and a keyed HMAC-SHA-256: the same for the same text and time,
     * and not to be guessed without the key. It begins with the time as a UUIDv7 does, so that an index of such ids is
     * written where it was written last. The key must never change: a call to a provider is recognised by what was
     * derived with it (decisions, section 1).
     */
    readonly derivedUuid: (text: string, at: number) => Effect.Effect<string>
    /** The token in the address of a payment's hosted page: the same for the same payment, and not to be guessed. */
    readonly pageToken: (paymentId: string) => Effect.Effect<string>
    /** SHA-256, lower-case hex. For texts with the entropy of a key. */
    readonly hash: (text: string) => Effect.Effect<string>
  }
>()("pointsman/ports/Secrets") {}
