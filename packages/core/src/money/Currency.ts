/**
 * Currencies and their scale, from the maintenance agency's own list (ISO 4217 list one, as published by the
 * `currency-codes` package). A currency's scale is the number of decimals of its minor unit: 2 for EUR, 0 for
 * JPY, 3 for KWD; `@dinero.js/currencies` gives MGA and MRU one, where the standard says two. There is no other scale table in the project; a provider that deviates says so in its connector.
 */
import isoCurrencies from "currency-codes"

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
