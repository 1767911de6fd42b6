/** Texts that Stripe wrote, made fit to be passed on: without secrets, and without what a database may not store. */
import { type Clean, cleaner as cleanerOf } from "@pointsman/core/connector"
import type { Redacted } from "effect"

/** Stripe's own form of a key in a message: its mode, asterisks, and its last characters. */
const maskedKey = /\b(?:sk|rk|pk)_(?:test|live)_[0-9A-Za-z*]+/g

/** With a client's secret anybody acts on the payment; with a webhook's, anybody writes its messages. */
const otherSecrets = /\b(?:[a-z]+_[0-9A-Za-z_]+?_secret|whsec)_[0-9A-Za-z%]+/g

/** Stripe tells in its messages what it was sent. */
export const cleaner = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Clean =>
  cleanerOf(secrets, [maskedKey, otherSecrets])
