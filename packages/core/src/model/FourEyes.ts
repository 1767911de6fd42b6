/** From which amount on a second person approves what an operator states. Pure. */
import type { Money } from "../money/Money.ts"

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
