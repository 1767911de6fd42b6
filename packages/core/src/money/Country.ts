/** ISO 3166-1 alpha-2 country codes, from the `i18n-iso-countries` package's data file. */
import codes from "i18n-iso-countries/codes.json" with { type: "json" }

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
