/** An amount as a customer reads it: in the manner of their own locale, with the decimals that its currency has. */
import type { Money } from "@pointsman/core"
import { scaleOf } from "@pointsman/core/internal"

export interface AmountText {
  readonly text: string
  /** The locale that it is written in, so that it is also read aloud in it. */
  readonly locale: string
}

/** `locale` is one that `preferredLocale` gave. */
export const amountText = ({ currency, minorUnits }: Money, locale: string): AmountText => {
  const scale = scaleOf(currency)
  if (scale === undefined) throw new Error(`unknown scale of the currency ${currency}`)
  // The runtime's own decimals differ for some currencies, and a wrong scale is a wrong amount.
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: scale,
    maximumFractionDigits: scale
  })
  return { text: format.format(decimal(minorUnits, scale)), locale }
}

/** Exact: never through a fraction that a double cannot hold. */
const decimal = (minorUnits: number, scale: number): `${number}` => `${minorUnits}e-${scale}` as `${number}`

const defaultLocale = "en-GB"

/** Nobody prefers more, and the header comes from anybody. */
const localesAtMost = 10

/** The first locale of `Accept-Language` (RFC 9110, section 12.5.4) that can be written in. */
export const preferredLocale = (acceptLanguage: string | undefined): string => {
  const ranges = (acceptLanguage ?? "").split(",", localesAtMost).flatMap((item) => {
    const [tag = "", weight] = item.split(";", 2).map((part) => part.trim())
    const quality = weight === undefined ? 1 : Number(/^q=([01](?:\.\d{0,3})?)$/u.exec(weight)?.[1] ?? 0)
    const locale = quality > 0 ? supported(tag) : undefined
    return locale === undefined ? [] : [{ locale, quality }]
  })
  // The order stays among equals.
  return ranges.sort((one, other) => other.quality - one.quality)[0]?.locale ?? defaultLocale
}

/** Without extensions, which could ask for another numbering; `undefined` for what is no locale, or a foreign one. */
const supported = (tag: string): string | undefined => {
  try {
    return Intl.NumberFormat.supportedLocalesOf(new Intl.Locale(tag).baseName)[0]
  } catch {
    return undefined
  }
}
