/** What a provider charges for a payment that it approves, as the merchant states it. */
import type { PaymentMethod } from "./PaymentMethod.ts"

/** Where the customer is: the merchant's country, another one of the European Economic Area, or elsewhere. */
export const feeRegions = ["domestic", "eea", "international"] as const
export type FeeRegion = (typeof feeRegions)[number]

/** The payments that a fee is for; an absent field is for all. */
export interface FeeCondition {
  readonly currency?: ReadonlyArray<string>
  /** The customer's. */
  readonly country?: ReadonlyArray<string>
  readonly method?: ReadonlyArray<PaymentMethod>
  readonly cardBrand?: ReadonlyArray<string>
  readonly region?: ReadonlyArray<FeeRegion>
}

/** The first rule of a connection whose condition a payment meets is its fee. At least one of `fixed` and `partsPerMillion`. */
export interface FeeRule {
  readonly when?: FeeCondition
  /** Minor units by currency. In a currency that is not named the fee is unknown. */
  readonly fixed?: Readonly<Record<string, number>>
  /** Of the amount: 14,500 is 1.45 %. From 0 to 1,000,000. */
  readonly partsPerMillion?: number
}
