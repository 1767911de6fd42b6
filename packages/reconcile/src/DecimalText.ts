/**
 * Amounts as reports write them, read exactly: never through a fraction that a double cannot hold, and never rounded.
 */

const form = /^([+-]?)([0-9]{1,15})(?:\.([0-9]{1,12}))?$/u
const zeros = /^0*$/u

/**
 * The minor units of a decimal text in a currency of `scale` decimals: `"19.99"` is 1999 with two. `undefined` for what is
 * no such amount, for more decimals than the currency has unless they are zeros, and for more than can be counted exactly.
 */
export const minorUnitsOf = (text: string, scale: number): number | undefined => {
  const [, sign, whole, decimals = ""] = form.exec(text) ?? []
  if (whole === undefined || !zeros.test(decimals.slice(scale))) return undefined
  const units = Number(`${whole}${decimals.slice(0, scale).padEnd(scale, "0")}`)
  if (!Number.isSafeInteger(units)) return undefined
  return sign === "-" && units !== 0 ? -units : units
}

/** Decimals of what `partsOf` counts. */
const decimalsOfParts = 12

/** A decimal text in parts of 10⁻¹²; `undefined` for what is no amount. */
export const partsOf = (text: string): bigint | undefined => {
  const [, sign, whole, decimals = ""] = form.exec(text) ?? []
  if (whole === undefined) return undefined
  const parts = BigInt(`${whole}${decimals.padEnd(decimalsOfParts, "0")}`)
  return sign === "-" ? -parts : parts
}

/** How many parts of 10⁻¹² one minor unit has. */
export const partsPerUnit = (scale: number): bigint => 10n ** BigInt(decimalsOfParts - scale)
