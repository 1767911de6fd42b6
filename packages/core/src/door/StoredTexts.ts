/**
 * Refuses card numbers in the texts of merchants and operators, which are stored and sent out in events. Digits alone may be
 * an order number: whether they are refused as well is a setting. Every method of the door that stores such a text asks here.
 */
import creditCardType from "credit-card-type"
import { Clock, Effect, Metric, Schema } from "effect"
import type { CreateRequest } from "../decide/CreateRequest.ts"
import { CardNumbers } from "../ports/PaymentSettings.ts"
import type { DoorContext } from "./DoorContext.ts"

/** Texts hold card numbers. Nothing was written or sent. */
export class CardNumberFound extends Schema.TaggedError<CardNumberFound>()("pointsman/CardNumberFound", {
  /** Those that hold one, as names are in documents: `return_url`. The number itself is in no message and in no log. */
  fields: Schema.Array(Schema.String)
}) {}

type Texts = Readonly<Record<string, string | ReadonlyArray<string> | null | undefined>>

const bareCardNumbers = Metric.counter("pointsman_bare_card_numbers_total", {
  description: "Texts of requests that held a card number as digits alone, and were stored.",
  incremental: true
})

/** Before the act, so that a refused text is in no entry of the audit trail. */
export const storing =
  (context: DoorContext) =>
  <A, E>(texts: Texts, act: Effect.Effect<A, E>): Effect.Effect<A, E | CardNumberFound> => {
    const found = Object.entries(texts).flatMap(([name, given]): ReadonlyArray<[string, CardNumberKind]> => {
      // A program without types may give anything.
      const kind = typeof given === "string" ? cardNumberIn(given) : Array.isArray(given) ? kindAmong(given) : undefined
      return kind === undefined ? [] : [[name, kind]]
    })
    return found.length === 0 ? act : Effect.andThen(Effect.provideContext(refuseOrWarn(found), context), act)
  }

const kindAmong = (texts: ReadonlyArray<string>): CardNumberKind | undefined => {
  const kinds = new Set(texts.map(cardNumberIn))
  return kinds.has("written") ? "written" : kinds.has("bare") ? "bare" : undefined
}

const refuseOrWarn = Effect.fnUntraced(function* (found: ReadonlyArray<[string, CardNumberKind]>) {
  const { bare, warns } = yield* CardNumbers
  const refused = found.filter(([, kind]) => kind === "written" || bare === "refuse").map(([name]) => name)
  if (refused.length > 0) return yield* new CardNumberFound({ fields: refused })
  yield* Metric.update(bareCardNumbers, found.length)
  if (!warns(yield* Clock.currentTimeMillis)) return
  yield* Effect.logWarning(
    "A text of a request may be a card number, and was stored. POINTSMAN_CARD_NUMBERS=refuse refuses such requests",
    { fields: found.map(([name]) => name) }
  )
})

export const textsOfCreate = ({ cancelUrl, details, returnUrl }: CreateRequest): Texts => ({
  card_brand: details.cardBrand,
  reference: details.reference,
  return_url: returnUrl,
  cancel_url: cancelUrl,
  description: details.purchase?.description,
  metadata: Object.entries(details.metadata ?? {}).flat(),
  lines: details.purchase?.lines?.map(({ name }) => name)
})

// A card number is a prefix and a length of a card network with a right Luhn check digit (ISO/IEC 7812). Prefixes and
// lengths change every year: `credit-card-type` keeps them as one table, and is asked only about digits whose check digit
// is right.

/** Spaces and dashes of every script: a card number is often copied with them. */
const separators = /[\s\p{Dash_Punctuation}]/gu

/** 13 to 19 digits with a right Luhn check digit, spaces and dashes ignored, of whatever network. */
export const looksLikeCardNumber = (text: string): boolean => {
  const digits = text.replace(separators, "")
  return /^[0-9]{13,19}$/u.test(digits) && luhnSum(digits) % 10 === 0
}

/**
 * `written`: no order number is written so. In groups as on a card, or beside an expiry date or a security code.
 * `bare`: digits alone, which one in fifty order numbers of 16 digits are too.
 */
export type CardNumberKind = "written" | "bare"

/** What a text contains, in the digits of any script, with separators between groups, also percent-encoded. */
const cardNumberIn = (text: string): CardNumberKind | undefined => {
  if (!hasDigits(text)) return undefined
  const kinds = new Set([text, decoded(text)].map((one) => kindIn(plainOf(one).replaceAll(uuid, "uuid"))))
  return kinds.has("written") ? "written" : kinds.has("bare") ? "bare" : undefined
}

/** Whether there may be a card number at all: most texts have fewer digits, and cost no more than this. */
const hasDigits = (text: string): boolean =>
  text.length >= fewestDigits && (text.match(anyDigit)?.length ?? 0) >= fewestDigits

const fewestDigits = 12

const anyDigit = /\p{Nd}/gu

/** The ten digits of a script follow each other, and no digit of another is beside them but those that NFKC makes ASCII. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  return String(value)
}

/** ASCII digits, `-` for every dash, a space for every white space, and nothing that is not seen. */
const plainOf = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/\p{Dash_Punctuation}/gu, "-")
    .replace(/\s/gu, " ")
    .replace(/[^\P{Nd}0-9]/gu, asciiDigit)

/** As in the query of a URL. A text that is no such encoding stays as it is. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/** RFC 9562. No card number is written so, but the groups of one in 18,000 are those of a card number. */
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu

/** In groups of four, 4-6-5 or 4-6-4, with one to three separators between them. */
const grouped =
  /(?<![0-9])[0-9]{4}[ ./_,-]{1,3}(?:[0-9]{4}[ ./_,-]{1,3}[0-9]{4}[ ./_,-]{1,3}[0-9]{1,4}(?:[ ./_,-]{1,3}[0-9]{1,3})?|[0-9]{6}[ ./_,-]{1,3}[0-9]{4,5})(?![0-9])/gu
const run = /(?<![0-9])[0-9]{12,19}(?![0-9])/gu
/** `12/27`, `12-2027`, `2027-12`. */
const expiry = /(?<![0-9])(?:(?:0?[1-9]|1[0-2]) ?[/-] ?(?:20)?[0-9]{2}|20[0-9]{2} ?[/-] ?(?:0[1-9]|1[0-2]))(?![0-9])/u
const securityCode = /\b(?:cvv|cvc|cvn|csc|cid)2?\b|security code/iu
/** Behind the number: three or four digits by themselves. */
const codeBehind = /^[ ,;|:/-]{1,3}[0-9]{3,4}(?![0-9])/u

const bareAtMost = 16

const kindIn = (text: string): CardNumberKind | undefined => {
  if ([...text.matchAll(grouped)].some(([found]) => isCardNumber(found.replace(/[^0-9]/gu, "")))) return "written"
  const bare = [...text.matchAll(run)].filter(([found]) => isCardNumber(found))
  if (bare.length === 0) return undefined
  // Each costs a look at the whole text, and so many are no order numbers.
  if (bare.length > bareAtMost) return "written"
  const isBeside = bare.some(({ 0: found, index }) => {
    const behind = text.slice(index + found.length)
    const rest = `${text.slice(0, index)} ${behind}`
    return codeBehind.test(behind) || expiry.test(rest) || securityCode.test(rest)
  })
  return isBeside ? "written" : "bare"
}

/** The networks' prefixes and lengths are the library's. */
const isCardNumber = (digits: string): boolean =>
  luhnSum(digits) % 10 === 0 && creditCardType(digits).some(({ lengths }) => lengths.includes(digits.length))

const luhnSum = (digits: string): number => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    const doubled = digit * 2
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum
}
