/**
 * Amounts as Stripe counts them (https://docs.stripe.com/currencies). They are our minor units, except that Stripe
 * keeps a currency at two decimals that has none by now, and one without decimals that has two; and that the last of
 * three decimals is always 0. Nothing is rounded: what Stripe cannot express has no amount there.
 */
import { type Money, money, type SignedMoney, scaleOf } from "@pointsman/core/connector"

/** Stripe's presentment currencies (https://docs.stripe.com/currencies#presentment-currencies). */
export const currencies: ReadonlyArray<string> = [
  ..."AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF".split(
    " "
  ),
  ..."CHF CLP CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG".split(
    " "
  ),
  ..."HUF IDR ILS INR ISK JMD JOD JPY KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK".split(
    " "
  ),
  ..."MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB".split(
    " "
  ),
  ..."RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VND VUV".split(
    " "
  ),
  ..."WST XAF XCD XOF XPF YER ZAR ZMW".split(" ")
]

const known: ReadonlySet<string> = new Set(currencies)

/**
 * https://docs.stripe.com/currencies#zero-decimal. UGX is listed there too, and under the special cases, which count:
 * like ISK it "transitioned to a zero-decimal currency", and its amounts keep two decimals that are always `00`. MGA
 * has two decimals in ISO 4217, and none here. HUF and TWD are special in payouts alone.
 */
const zeroDecimal: ReadonlySet<string> = new Set(
  "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" ")
)

/** Three decimals, "the least-significant (last) digit" of which must be 0 (the same page). */
const threeDecimal: ReadonlySet<string> = new Set("BHD JOD KWD OMR TND".split(" "))

const scaleAtStripe = (currency: string): number => (zeroDecimal.has(currency) ? 0 : threeDecimal.has(currency) ? 3 : 2)

/** Stripe's amount; `undefined` for one that it cannot express, and for a currency that it does not take. */
export const toStripe = ({ currency, minorUnits }: Money): number | undefined => {
  const scale = scaleOf(currency)
  if (scale === undefined || !known.has(currency)) return undefined
  const amount = shifted(minorUnits, scaleAtStripe(currency) - scale)
  return amount !== undefined && threeDecimal.has(currency) && amount % 10 !== 0 ? undefined : amount
}

/**
 * What Stripe states, in our minor units. `code`: in lower case, as Stripe writes it. `undefined`: an unsupported
 * currency or amount.
 */
export const fromStripe = (amount: number, code: string): Money | undefined => {
  const stated = signedFromStripe(amount, code)
  return stated === undefined ? undefined : money(stated.minorUnits, stated.currency)
}

/** The same of what moved a balance: negative where money leaves it. */
export const signedFromStripe = (amount: number, code: string): SignedMoney | undefined => {
  const currency = code.toUpperCase()
  const scale = scaleOf(currency)
  if (scale === undefined || !known.has(currency)) return undefined
  const minorUnits = shifted(amount, scale - scaleAtStripe(currency))
  return minorUnits === undefined ? undefined : { minorUnits, currency }
}

/** Times ten to the `decimals`; `undefined` where that is no whole number, or none that can be counted exactly. */
const shifted = (amount: number, decimals: number): number | undefined => {
  const factor = 10 ** Math.abs(decimals)
  const result = decimals < 0 ? amount / factor : amount * factor
  return Number.isSafeInteger(result) ? result : undefined
}
