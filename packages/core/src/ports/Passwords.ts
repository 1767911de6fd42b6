/** Hashes of passwords: slow on purpose, with a salt of their own, and compared in constant time. */
import { Context, type Effect, type Redacted, Schema } from "effect"

/** More passwords are waiting than the machine should hold. Nothing was hashed. */
export class PasswordsBusy extends Schema.TaggedError<PasswordsBusy>()("pointsman/PasswordsBusy", {}) {}

export interface Passwords {
  /** With the algorithm, its parameters and the salt in it. */
  readonly hash: (password: Redacted.Redacted<string>) => Effect.Effect<string, PasswordsBusy>
  /** `null` for a hash that does not exist: it takes as long as one that does, and is `false`. */
  readonly verify: (password: Redacted.Redacted<string>, hash: string | null) => Effect.Effect<boolean, PasswordsBusy>
}

/** Without them operators sign in by links alone. */
export const Passwords = Context.Reference<Passwords | undefined>("pointsman/ports/Passwords", {
  defaultValue: () => undefined
})
