/** ISO 3166-1 alpha-2 country codes, from the `i18n-iso-countries` package's data file. */
import codes from "i18n-iso-countries/codes.json" with { type: "json" }

/** In the package's list, and not in the standard: a user-assigned code. */
const userAssigned = new Set(["XK"])

const alpha2: ReadonlySet<string> = new Set(
  codes.map((entry) => String(entry[0])).filter((code) => !userAssigned.has(code))
)

export const isCountry = (code: string): boolean => alpha2.has(code)

export const countries: ReadonlyArray<string> = [...alpha2].sort()
