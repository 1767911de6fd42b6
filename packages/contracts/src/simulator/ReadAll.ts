/** Everything that a store has of one tenant. */
import type { Tenant } from "@pointsman/core"
import { Settlements } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { production, sandbox } from "./Furnish.ts"
import type { World } from "./World.ts"

/** More than any run writes. */
const rowsAtMost = 10_000

export const readAll = Effect.fnUntraced(function* ({ ledger }: World, tenant: Tenant) {
  const payments = yield* ledger.payments(tenant, { limit: rowsAtMost })
  const books = yield* Effect.forEach(payments, ({ id }) => Effect.map(ledger.book(tenant, id), Option.getOrThrow))
  // The list of all events waits for what any transaction on the server may still commit, also in another database.
  const timelines = yield* Effect.forEach(payments, ({ id }) => ledger.timeline(tenant, id, { limit: rowsAtMost }))
  const events = timelines.flat().sort((a, b) => (a.id < b.id ? -1 : 1))
  const disputes = yield* ledger.disputes(tenant, { limit: rowsAtMost })
  const messages = yield* ledger.messages({ tenant, limit: rowsAtMost })
  return { books, disputes, events, messages }
})
export type Contents = Effect.Success<ReturnType<typeof readAll>>

/** What is stored of the reports of a connection. */
export const readEntries = (world: World, connectionId: string) => {
  const { tenant } = connectionId.endsWith("-sandbox") ? sandbox : production
  const { entries } = world.service(Settlements)
  return world.run(entries({ tenant, connectionId, limit: rowsAtMost }))
}
