/** Amounts, currencies and countries. */
import isoCurrencies from "currency-codes"
import codes from "i18n-iso-countries/codes.json" with { type: "json" }

/** An amount of one currency, as an integer in its minor unit (cents for EUR, whole units for JPY). */
export interface Money {
  readonly minorUnits: number
  readonly currency: string
}

export const money = (minorUnits: number, currency: string): Money => ({ minorUnits, currency })

/** The smallest and the largest amount that a payment may be created with, in minor units. */
export const amountLimits = { minimum: 50, maximum: 100_000_000 } as const

// Currencies and their scale, from the maintenance agency's own list (ISO 4217 list one, as published by the
// `currency-codes` package). A currency's scale is the number of decimals of its minor unit: 2 for EUR, 0 for
// JPY, 3 for KWD; `@dinero.js/currencies` gives MGA and MRU one, where the standard says two. There is no other scale table in the project; a provider that deviates says so in its connector.

/** Codes of the list that name no money: metals, bond units, accounting units, tests, "no currency". */
const notMoney = new Set(["XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA", "XXX"])

/** Amendments of ISO 4217 that are younger than the package's list (176: the Caribbean guilder, 2025). */
const amendments: ReadonlyArray<readonly [string, number]> = [["XCG", 2]]

const scales: ReadonlyMap<string, number> = new Map([
  ...isoCurrencies.data
    .filter((entry) => !notMoney.has(entry.code))
    .map((entry): readonly [string, number] => [entry.code, entry.digits]),
  ...amendments
])

export const isCurrency = (code: string): boolean => scales.has(code)

/** Decimals of the minor unit; `undefined` for a code that is not a currency. */
export const scaleOf = (code: string): number | undefined => scales.get(code)

export const currencies: ReadonlyArray<string> = [...scales.keys()].sort()

/**
 * `€19.99`, `¥1,999`, `KWD 1.999` in the locale `en`. Exact for every whole number of minor units. Throws a `RangeError`
 * for a malformed locale, and an `Error` for a code that is not a currency.
 */
export const amountText = ({ currency, minorUnits }: Money, locale: string): string => {
  const scale = scaleOf(currency)
  if (scale === undefined) throw new Error(`unknown scale of the currency ${currency}`)
  // The runtime's own decimals differ for some currencies, and a wrong scale is a wrong amount.
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: scale,
    maximumFractionDigits: scale
  })
  const text = format.format(decimal(minorUnits, scale))
  // From right to left, the sign would change places with its letters: "JP¥" would be read as "¥JP".
  return text.startsWith(rightToLeftMark) ? text.replace(/\p{Lu}\p{Sc}/u, `$&${leftToRightMark}`) : text
}

const rightToLeftMark = "\u200f"
const leftToRightMark = "\u200e"

/** Exact: never through a fraction that a double cannot hold. */
const decimal = (minorUnits: number, scale: number): `${number}` => `${minorUnits}e-${scale}` as `${number}`

/** `12.34` for 1234 EUR cents, `-0.05` for -5: exact, with the decimals of the currency and without separators. */
export const decimalText = ({ currency, minorUnits }: Money): string => {
  const scale = scaleOf(currency) ?? 0
  const digits = String(Math.abs(minorUnits)).padStart(scale + 1, "0")
  const sign = minorUnits < 0 ? "-" : ""
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

// Countries: the ISO 3166-1 alpha-2 codes, from the data file of the `i18n-iso-countries` package.

/** In the package's list, and not in the standard: a user-assigned code. */
const userAssigned = new Set(["XK"])

const alpha2: ReadonlySet<string> = new Set(
  codes.map((entry) => String(entry[0])).filter((code) => !userAssigned.has(code))
)

export const isCountry = (code: string): boolean => alpha2.has(code)

export const countries: ReadonlyArray<string> = [...alpha2].sort()

/**
 * The European Economic Area: the states of the European Union, Iceland, Liechtenstein and Norway
 * (https://www.efta.int/eea/eea-agreement). Providers have fees of their own for cards from there.
 */
const eea: ReadonlySet<string> = new Set(
  "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK".split(" ")
)

export const isInEea = (code: string): boolean => eea.has(code)
