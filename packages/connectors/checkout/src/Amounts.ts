/**
 * Amounts as Checkout.com counts them (https://www.checkout.com/docs/payments/accept-payments/format-the-amount-value):
 * in the minor units of ISO 4217, which are ours, of nine digits at most, and with 0 as the last of three decimals. Nothing
 * is rounded: what Checkout.com cannot express has no amount there.
 */
import { type Money, money, scaleOf } from "@pointsman/core/connector"

/**
 * The currencies of the official SDKs (`Currency.cs` of https://github.com/checkout/checkout-sdk-net) that ISO 4217 still
 * has. Without CLP and CLF, of which the page of amounts does not say how many decimals they have there.
 */
export const currencies: ReadonlyArray<string> = (
  "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY " +
  "COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS " +
  "INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP " +
  "MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR " +
  "SDG SEK SGD SHP SOS SRD STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VND VUV WST XAF XCD " +
  "XOF XPF YER ZAR ZMW"
).split(" ")

const known: ReadonlySet<string> = new Set(currencies)

/** "Not contain more than nine digits." */
const amountAtMost = 999_999_999

/** Checkout.com's amount; `undefined` for one that it cannot express, and for a currency that it does not take. */
export const toCheckout = ({ currency, minorUnits }: Money): number | undefined => {
  if (!known.has(currency) || minorUnits < 1 || minorUnits > amountAtMost) return undefined
  // "The last digit must always be a 0", of the currencies with three decimals.
  return scaleOf(currency) === 3 && minorUnits % 10 !== 0 ? undefined : minorUnits
}

/** What Checkout.com states; `undefined` for a currency that it is not known to take. */
export const fromCheckout = (amount: number, currency: string): Money | undefined =>
  known.has(currency) ? money(amount, currency) : undefined
