/** An amount of one currency, as an integer in its minor unit (cents for EUR, whole units for JPY). */
export interface Money {
  readonly minorUnits: number
  readonly currency: string
}

export const money = (minorUnits: number, currency: string): Money => ({ minorUnits, currency })

/** The smallest and the largest amount that a payment may be created with, in minor units. */
export const amountLimits = { minimum: 50, maximum: 100_000_000 } as const
