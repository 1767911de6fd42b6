/** What a commit says when its connection goes away, and what the database holds then. */

import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import type { Merchant } from "@pointsman/core"
import { Directory, Ledger, Merchants, Stale, SuccessRates } from "@pointsman/core/ports"
import { Effect, Fiber, Option, Redacted } from "effect"
import { newChange, tenant, withStorage } from "./Given.ts"
import { type CuttingProxy, proxyTo } from "./support/CuttingProxy.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf, until } from "./support/Waiting.ts"

const merchant: Merchant = {
  id: "mer_1",
  partnerId: "partner",
  workspaceId: "mer_1",
  name: "Corner shop",
  email: "owner@shop.example",
  country: "NL",
  category: null,
  invitationHash: "hash",
  createdAt: 1
}

const partner = { id: "partner", name: "Partner", country: "NL", category: null, suspended: false }

/** A storage behind a proxy, and one that reaches the database by itself. */
const behindProxy = <A, E, R>(test: (proxy: CuttingProxy, url: Redacted.Redacted) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const url = yield* newDatabase
    const proxy = yield* proxyTo(url)
    return yield* withStorage({ url: proxy.url, maxConnections: 3 })(test(proxy, url))
  })

const storedIn = (url: Redacted.Redacted, id: string) =>
  withStorage({ url })(Effect.flatMap(Ledger, (ledger) => ledger.payment(tenant, id)))

describe.skipIf(!hasServer)("lost connections", () => {
  it.live("a commit that the server never received is unknown, and nothing is stored", () =>
    behindProxy(
      Effect.fnUntraced(function* (proxy, url) {
        const ledger = yield* Ledger
        const change = yield* newChange()
        proxy.cutAt = { text: change.payment.after.id, when: "before" }
        expect((yield* Effect.flip(ledger.commit(change)))._tag).toBe("pointsman/CommitUnknown")
        expect(proxy.cuts).toBe(1)
        expect(yield* storedIn(url, change.payment.after.id)).toEqual(Option.none())
        // The next connection is another one.
        yield* ledger.commit(change)
      })
    )
  )

  it.live("a rate's write with a lost answer failed, and another finds it stored", () =>
    behindProxy(
      Effect.fnUntraced(function* (proxy) {
        const { write } = yield* SuccessRates
        const rate = {
          tenant,
          connectionId: "the-connection",
          segment: "",
          rate: { succeeded: 1, failed: 0, at: 1 },
          version: 1
        }
        proxy.cutAt = { text: "the-connection", when: "after" }
        expect(yield* Effect.flip(write([rate]))).toMatchObject({
          _tag: "pointsman/StorageError",
          operation: "writeRates"
        })
        expect(proxy.cuts).toBe(1)
        expect(yield* write([rate])).toStrictEqual([rate])
      })
    )
  )

  it.live("a commit with a lost answer is unknown, and a read finds it stored", () =>
    behindProxy(
      Effect.fnUntraced(function* (proxy) {
        const ledger = yield* Ledger
        const change = yield* newChange()
        proxy.cutAt = { text: change.payment.after.id, when: "after" }
        expect((yield* Effect.flip(ledger.commit(change)))._tag).toBe("pointsman/CommitUnknown")
        expect(proxy.cuts).toBe(1)
        expect(yield* ledger.payment(tenant, change.payment.after.id)).toStrictEqual(Option.some(change.payment.after))
        expect(yield* Effect.flip(ledger.commit({ ...change, claim: undefined }))).toEqual(new Stale())
      })
    )
  )

  itRunsLive("a commit on a silent line gives up, and its end is unknown", function* () {
    const proxy = yield* proxyTo(yield* newDatabase)
    yield* withStorage({ url: proxy.url, statementTimeoutMillis: 1_000 })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const [first, second] = [yield* newChange(), yield* newChange()]
        proxy.cutAt = { text: first.payment.after.id, when: "never" }
        const failure = yield* Effect.flip(ledger.commit(first))
        expect(failure).toMatchObject({ _tag: "pointsman/CommitUnknown", operation: "commit" })
        expect(String(Object(failure).cause)).toContain("did not respond within 3000 ms")
        yield* ledger.commit(second)
      })
    )
  })

  itRunsLive("a payment's commit has a connection while searches wait for a lock", function* () {
    const url = yield* newDatabase
    const sql = yield* clientOf(url, 2)
    yield* withStorage({ url, maxConnections: 6 })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const query = { metadata: { order: "1001" }, limit: 10, walkAtMost: 10 }
        const search = Effect.forkChild(ledger.search(tenant, query))
        const searches = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`lock table payment_metadata in access exclusive mode`
            const waiting = yield* Effect.all(Array.from({ length: 8 }, () => search))
            yield* until(
              "all that may wait do",
              Effect.map(
                sql`select 1 from pg_locks where relation = 'payment_metadata'::regclass and not granted`,
                (rows) => rows.length === 2
              )
            )
            yield* ledger.commit(yield* newChange())
            return waiting
          })
        )
        for (const found of searches) expect((yield* Fiber.join(found)).payments).toEqual([])
      })
    )
  })

  it.live("a read whose answer is lost fails, and the next one is answered", () =>
    behindProxy(
      Effect.fnUntraced(function* (proxy) {
        const ledger = yield* Ledger
        const dispute = (id: string) => ledger.dispute(tenant, id)
        yield* dispute("before")
        proxy.cutAt = { text: "during", when: "after" }
        expect((yield* Effect.flip(dispute("during")))._tag).toBe("pointsman/StorageError")
        expect(yield* dispute("after")).toEqual(Option.none())
      })
    )
  )

  it.live("nothing of a transaction lost before its COMMIT is written, surely", () =>
    behindProxy(
      Effect.fnUntraced(function* (proxy) {
        const merchants = yield* Merchants
        yield* (yield* Directory).write({
          workspaces: [{ ...partner, partner: { allowance: 2 } }],
          apiKeys: [],
          connections: [],
          routing: [],
          webhookEndpoints: []
        })
        // Each statement is prepared once: from then on its text is not sent any more, and what is bound is.
        proxy.cutAt = { text: "Corner shop", when: "after" }
        expect((yield* Effect.flip(merchants.provision({ merchant })))._tag).toBe("pointsman/StorageError")
        expect(proxy.cuts).toBe(1)
        expect(yield* merchants.list("partner", { limit: 10 })).toEqual([])
        yield* merchants.provision({ merchant })
        expect(yield* merchants.list("partner", { limit: 10 })).toHaveLength(1)
      })
    )
  )

  it.live("a transaction with a lost answer to COMMIT is unknown, and can come again", () =>
    behindProxy(
      Effect.fnUntraced(function* (proxy, url) {
        const merchants = yield* Merchants
        const workspaces = [{ ...partner, partner: { allowance: 2 } }]
        // Elsewhere, so that the first COMMIT of this connection is the one that is cut.
        yield* withStorage({ url })(
          Effect.flatMap(Directory, ({ write }) =>
            write({ workspaces, apiKeys: [], connections: [], routing: [], webhookEndpoints: [] })
          )
        )
        proxy.cutAt = { text: "COMMIT", when: "after" }
        expect((yield* Effect.flip(merchants.provision({ merchant })))._tag).toBe("pointsman/CommitUnknown")
        yield* merchants.provision({ merchant })
        expect(yield* merchants.list("partner", { limit: 10 })).toHaveLength(1)
      })
    )
  )

  itRunsLive("an open without a server fails and shows no password", function* () {
    const url = Redacted.make("postgres://user:the-password@127.0.0.1:9/nowhere")
    const failure = yield* Effect.flip(withStorage({ url })(Effect.void))
    expect(failure._tag).toBe("pointsman/StorageError")
    expect(`${failure.cause} ${JSON.stringify(failure)}`).not.toContain("the-password")
  })
})
