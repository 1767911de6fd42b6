/** Texts that Stripe wrote, made fit to be passed on: without secrets, and without what a database may not store. */
import { Redacted } from "effect"

export type Clean = (text: string) => string

/** A page of text in the place of a message would end up in our own answers and records. */
const maxTextLength = 1_000

/** A shorter "secret" is a placeholder, and hiding it would garble ordinary words. */
const minSecretLength = 4

const textsOf = (secrets: ReadonlyArray<Redacted.Redacted<string>>): ReadonlyArray<string> =>
  secrets.map((secret) => Redacted.value(secret)).filter((secret) => secret.length >= minSecretLength)

/** Whether a text shows a secret, written as it is or as an address writes it. */
export const shows = (text: string, secrets: ReadonlyArray<Redacted.Redacted<string>>): boolean =>
  textsOf(secrets).some((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)))

/** Stripe's own form of a key in a message: its mode, asterisks, and its last characters. */
const maskedKey = /\b(?:sk|rk|pk)_(?:test|live)_[0-9A-Za-z*]+/g

/** Stripe tells in its messages what it was sent. */
export const cleaner =
  (secrets: ReadonlyArray<Redacted.Redacted<string>>): Clean =>
  (text) =>
    textsOf(secrets)
      .reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
      .replace(maskedKey, "***")
      .slice(0, maxTextLength)
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
