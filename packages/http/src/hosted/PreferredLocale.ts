/** The locale that a hosted page writes amounts in: the first that the customer's browser asks for. */
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
