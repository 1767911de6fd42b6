/** Hashes of passwords: slow on purpose, with a salt of their own, and compared in constant time. */
import { Context, type Effect, type Redacted } from "effect"

export interface Passwords {
  /** With the algorithm, its parameters and the salt in it. */
  readonly hash: (password: Redacted.Redacted<string>) => Effect.Effect<string>
  /** `null` for a hash that does not exist: it takes as long as one that does, and is `false`. */
  readonly verify: (password: Redacted.Redacted<string>, hash: string | null) => Effect.Effect<boolean>
}

/** Without them operators sign in by links alone. */
export const Passwords = Context.Reference<Passwords | undefined>("pointsman/ports/Passwords", {
  defaultValue: () => undefined
})
