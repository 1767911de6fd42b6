import type { Money } from "../money/Money.ts"
import type { Payment } from "./Payment.ts"
import type { RefundTotals } from "./PaymentBook.ts"
import type { RetentionTimes } from "./RetentionTimes.ts"

/** How a workspace presents itself to customers on its hosted pages. Absent fields have defaults there. */
export interface Brand {
  /** Shown instead of the workspace's name. */
  readonly name?: string
  /** An https URL, or a `data:` URL of an image. */
  readonly logo?: string
  /** Of the main button: `#` and six hexadecimal digits, on which white text can be read. */
  readonly color?: string
  /** An https or mailto URL at which customers get help. */
  readonly support?: string
  /** An https URL. */
  readonly terms?: string
}

export interface Workspace {
  readonly id: string
  readonly name: string
  /** ISO 3166-1 alpha-2 country in which the merchant is registered; `null` when unknown. */
  readonly country: string | null
  /** The merchant's category, matched against a connection's `blockedCategories`. */
  readonly category: string | null
  /** The API refuses a suspended workspace; payments in flight continue. */
  readonly suspended: boolean
  /** Set for white-label partners: how many sub-merchants they may provision. */
  readonly partner: { readonly allowance: number } | null
  readonly brand?: Brand
  /** Where it is set, sandbox pages lead to the provider's own test page instead of showing buttons. */
  readonly hostedPage?: "provider"
  /** Where it differs from the defaults (`retentionOf`). */
  readonly retention?: Partial<RetentionTimes>
  /** Set where a configuration file defines it: then nothing else changes its connections, routing and endpoints. */
  readonly source?: "configuration"
  /** From which amounts on a second person approves what an operator states; absent where one is enough. */
  readonly fourEyes?: FourEyes
}

/** Minor units by currency, from which on a statement needs a second person: always, for one not named. */
export type FourEyes = Readonly<Record<string, number>>

/** `limits`: `undefined` where one person is enough for every amount. */
export const needsSecondPerson = (limits: FourEyes | undefined, { currency, minorUnits }: Money): boolean =>
  limits !== undefined && minorUnits >= (limits[currency] ?? 0)

/** A currency that only one of them names is one of which the other takes every amount. */
export const strictest = (one: FourEyes, other: FourEyes): FourEyes =>
  Object.fromEntries(
    Object.entries(one).flatMap(([currency, limit]) => {
      const otherLimit = other[currency]
      return otherLimit === undefined ? [] : [[currency, Math.min(limit, otherLimit)]]
    })
  )

/** Minor units by currency that one operator gives back of a payment; no limit for a currency that is not named. */
export type RefundLimits = Readonly<Record<string, number>>

/** Counted with what the payment gave back before, so that several small refunds do not avoid the limit. */
export const isAboveLimit = (
  limits: RefundLimits,
  { money: { currency }, refundedMinor, refundPendingMinor }: Pick<Payment, "money" | keyof RefundTotals>,
  minorUnits: number
): boolean => refundedMinor + refundPendingMinor + minorUnits > (limits[currency] ?? Number.POSITIVE_INFINITY)
