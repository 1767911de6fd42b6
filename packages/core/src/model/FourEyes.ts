/** From which amount on a second person approves what an operator states, or gives back. Pure. */
import type { Money } from "../money/Money.ts"
import type { Payment } from "./Payment.ts"
import type { RefundTotals } from "./Refund.ts"

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
