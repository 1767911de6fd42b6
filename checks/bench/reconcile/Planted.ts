/** Which differences are planted in a report, at which payments, and how each has to be named. Pure. */
import type { SettlementResult } from "@pointsman/core"
import { authorizedEvery, everyMillis, paymentIdOf, providerRefOf } from "../kit/FilledIds.ts"

const kinds = [
  "amount_differs",
  "missing_here",
  "missing_there",
  "status_differs",
  /** A second movement of the money, with an id of its own where the report has ids. */
  "duplicate",
  /** The same row twice. */
  "same_row",
  "fee_differs"
] as const
export type Planted = (typeof kinds)[number]

/** A row of a payment has no fee there. */
const withoutFees: ReadonlySet<string> = new Set(["mollie-settlement", "checkout-financial-actions"])
/** What a report of the format can say. A row whose gross, fee and net do not add up is unreadable in all of them. */
export const kindsIn = (format: string): ReadonlyArray<Planted> =>
  kinds.filter((kind) => kind !== "fee_differs" || !withoutFees.has(format))

/** A first report says nothing about its first hour; a second one for time zones. */
const firstMillis = 3 * 60 * 60_000

/** By the number of the payment; `each`: how many of every kind. */
export const plantedAt = (format: string, payments: number, each: number): ReadonlyMap<number, Planted> => {
  const some = kindsIn(format)
  const first = Math.ceil(firstMillis / everyMillis / authorizedEvery)
  const apart = Math.floor((payments / authorizedEvery - 2 * first) / (each * some.length))
  if (apart < 1) throw new Error(`--rows: expected more for ${each} differences of ${some.length} kinds`)
  return new Map(
    Array.from({ length: each * some.length }, (_, index) => {
      const kind = some[index % some.length] as Planted
      // Every tenth payment is authorized alone: of those a charge is a surprise.
      const place = kind === "status_differs" ? 0 : 1 + (index % (authorizedEvery - 1))
      return [(first + index * apart) * authorizedEvery + place, kind]
    })
  )
}

/** Of a charge that Pointsman does not have. */
export const unknownRefOf = (number: number): string => `tr_unknown_${number}`

/** What has to be found: by the provider's reference of the charge, the result and the payment. */
export const expectedIn = (planted: ReadonlyMap<number, Planted>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...planted].map(([number, kind]) =>
      kind === "missing_here"
        ? [unknownRefOf(number), foundText("missing_here", null)]
        : [providerRefOf(number), foundText(kind === "same_row" ? "duplicate" : kind, paymentIdOf(number))]
    )
  )

export const foundText = (result: SettlementResult, paymentId: string | null): string =>
  `${result} of ${paymentId ?? "no payment"}`
