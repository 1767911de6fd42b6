/** How the text of a setting is read: its kinds, each with what it expects in words. */
import { isIP } from "node:net"
import { durationExpected, readDelay, readDuration } from "@pointsman/configuration"
import { SecretsLayer } from "@pointsman/core"
import { withoutTrailingSlashes } from "@pointsman/core/internal"
import { Option, Result } from "effect"

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

/** What a value is, in words, and how its text is read. A failure says what is expected in other words. */
export interface Kind<A> {
  readonly expected: string
  readonly read: (text: string) => Option.Option<A> | Result.Result<A, string>
}

interface Row<A> {
  readonly variable: string
  /** That of the variable's name unless set. */
  readonly flag?: string
  readonly meaning: string
  readonly default: string
  /** Only where the default is a text that is not read. */
  readonly absent?: A
}

const flagOf = (variable: string): string =>
  variable
    .replace(/^POINTSMAN_/u, "")
    .toLowerCase()
    .replaceAll("_", "-")

export const setting = <A, const Absent = never>(
  { expected, read }: Kind<A>,
  row: Row<Absent>
): Variable<A | Absent> => {
  const readOne = (text: string): Result.Result<A, string> => {
    const value = read(text)
    return Result.isResult(value) ? value : Result.fromOption(value, () => expected)
  }
  const absent = row.absent === undefined ? Result.getOrThrow(readOne(row.default)) : row.absent
  return { flag: flagOf(row.variable), ...row, expected, read: readOne, absent }
}

/** Without it, there is none. */
export const optional = <A>(kind: Kind<A>, row: Omit<Row<null>, "absent" | "default">) =>
  setting(kind, { ...row, default: "none", absent: null })

const readInteger =
  (minimum: number, maximum: number) =>
  (text: string): Option.Option<number> => {
    const value = /^\d{1,10}$/u.test(text) ? Number(text) : Number.NaN
    return value >= minimum && value <= maximum ? Option.some(value) : Option.none()
  }

export const integer = (minimum: number, maximum: number): Kind<number> => ({
  expected: `a whole number from ${minimum} to ${maximum}`,
  read: readInteger(minimum, maximum)
})

export const port: Kind<number> = { expected: "a port number from 0 to 65535", read: readInteger(0, 65_535) }

export const webUrl: Kind<string> = {
  expected: "an absolute http or https URL without user, query or fragment",
  read: (text) => {
    const url = URL.parse(text)
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return Option.none()
    const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === ""
    return isPlain ? Option.some(withoutTrailingSlashes(url.href)) : Option.none()
  }
}

export const host: Kind<string> = {
  expected: "a host name or an IP address",
  read: (text) => (/^[A-Za-z0-9.:_%-]+$/u.test(text) ? Option.some(text) : Option.none())
}

/** One or more, separated by commas. */
const list = <A>(expected: string, readOne: (text: string) => Option.Option<A>): Kind<ReadonlyArray<A>> => ({
  expected: `comma-separated ${expected}`,
  read: (text) => Option.all(text.split(",").map((one) => readOne(one.trim())))
})

/** As they are written. */
export const addresses = list("IP addresses and CIDR ranges, such as `10.0.0.0/8, 2001:db8::/32`", (entry) => {
  const [address = "", prefix, ...more] = entry.split("/")
  const bits = isIP(address) === 6 ? 128 : isIP(address) === 4 ? 32 : -1
  const isPrefix = prefix === undefined || (/^\d{1,3}$/u.test(prefix) && Number(prefix) <= bits)
  return bits > 0 && isPrefix && more.length === 0 ? Option.some(entry) : Option.none()
})

export const durations = list('durations, such as "0 seconds, 5 seconds, 5 minutes"', readDelay)

/** Weak keys too: they have to be replaced. */
export const keys = list(`keys, each ${SecretsLayer.encryptionKeyExpected}`, (key) =>
  Result.getSuccess(SecretsLayer.parseEarlierEncryptionKey(key))
)

/** `kind`: of the file. */
export const path = (kind: string): Kind<string> => ({
  expected: `the path of a ${kind} file`,
  read: (text) => (text.trim() === "" ? Option.none() : Option.some(text))
})

export const oneOf = <const Word extends string>(...words: ReadonlyArray<Word>): Kind<Word> => ({
  expected: words
    .map((word) => `\`${word}\``)
    .join(", ")
    .replace(/, (?=[^,]*$)/u, " or "),
  read: (text) => Option.fromUndefinedOr(words.find((word) => word === text))
})

export const duration: Kind<number> = { expected: durationExpected, read: readDuration }

export const rate = (of: string): Kind<number | null> => ({
  expected: `a whole number of ${of} from 1 to 1000000, or \`off\``,
  read: (text) => (text === "off" ? Option.some(null) : readInteger(1, 1_000_000)(text))
})

const truth: Kind<boolean> = {
  expected: "`true` or `false`",
  read: (text) => (text === "true" ? Option.some(true) : text === "false" ? Option.some(false) : Option.none())
}

/** Off unless it is `true`, or its default says otherwise. */
export const toggle = (row: Omit<Row<never>, "absent" | "default"> & { readonly default?: "true" }) =>
  setting(truth, { default: "false", ...row })

/** How much one connection or endpoint takes at once. */
export const share: Kind<number> = integer(1, 1_000)
