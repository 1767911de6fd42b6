/** Texts that Stripe wrote, made fit to be passed on: without secrets, and without what a database may not store. */
import { hideSecrets } from "@pointsman/core/connector"
import type { Redacted } from "effect"

export interface Clean {
  (text: string): string
  /** Whether the text shows one of the secrets, in whatever form. */
  readonly shows: (text: string) => boolean
}

/** A page of text in the place of a message would end up in our own answers and records. */
const maxTextLength = 1_000

/** Stripe's own form of a key in a message: its mode, asterisks, and its last characters. */
const maskedKey = /\b(?:sk|rk|pk)_(?:test|live)_[0-9A-Za-z*]+/g

/** With a client's secret anybody acts on the payment; with a webhook's, anybody writes its messages. */
const otherSecrets = /\b(?:[a-z]+_[0-9A-Za-z_]+?_secret|whsec)_[0-9A-Za-z%]+/g

/** Stripe tells in its messages what it was sent. */
export const cleaner = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Clean => {
  const hide = hideSecrets(secrets)
  const clean = (text: string) =>
    hide(text)
      .replace(maskedKey, "***")
      .replace(otherSecrets, "***")
      .slice(0, maxTextLength)
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
  return Object.assign(clean, { shows: (text: string) => hide(text) !== text })
}
