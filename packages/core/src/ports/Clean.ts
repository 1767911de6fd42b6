/** Texts of a provider that end up in our own answers and records: without secrets, and fit to be kept. */
import type { Redacted } from "effect"
import { hideSecrets } from "./HideSecrets.ts"

/** Takes a connection's secrets out of a text that the provider wrote, and what a database may not store. */
export interface Clean {
  (text: string): string
  /** Whether the text shows a secret, in whatever form. A name that does is no name: it is kept as it is or not at all. */
  readonly shows: (text: string) => boolean
}

/** A page of text in the place of a message would end up in our own answers and records. */
const maxTextLength = 1_000

/**
 * Providers echo what they were sent. Control characters and halves of surrogate pairs cannot be stored everywhere.
 * `others`: what a provider's secrets look like that are not known, as global expressions.
 */
export const cleaner = (
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  others: ReadonlyArray<RegExp> = []
): Clean => {
  const hide = hideSecrets(secrets)
  const clean = (text: string) =>
    others
      .reduce((rest, other) => rest.replace(other, "***"), hide(text))
      .slice(0, maxTextLength)
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
  return Object.assign(clean, { shows: (text: string) => hide(text) !== text })
}
