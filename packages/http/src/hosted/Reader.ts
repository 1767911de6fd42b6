/**
 * Who reads a page: in which language its texts are, and in whose manner amounts are written. A payment's own locale
 * decides, then what the browser prefers (`Accept-Language`; RFC 9110, section 12.5.4), then English.
 *
 * Only the language of a tag is compared, as there is one variant of each. A second one (`pt-BR` beside `pt-PT`) needs a
 * matching rule, which `@formatjs/intl-localematcher` has.
 */
import { arabic } from "./texts/Arabic.ts"
import { danish } from "./texts/Danish.ts"
import { dutch } from "./texts/Dutch.ts"
import { english } from "./texts/English.ts"
import { french } from "./texts/French.ts"
import { german } from "./texts/German.ts"
import { italian } from "./texts/Italian.ts"
import { japanese } from "./texts/Japanese.ts"
import { polish } from "./texts/Polish.ts"
import { portuguese } from "./texts/Portuguese.ts"
import { spanish } from "./texts/Spanish.ts"
import { swedish } from "./texts/Swedish.ts"
import type { Texts } from "./texts/Texts.ts"

const catalogue = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  pl: polish,
  sv: swedish,
  da: danish,
  ja: japanese,
  ar: arabic
} as const satisfies Record<string, Texts>

export type Language = keyof typeof catalogue

export const languages = Object.keys(catalogue) as ReadonlyArray<Language>

export interface Reader {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  /** The language with a region where one is known: amounts are written in its manner. */
  readonly locale: string
  readonly texts: Texts
}

/** `locale`: the payment's own, a BCP 47 tag. One that has no texts here is passed over. */
export const readerOf = (acceptLanguage: string | undefined, locale?: string | null): Reader => {
  const [chosen = fallback] = [locale ?? "", ...preferred(acceptLanguage ?? "")].flatMap(offered)
  return { ...chosen, direction: chosen.language === "ar" ? "rtl" : "ltr", texts: catalogue[chosen.language] }
}

interface Offered {
  readonly language: Language
  readonly locale: string
}

const fallback: Offered = { language: "en", locale: "en-GB" }

/** More tags than a browser sends. The bound is needed because any client can send the header. */
const tagsAtMost = 10

/** The tags of the header, the most wanted first; the order stays among equals. */
const preferred = (acceptLanguage: string): ReadonlyArray<string> => {
  const ranges = acceptLanguage.split(",", tagsAtMost).flatMap((item) => {
    const [tag = "", weight] = item.split(";", 2).map((part) => part.trim())
    const quality = weight === undefined ? 1 : Number(/^q=([01](?:\.\d{0,3})?)$/u.exec(weight)?.[1] ?? 0)
    return quality > 0 ? [{ tag, quality }] : []
  })
  return ranges.sort((one, other) => other.quality - one.quality).map(({ tag }) => tag)
}

/** Without extensions, which could ask for another numbering; none for what is no tag, or of a language without texts. */
const offered = (tag: string): ReadonlyArray<Offered> => {
  try {
    const { baseName, language: spoken } = new Intl.Locale(tag)
    const language = languages.find((one) => one === spoken)
    const [locale] = Intl.NumberFormat.supportedLocalesOf(baseName)
    return language === undefined || locale === undefined ? [] : [{ language, locale }]
  } catch {
    return []
  }
}
