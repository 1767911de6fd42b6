/** Texts that Mollie wrote, made fit to be passed on: without secrets, and without what a database may not store. */
import { type Clean, cleaner as cleanerOf } from "@pointsman/core/connector"
import type { Redacted } from "effect"

/** API keys and access tokens of Mollie (https://docs.mollie.com/reference/authentication). */
const keys = /\b(?:test|live|access)_[0-9A-Za-z]{20,}/gu

export const cleaner = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Clean => cleanerOf(secrets, [keys])
