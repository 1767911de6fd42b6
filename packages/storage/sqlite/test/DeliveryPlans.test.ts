/** However much waits for one endpoint, SQLite finds what is due without walking over it. */

import { describe, expect } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Deliveries, Ids } from "@pointsman/core/ports"
import { Effect } from "effect"
import { make as makeDeliveries } from "../src/Deliveries.ts"
import { make as makeDirectory } from "../src/Directory.ts"
import { make as makeLedger } from "../src/Ledger.ts"
import { contentsOf, newChange, newMemory, tenant } from "./Given.ts"

/** How SQLite goes about each statement that the call makes, over one delivery that is due. */
const planOf = Effect.fnUntraced(function* (call: (store: Deliveries["Service"]) => Effect.Effect<unknown, unknown>) {
  const { db, listening, plansOf } = yield* newMemory()
  const endpoint = { id: "whe_1", ...tenant, url: "https://a.example", events: ["*"], sealedSecret: "s", active: true }
  yield* makeDirectory(db).directory.write(contentsOf({ webhookEndpoints: [endpoint] }))
  const ledger = yield* makeLedger(db)
  yield* ledger.commit({ ...(yield* newChange()), deliverAt: 0 })
  yield* call(makeDeliveries(listening))
  return plansOf(/^\s*(?:with|select|update)/u)
}, Effect.provide(Ids.layer))

const byTenant = "(workspace_id=? AND environment=?"

describe("query plans of deliveries", () => {
  const calls: Readonly<
    Record<string, readonly [(store: Deliveries["Service"]) => Effect.Effect<unknown, unknown>, ReadonlyArray<string>]>
  > = {
    "what is due": [
      (store) => store.takeDue({ now: 1, leaseMillis: 1, limit: 9, limitPerEndpoint: 9 }),
      [
        "deliveries USING COVERING INDEX deliveries_due",
        "deliveries USING COVERING INDEX deliveries_due (endpoint_id>?)",
        "deliveries USING COVERING INDEX deliveries_due (endpoint_id=? AND due_at>?)",
        "deliveries USING COVERING INDEX deliveries_leased (endpoint_id=? AND leased_until>?)",
        "deliveries USING COVERING INDEX deliveries_due (endpoint_id=? AND due_at>? AND due_at<?)",
        `deliveries USING PRIMARY KEY ${byTenant} AND id=?)`,
        "webhook_endpoints USING INDEX sqlite_autoindex_webhook_endpoints_1 (id=?)",
        "events USING PRIMARY KEY (t=? AND id=?)"
      ]
    ],
    "a page of a state": [
      (store) => store.list(tenant, { state: "GivenUp", limit: 9 }),
      [`deliveries USING INDEX deliveries_by_state ${byTenant} AND state=? AND id<?)`]
    ],
    "a page": [(store) => store.list(tenant, { limit: 9 }), [`deliveries USING PRIMARY KEY ${byTenant} AND id<?)`]],
    "a page of an endpoint": [
      (store) => store.list(tenant, { endpointId: "whe_1", limit: 9 }),
      ["deliveries USING INDEX deliveries_by_endpoint (endpoint_id=? AND state=? AND id<?)"]
    ],
    "a page of a payment": [
      (store) => store.list(tenant, { paymentId: "payment", limit: 9 }),
      [
        "events USING COVERING INDEX events_by_payment (t=? AND payment=?)",
        `deliveries USING INDEX deliveries_by_event ${byTenant} AND event_id=?)`
      ]
    ],
    "the events": [
      (store) =>
        Effect.flatMap(store.list(tenant, { limit: 1 }), (listed) =>
          store.events(
            tenant,
            listed.map(({ id }) => id)
          )
        ),
      [
        `deliveries USING PRIMARY KEY ${byTenant} AND id<?)`,
        `deliveries USING PRIMARY KEY ${byTenant} AND id=?)`,
        "events USING PRIMARY KEY (t=? AND id=?)"
      ]
    ],
    "the attempts": [
      (store) => store.attempts(tenant, "dlv_1"),
      [`delivery_attempts USING PRIMARY KEY ${byTenant} AND delivery_id=?)`]
    ]
  }

  for (const [what, [call, expected]] of Object.entries(calls)) {
    itRuns(`SQLite goes straight to ${what} among many rows`, function* () {
      const plan = yield* planOf(call)
      const searches = plan.filter(
        (step) => step.startsWith("SEARCH deliver") || /^SEARCH (?:webhook|events)/.test(step)
      )
      expect(new Set(searches)).toEqual(new Set(expected.map((walk) => `SEARCH ${walk}`)))
      expect(plan.filter((step) => /^SCAN (?:deliver|events|webhook)/.test(step))).toEqual([])
    })
  }
})
