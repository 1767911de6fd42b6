/** The shop's orders: what they cost is the shop's word, never the customer's. A real shop reads them from its database. */
import type { Simulation } from "@pointsman/core"
import { Context, Effect, Layer, Option } from "effect"

export interface Order {
  readonly id: string
  readonly amountMinor: number
  readonly currency: string
  /** Of the customer. */
  readonly country: string
  /** What the simulated provider is to do with it. */
  readonly simulation: Simulation | null
}

export class Orders extends Context.Service<
  Orders,
  { readonly find: (id: string) => Effect.Effect<Option.Option<Order>> }
>()("example/Orders") {
  static readonly layer = Layer.succeed(Orders, {
    find: (id) => Effect.succeed(Option.fromUndefinedOr(orders.find((order) => order.id === id)))
  })
}

const orders: ReadonlyArray<Order> = [
  { id: "1001", amountMinor: 4_999, currency: "EUR", country: "NL", simulation: null },
  {
    id: "1002",
    amountMinor: 12_50,
    currency: "EUR",
    country: "DE",
    simulation: { charge: "decline:insufficient_funds" }
  },
  { id: "1003", amountMinor: 800, currency: "EUR", country: "FR", simulation: { charge: "no_answer" } }
]
