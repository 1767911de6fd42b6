/** The provider's books and the API after a failover. Gives the sentences that are not true. */
import type { PaymentShown } from "../kill/Evidence.ts"
import type { ProviderBooks, ProviderCharge } from "../ProviderProcess.ts"
import type { Order } from "./Orders.ts"

const holdsMoney = ({ status }: ProviderCharge): boolean => status !== "canceled"

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, amount) => total + amount, 0)

/** No key moved money twice, or money that nobody asked for. */
export const movedTwice = ({ charges }: ProviderBooks, orders: ReadonlyArray<Order>): ReadonlyArray<string> => {
  const orderOf = new Map(orders.map((order) => [order.name, order]))
  const byReference = Map.groupBy(charges.filter(holdsMoney), ({ reference }) => reference)
  return [...byReference].flatMap(([name, charges]) => {
    const order = orderOf.get(name)
    if (order === undefined) return [`${name} was charged, and nobody asked for it`]
    const captures = charges.flatMap((charge) => charge.captures)
    const refunds = charges.flatMap((charge) => charge.refunds)
    return [
      ...(charges.length === 1 ? [] : [`${name} was charged ${charges.length} times`]),
      ...(charges.every(({ amount }) => amount === order.amount) ? [] : [`${name} was charged another amount`]),
      ...(captures.length <= (order.captures ? 1 : 0) ? [] : [`${name} was captured ${captures.length} times`]),
      ...(refunds.length <= (order.refunds > 0 ? 1 : 0) ? [] : [`${name} was refunded ${refunds.length} times`]),
      ...(refunds.every(({ amount }) => amount === order.refunds) ? [] : [`${name} was refunded another amount`])
    ]
  })
}

/** Each charge at the provider is one payment with its amounts, or under review. */
export const unaccounted = (
  { charges }: ProviderBooks,
  payments: ReadonlyArray<PaymentShown>,
  reviewed: ReadonlySet<string>
): ReadonlyArray<string> => {
  const shown = Map.groupBy(payments, ({ reference }) => reference)
  return charges.filter(holdsMoney).flatMap((charge) => {
    const of = shown.get(charge.reference) ?? []
    if (of.some(({ payment_id }) => reviewed.has(payment_id))) return []
    const holding = of.filter(({ status }) => !["FAILED", "DECLINED", "CANCELLED"].includes(status))
    if (holding.length !== 1) return [`${charge.reference} is shown ${holding.length} times`]
    const [payment] = holding
    const refunded = sum(charge.refunds.map(({ amount }) => amount))
    return payment?.captured_amount === charge.capturedAmount && payment.refunded_amount === refunded
      ? []
      : [
          `${charge.reference}: the provider captured ${charge.capturedAmount} and refunded ${refunded}, ` +
            `the API shows ${payment?.captured_amount} and ${payment?.refunded_amount} (${payment?.status})`
        ]
  })
}
