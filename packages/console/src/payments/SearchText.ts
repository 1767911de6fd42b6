/**
 * What an operator may mean by a text: the meanings are tried in their order, and the first that finds a payment counts.
 *
 * A text is a reference of the merchant or of a provider, or a text of the metadata, or else the beginning of a reference. `name=text` may also be metadata with its name, and a number with decimals or a
 * currency, such as `19.99` or `1999 JPY`, may also be an amount. A bare number is not an amount, because its currency is
 * not known.
 */
import { isCurrency } from "@pointsman/core"
import type { PaymentFilter } from "@pointsman/core/ports"
import { purchaseLimits } from "@pointsman/http/api"
import { readAmount } from "../frame/Forms.ts"

/** The longest reference that a create takes. */
const referenceCharacters = 64

export const meaningsOf = (text: string): ReadonlyArray<PaymentFilter> => {
  if (text === "") return [{}]
  return [
    ...([...text].length <= referenceCharacters ? [{ reference: text }] : []),
    { providerRef: text },
    ...metadataIn(text),
    ...amountIn(text),
    ...([...text].length <= purchaseLimits.text ? [{ metadataValue: text }] : []),
    ...([...text].length <= referenceCharacters ? [{ referencePrefix: text }] : [])
  ]
}

/** What a meaning compares, in words. */
const comparisons = {
  reference: "reference",
  providerRef: "provider’s reference",
  metadata: "metadata by name",
  amountMinor: "amount",
  metadataValue: "texts of the metadata",
  referencePrefix: "beginnings of references"
} as const

export const comparedBy = (meaning: PaymentFilter): ReadonlyArray<string> =>
  (Object.keys(comparisons) as ReadonlyArray<keyof typeof comparisons>).flatMap((name) =>
    meaning[name] === undefined ? [] : [comparisons[name]]
  )

const metadataIn = (text: string): ReadonlyArray<PaymentFilter> => {
  const [, name, value] = /^([^=]+)=(.*)$/su.exec(text) ?? []
  return name === undefined || value === undefined ? [] : [{ metadata: { [name.trim()]: value.trim() } }]
}

const amountIn = (text: string): ReadonlyArray<PaymentFilter> => {
  const [, before, digits = "", after] = /^([a-z]{3})?\s*([\d.,]+)\s*([a-z]{3})?$/iu.exec(text) ?? []
  const currency = (before ?? after)?.toUpperCase()
  if (currency !== undefined) {
    const amountMinor = isCurrency(currency) ? readAmount(digits, currency) : undefined
    return amountMinor === undefined ? [] : [{ amountMinor, currency }]
  }
  // As many decimals as most currencies have, or three.
  const decimals = /^\d+[.,](\d{2,3})$/u.exec(digits)?.[1]?.length
  const amountMinor = decimals === undefined ? undefined : readAmount(digits, decimals === 2 ? "EUR" : "KWD")
  return amountMinor === undefined ? [] : [{ amountMinor }]
}
