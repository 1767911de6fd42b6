/** Events in the order of their ids, which is the order of commits. */
import type { Ledger } from "@pointsman/core/ports"
import { Effect } from "effect"
import { copy, ofTenant, type State } from "./State.ts"

export const eventMethods = (state: State): Pick<Ledger["Service"], "timeline" | "events"> => ({
  timeline: (tenant, paymentId, { after, limit }) =>
    Effect.sync(() =>
      copy(
        ofTenant(state, tenant)
          .events.filter((event) => event.paymentId === paymentId && (after === undefined || event.id > after))
          .slice(0, limit)
      )
    ),
  events: (tenant, { after, before, limit, type }) =>
    Effect.sync(() => {
      const found = ofTenant(state, tenant).events.filter(
        (event) =>
          (type === undefined || event.type === type) &&
          (after === undefined || event.id > after) &&
          (before === undefined || event.id < before)
      )
      const oldestFirst = after !== undefined && before === undefined
      return copy((oldestFirst ? found : found.reverse()).slice(0, limit))
    })
})
