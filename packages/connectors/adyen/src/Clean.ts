/** Texts of the provider that end up in our own answers and records: without secrets, and fit to be kept. */
import { Redacted } from "effect"

/** Takes a connection's secrets out of a text that the provider wrote, and what a database may not store. */
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

/** Providers echo what they were sent. Control characters and halves of surrogate pairs cannot be stored everywhere. */
export const cleaner =
  (secrets: ReadonlyArray<Redacted.Redacted<string>>): Clean =>
  (text) =>
    textsOf(secrets)
      .reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
      .slice(0, maxTextLength)
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
