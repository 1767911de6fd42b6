/**
 * What keeps payments from a connection, as boxes: the same limits as in `Eligibility`, for all payments at once instead
 * of for one. A field of `Supports` that no entry covers does not compile.
 */

import {
  type Condition,
  type Connection,
  isCurrency,
  kindOfMethod,
  type NamedMethods,
  paymentMethodNames,
  paymentMethods,
  type Supports
} from "@pointsman/core"
import type { PaymentBox } from "./PaymentBox.ts"
import type { PaymentSpace } from "./PaymentSpace.ts"
import { listed } from "./RuleReasons.ts"

/** Payments that a connection does not take. */
export interface Barrier {
  readonly box: PaymentBox
  /** What the connection does, said of some payments: "does not take USD". */
  readonly says: (payments: PaymentBox) => string
}

/** Who the merchant is, as eligibility is asked. */
export interface MerchantFacts {
  readonly merchantCountry: string | null
  readonly merchantCategory: string | null
}

/** The values to distinguish in order to see where the limits begin. */
export const conditionsOfLimits = (supports: Supports): ReadonlyArray<Condition> => [
  ...(supports.currencies === undefined ? [] : [{ currency: supports.currencies }]),
  ...(supports.payerCountries === undefined ? [] : [{ country: supports.payerCountries }]),
  ...(supports.cardBrands === undefined ? [] : [{ cardBrand: supports.cardBrands }]),
  ...(supports.requiresAuthentication === undefined ? [] : [{ country: supports.requiresAuthentication }]),
  ...Object.values(supports.paymentMethods ?? {}).flatMap(({ currencies }) =>
    currencies === undefined ? [] : [{ currency: currencies }]
  ),
  ...Object.entries(supports.amount ?? {}).map(([currency, amount]) => ({ currency: [currency], amount }))
]

/** The limits of the connection itself, then those of its provider, then its restrictions. */
export const barriersOf = (
  { restrictions, supports }: Pick<Connection, "supports" | "restrictions">,
  providerSupports: Supports,
  merchant: MerchantFacts,
  space: PaymentSpace
): ReadonlyArray<Barrier> => [
  ...barriersOfLimits(supports, merchant, space),
  ...barriersOfLimits(providerSupports, merchant, space),
  ...restrictions.map((restriction, index) => ({
    box: space.boxOf(restriction),
    says: () => `is excluded by its restriction ${index + 1}`
  })),
  // What neither declares is not known to be taken.
  ...((supports.paymentMethods ?? providerSupports.paymentMethods) === undefined ? barriersOfNames({}, space) : [])
]

const barriersOfLimits = (supports: Supports, merchant: MerchantFacts, space: PaymentSpace): ReadonlyArray<Barrier> =>
  (Object.keys(limits) as Array<keyof Supports>).flatMap((field) => {
    const limit = supports[field]
    const barriers = limits[field] as Limit<unknown>
    if (limit === undefined) return []
    const found = barriers(limit, merchant, space)
    return field === "methods" && supports.paymentMethods !== undefined ? found.flatMap(ofUnnamed(space)) : found
  })

/** A method that is named is not limited by its kind, where names are declared; a name of another kind does not occur. */
const ofUnnamed =
  (space: PaymentSpace) =>
  ({ box, says }: Barrier): ReadonlyArray<Barrier> =>
    paymentMethods
      .map((method) => {
        const ofKind = space.boxOf({
          paymentMethod: paymentMethodNames.filter((name) => kindOfMethod(name) === method)
        })
        return {
          ...box,
          method: box.method & space.boxOf({ method: [method] }).method,
          paymentMethod: box.paymentMethod & ~ofKind.paymentMethod
        }
      })
      .filter(({ method }) => method !== 0n)
      .map((part) => ({ box: part, says }))

const barriersOfNames = (methods: NamedMethods, space: PaymentSpace): ReadonlyArray<Barrier> =>
  paymentMethodNames.flatMap((name) => {
    const limits = methods[name]
    const box = space.boxOf({ paymentMethod: [name] })
    if (limits === undefined) return [{ box, says: () => `does not accept the payment method ${name}` }]
    const { currencies, manualCapture } = limits
    const taken = currencies === undefined ? space.all.currency : space.boxOf({ currency: currencies }).currency
    const elsewhere = { ...box, currency: space.all.currency & ~taken }
    return [
      ...(elsewhere.currency === 0n
        ? []
        : [{ box: elsewhere, says: () => `accepts the payment method ${name} only in ${listed(currencies ?? [])}` }]),
      ...(manualCapture === false
        ? [
            {
              box: space.boxOf({ paymentMethod: [name], captureMethod: ["manual"] }),
              says: () => `captures the payment method ${name} at once`
            }
          ]
        : [])
    ]
  })

type Limit<Value> = (value: Value, merchant: MerchantFacts, space: PaymentSpace) => ReadonlyArray<Barrier>

const limits: { readonly [Field in keyof Required<Supports>]: Limit<NonNullable<Supports[Field]>> } = {
  currencies: (currency, _, space) => [
    unless(
      "currency",
      { currency },
      space,
      (names) => `does not accept ${names}`,
      (names) => `accepts only ${names}`
    )
  ],
  payerCountries: (country, _, space) => [
    unless(
      "country",
      { country },
      space,
      (names) => `does not accept customers from ${names}`,
      (names) => `accepts only customers from ${names}`
    )
  ],
  methods: (method, _, space) => [
    unless(
      "method",
      { method },
      space,
      (names) => `does not accept the method ${names}`,
      (names) => `accepts only the method ${names}`
    )
  ],
  paymentMethods: (methods, _, space) => barriersOfNames(methods, space),
  cardBrands: (cardBrand, _, space) => {
    const { box, says } = unless(
      "cardBrand",
      { cardBrand },
      space,
      (names) => `does not accept the card brand ${names}`,
      (names) => `accepts only the card brand ${names}`
    )
    // A card whose brand is not known may be one of them, and nothing else has a brand that counts.
    const cards = space.boxOf({ method: ["card"] }).method
    return [{ box: { ...box, method: cards, cardBrand: box.cardBrand & ~space.withoutBrand }, says }]
  },
  merchantCountries: (countries, { merchantCountry }, { all }) => {
    if (merchantCountry === null) {
      return [
        { box: all, says: () => "accepts merchants from certain countries only, and the merchant's country is not set" }
      ]
    }
    return has(countries, merchantCountry)
      ? []
      : [{ box: all, says: () => `does not accept merchants registered in ${merchantCountry}` }]
  },
  blockedCategories: (categories, { merchantCategory }, { all }) =>
    merchantCategory !== null && has(categories, merchantCategory)
      ? [{ box: all, says: () => `does not accept the merchant category ${merchantCategory}` }]
      : [],
  recurring: (isTaken, _, space) =>
    isTaken
      ? []
      : [{ box: space.boxOf({ initiator: ["mit"] }), says: () => "does not accept merchant-initiated payments" }],
  amount: (ranges, _, space) =>
    Object.entries(ranges)
      .filter(([currency]) => isCurrency(currency))
      .map(([currency, amount]) => ({
        box: {
          ...space.boxOf({ currency: [currency] }),
          amount: space.all.amount & ~space.boxOf({ amount }).amount
        },
        says: () => `does not accept such amounts in ${currency}`
      })),
  requiresAuthentication: (country, _, space) => [
    {
      box: space.boxOf({ initiator: ["cit"], country }),
      says: () => `accepts customers from ${listed(country)} only with authentication`
    }
  ]
}

const has = (list: ReadonlyArray<string>, value: string): boolean =>
  list.some((item) => item.toLowerCase() === value.toLowerCase())

/** All payments but those of the condition, which names one field. */
const unless = (
  field: keyof Condition,
  condition: Condition,
  space: PaymentSpace,
  refuses: (names: string) => string,
  takes: (names: string) => string
): Barrier => {
  const taken = space.boxOf(condition)
  const box = { ...space.all, [field]: space.all[field] & ~taken[field] }
  return {
    box,
    says: (payments) => {
      const refused = space.named(field, { ...payments, [field]: payments[field] & box[field] })
      if (refused !== undefined) return refuses(listed(refused, "or"))
      return taken[field] === 0n ? "accepts no payment at all" : takes(listed(space.named(field, taken) ?? []))
    }
  }
}
