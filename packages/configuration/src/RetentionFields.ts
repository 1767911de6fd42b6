/** For how long a workspace keeps what has ended, as the configuration file says it. */
import { dayMillis, leastRetention, type RetentionTimes, retentionKinds, yearMillis } from "@pointsman/core/internal"
import { Option } from "effect"

/** A hundred years, in days. */
const mostDays = 36_500

/** Milliseconds of "90 days" or "7 years", a year having 366 days; `null` for "off". */
const readRetention = (text: string): Option.Option<number | null> => {
  if (text === "off") return Option.some(null)
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,4}) (day|year)s?$/u.exec(text) ?? []
  const millis = Number(count) * (unit === "year" ? yearMillis : dayMillis)
  return count === "" || millis > mostDays * dayMillis ? Option.none() : Option.some(millis)
}

export const retentionExpected = (kind: keyof RetentionTimes): string =>
  `"off", or at least "${leastRetention[kind] / dayMillis} days", such as "90 days" or "7 years"`

export const isRetention =
  (kind: keyof RetentionTimes) =>
  (text: string): boolean =>
    Option.match(readRetention(text), {
      onNone: () => false,
      onSome: (millis) => millis === null || millis >= leastRetention[kind]
    })

/** A field that is left out. */
type RetentionTexts = { readonly [Kind in keyof RetentionTimes]?: string }

/** What a workspace says, or else what the file says for all of them; `undefined` where neither says anything. */
export const retentionTimes = (
  ofWorkspace: RetentionTexts | undefined,
  ofFile: RetentionTexts | undefined
): Partial<RetentionTimes> | undefined => {
  const texts = { ...ofFile, ...ofWorkspace }
  const entries = retentionKinds.flatMap((kind) => {
    const text = texts[kind]
    return text === undefined ? [] : [[kind, Option.getOrThrow(readRetention(text))] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
