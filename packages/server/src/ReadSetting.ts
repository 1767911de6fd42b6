/** What the text of a setting means; nothing where it is no such value. */
import { readDelay } from "@pointsman/configuration"
import { SecretsLayer } from "@pointsman/core"
import { Option, type Redacted, Result } from "effect"

export const readInteger =
  (minimum: number, maximum: number) =>
  (text: string): Option.Option<number> => {
    const value = /^\d{1,10}$/u.test(text) ? Number(text) : Number.NaN
    return value >= minimum && value <= maximum ? Option.some(value) : Option.none()
  }

export const readUrl = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return Option.none()
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === ""
  return isPlain ? Option.some(url.href.replace(/\/+$/u, "")) : Option.none()
}

export const readText = (text: string): Option.Option<string> =>
  text.trim() === "" ? Option.none() : Option.some(text)

export const readSchedule = (text: string): Option.Option<ReadonlyArray<number>> =>
  Option.all(text.split(",").map((delay) => readDelay(delay.trim())))

export const readBoolean = (text: string): Option.Option<boolean> =>
  text === "true" ? Option.some(true) : text === "false" ? Option.some(false) : Option.none()

/** Weak keys too: they have to be replaced. */
export const readKeys = (text: string): Option.Option<ReadonlyArray<Redacted.Redacted<Uint8Array>>> =>
  Option.all(text.split(",").map((key) => Result.getSuccess(SecretsLayer.parseEarlierEncryptionKey(key.trim()))))

export const readRate = (text: string): Option.Option<number | null> =>
  text === "off" ? Option.some(null) : readInteger(1, 1_000_000)(text)

export const readOneOf =
  <const Word extends string>(words: ReadonlyArray<Word>) =>
  (text: string): Option.Option<Word> =>
    Option.fromUndefinedOr(words.find((word) => word === text))
