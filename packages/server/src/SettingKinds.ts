/** How the text of a setting is read: its kinds, each with what it expects in words. */
import { isIP } from "node:net"
import { durationExpected, readDuration } from "@pointsman/configuration"
import { SecretsLayer } from "@pointsman/core"
import { withoutTrailingSlashes } from "@pointsman/core/internal"
import { Option, type Redacted, Result } from "effect"

export interface Variable<A> {
  readonly variable: string
  /** Without the dashes. */
  readonly flag: string
  readonly meaning: string
  readonly expected: string
  /** As it is shown in the help. */
  readonly default: string
  readonly read: (text: string) => Result.Result<A, string>
  readonly absent: A
}

export const variable = <A>(definition: {
  readonly variable: string
  readonly flag: string
  readonly meaning: string
  readonly expected: string
  readonly default: string
  readonly absent: NoInfer<A>
  readonly read: (text: string) => Option.Option<A> | Result.Result<A, string>
}): Variable<A> => ({
  ...definition,
  read: (text) => {
    const value = definition.read(text)
    return Result.isResult(value) ? value : Result.fromOption(value, () => definition.expected)
  }
})

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
  return isPlain ? Option.some(withoutTrailingSlashes(url.href)) : Option.none()
}

export const hostExpected = "a host name or an IP address"

export const readHost = (text: string): Option.Option<string> =>
  /^[A-Za-z0-9.:_%-]+$/u.test(text) ? Option.some(text) : Option.none()

/** Addresses and ranges, as they are written. */
export const readAddresses = (text: string): Option.Option<ReadonlyArray<string>> =>
  Option.all(
    text.split(",").map((given) => {
      const entry = given.trim()
      const [address = "", prefix, ...more] = entry.split("/")
      const bits = isIP(address) === 6 ? 128 : isIP(address) === 4 ? 32 : -1
      const isPrefix = prefix === undefined || (/^\d{1,3}$/u.test(prefix) && Number(prefix) <= bits)
      return bits > 0 && isPrefix && more.length === 0 ? Option.some(entry) : Option.none()
    })
  )

export const readText = (text: string): Option.Option<string> =>
  text.trim() === "" ? Option.none() : Option.some(text)

/** Encryption keys, separated by commas. Weak keys too: they have to be replaced. */
export const readKeys = (text: string): Option.Option<ReadonlyArray<Redacted.Redacted<Uint8Array>>> =>
  Option.all(text.split(",").map((key) => Result.getSuccess(SecretsLayer.parseEarlierEncryptionKey(key.trim()))))

const readBoolean = (text: string): Option.Option<boolean> =>
  text === "true" ? Option.some(true) : text === "false" ? Option.some(false) : Option.none()

export const readOneOf =
  <const Word extends string>(words: ReadonlyArray<Word>) =>
  (text: string): Option.Option<Word> =>
    Option.fromUndefinedOr(words.find((word) => word === text))

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

export const interval = (definition: {
  readonly variable: string
  readonly flag: string
  readonly meaning: string
  readonly default: string
  readonly absent: number
}) => variable<number>({ ...definition, expected: durationExpected, read: readDuration })

export const readRate = (text: string): Option.Option<number | null> =>
  text === "off" ? Option.some(null) : readInteger(1, 1_000_000)(text)

/** Off unless it is `true`. */
export const toggle = (definition: {
  readonly variable: string
  readonly flag: string
  readonly meaning: string
  /** `false` unless set. */
  readonly absent?: boolean
}) =>
  variable<boolean>({
    absent: false,
    ...definition,
    expected: "`true` or `false`",
    default: String(definition.absent ?? false),
    read: readBoolean
  })

/** How much one connection or endpoint takes at once. */
export const share = (definition: {
  readonly variable: string
  readonly flag: string
  readonly meaning: string
  readonly absent: number
}) =>
  variable<number>({
    ...definition,
    expected: "a whole number from 1 to 1000",
    default: String(definition.absent),
    read: readInteger(1, 1_000)
  })
