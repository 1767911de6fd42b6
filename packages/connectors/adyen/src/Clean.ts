/** Texts of the provider that end up in our own answers and records: without secrets, and fit to be kept. */
import { hideSecrets } from "@pointsman/core/connector"
import type { Redacted } from "effect"

/** Takes a connection's secrets out of a text that the provider wrote, and what a database may not store. */
export interface Clean {
  (text: string): string
  /** Whether the text shows a secret, in whatever form. */
  readonly shows: (text: string) => boolean
}

/** A page of text in the place of a message would end up in our own answers and records. */
const maxTextLength = 1_000

/** Providers echo what they were sent. Control characters and halves of surrogate pairs cannot be stored everywhere. */
export const cleaner = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Clean => {
  const hide = hideSecrets(secrets)
  const clean = (text: string) =>
    hide(text)
      .slice(0, maxTextLength)
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
  return Object.assign(clean, { shows: (text: string) => hide(text) !== text })
}
