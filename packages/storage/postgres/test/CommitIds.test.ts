/** Ids and numbers that two commits could share, and must not. */

import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import type { Tenant } from "@pointsman/core"
import { type Change, Deliveries, Directory, Ids, Ledger, type WebhookEndpoint } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-postgres"
import { Context, Effect, Exit, Layer, Option } from "effect"
import { tenantNumber } from "../src/Rows.ts"
import { contentsOf, newChange, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

const endpoint = (id: string): WebhookEndpoint => ({
  id,
  ...tenant,
  url: `https://shop.example/${id}`,
  events: ["*"],
  sealedSecret: "sealed",
  active: true
})

/** Events and deliveries have one running number. */
const numbered = Layer.effect(
  Ids,
  Effect.map(Ids, (ids) => {
    let count = 0
    const next = (prefix: string) =>
      Effect.sync(() => `${prefix}_01a21000-8800-7000-8000-${String(++count).padStart(12, "0")}`)
    return Ids.of({ ...ids, event: next("evt"), delivery: next("dlv") })
  })
).pipe(Layer.provide(Ids.layer))

const of = (change: Change, owner: Tenant): Change => ({
  ...change,
  tenant: owner,
  payment: { ...change.payment, after: { ...change.payment.after, tenant: owner } }
})

describe.skipIf(!hasServer)("ids of commits", () => {
  itRunsLive("all deliveries of commits with several events are written, with running ids", function* () {
    const url = yield* newDatabase
    yield* Effect.gen(function* () {
      yield* (yield* Directory).write(contentsOf({ webhookEndpoints: [endpoint("a"), endpoint("b")] }))
      const ledger = yield* Ledger
      for (let count = 0; count < 4; count++) {
        const change = yield* newChange()
        yield* ledger.commit({ ...change, events: [...change.events, ...change.events] })
      }
      expect(yield* (yield* Deliveries).list(tenant, { limit: 100 })).toHaveLength(16)
    }).pipe(Effect.provide(Layer.provideMerge(layer({ url, allowAsyncCommit: true }), numbered), { local: true }))
  })

  itRunsLive("the second of two tenants with one number is refused in one process", function* () {
    const [first, second] = ["w13yfhb", "w1ebjn5"].map(
      (workspaceId): Tenant => ({ workspaceId, environment: "sandbox" })
    )
    expect(tenantNumber(first as Tenant)).toBe(tenantNumber(second as Tenant))
    yield* withStorage({ url: yield* newDatabase })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const [stored, refused] = [of(yield* newChange(), first as Tenant), of(yield* newChange(), second as Tenant)]
        yield* ledger.commit(stored)
        expect(Exit.isFailure(yield* Effect.exit(ledger.commit(refused)))).toBe(true)
        expect(yield* ledger.book(second as Tenant, refused.payment.after.id)).toEqual(Option.none())
        expect(Option.isSome(yield* ledger.book(first as Tenant, stored.payment.after.id))).toBe(true)
      })
    )
  })

  it.live("every first payment is written when four servers meet its tenants at once", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const server = Effect.map(
        Layer.build(Layer.fresh(layer({ url, allowAsyncCommit: true }).pipe(Layer.provide(Ids.layer)))),
        Context.get(Ledger)
      )
      const servers = yield* Effect.all([server, server, server, server])
      for (let round = 0; round < 100; round++) {
        const owner: Tenant = { workspaceId: `shop-${round}`, environment: "sandbox" }
        yield* Effect.forEach(
          servers,
          (ledger) => Effect.flatMap(newChange(), (change) => ledger.commit(of(change, owner))),
          { concurrency: "unbounded" }
        )
        expect(yield* servers[0].payments(owner, { limit: 10 })).toHaveLength(4)
      }
    }).pipe(Effect.provide(Ids.layer))
  )
})
