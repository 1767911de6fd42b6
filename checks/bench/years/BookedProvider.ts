/** A provider in this process, with books of its own: what a store and its archive add up to is compared with them. */
import { Effect } from "effect"
import { definitionOf, inProcess, type Provider } from "../World.ts"

/** Of one currency, in minor units. */
export interface Sums {
  readonly payments: number
  readonly captured: number
  readonly refunded: number
}

/** By the currency's code. */
export type SumsByCurrency = Readonly<Record<string, Sums>>

export const addSums = (one: SumsByCurrency, other: SumsByCurrency): SumsByCurrency => {
  const sums: Record<string, Sums> = { ...one }
  for (const [currency, added] of Object.entries(other)) {
    const { captured, payments, refunded } = sums[currency] ?? nothing
    sums[currency] = {
      payments: payments + added.payments,
      captured: captured + added.captured,
      refunded: refunded + added.refunded
    }
  }
  return sums
}

const nothing: Sums = { payments: 0, captured: 0, refunded: 0 }

/** Charges of amounts that end in this digit are declined. */
const declinedDigit = 3

export interface BookedProvider {
  readonly provider: Provider
  /** All that was asked of it so far. */
  readonly books: () => SumsByCurrency
}

export const makeBookedProvider = (): BookedProvider => {
  let books: SumsByCurrency = {}
  const record = (currency: string, sums: Partial<Sums>) =>
    Effect.sync(() => {
      books = addSums(books, { [currency]: { ...nothing, ...sums } })
    })
  const definition = definitionOf("booked", {
    charge: ({ attemptId, capture, money }) => {
      const { currency, minorUnits } = money
      const providerRef = `ref_${attemptId}`
      const isTaken = minorUnits % 10 !== declinedDigit
      const declined = {
        _tag: "Declined",
        category: "insufficient_funds",
        code: "51",
        soft: false,
        providerRef
      } as const
      return Effect.as(
        record(currency, { payments: 1, captured: isTaken && capture ? minorUnits : 0 }),
        isTaken ? ({ _tag: capture ? "Captured" : "Authorized", providerRef, stated: money } as const) : declined
      )
    },
    capture: ({ money, providerRef }) =>
      Effect.as(record(money.currency, { captured: money.minorUnits }), {
        _tag: "Captured",
        providerRef,
        stated: money
      }),
    void: ({ providerRef }) => Effect.succeed({ _tag: "Canceled", providerRef }),
    refund: ({ money, refundId }) =>
      Effect.as(record(money.currency, { refunded: money.minorUnits }), {
        _tag: "Succeeded",
        providerRefundId: `re_${refundId}`
      })
  })
  return { provider: inProcess(definition), books: () => books }
}
