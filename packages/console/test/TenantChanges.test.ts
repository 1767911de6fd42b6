/** The follower that all open pages of a tenant share. */
import { assert, describe, it } from "@effect/vitest"
import { type Event, Pointsman, type Tenant } from "@pointsman/core"
import { StorageError } from "@pointsman/core/ports"
import { Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as TenantChanges from "../src/live/TenantChanges.ts"

const tenant: Tenant = { workspaceId: "acme", environment: "sandbox" }
const other: Tenant = { workspaceId: "acme", environment: "production" }

/** A store of events that counts how often it is asked. */
const eventStore = () => {
  const events: Array<Event> = []
  const store = {
    asked: [] as Array<string>,
    isFailing: false,
    add: (paymentId: string) =>
      void events.push({
        id: `evt_${String(events.length).padStart(9, "0")}`,
        paymentId,
        type: "payment.captured",
        createdAt: 1,
        data: {}
      })
  }
  const read: Pointsman["Service"]["events"] = ({ environment }, { after, limit }) =>
    Effect.suspend(() => {
      store.asked.push(environment)
      if (store.isFailing) return Effect.fail(new StorageError({ operation: "events", cause: "a test" }))
      const found =
        after === undefined ? events.toReversed() : events.filter(({ id }) => environment === "sandbox" && id > after)
      return Effect.succeed({ items: found.slice(0, limit), hasMore: found.length > limit })
    })
  const layer = TenantChanges.layer.pipe(
    Layer.provide(Layer.succeed(Pointsman, { events: read } as unknown as Pointsman["Service"]))
  )
  return { store, layer }
}

const second = TestClock.adjust(1_000)
const sizes = (queues: ReadonlyArray<Queue.Dequeue<void>>) =>
  Effect.forEach(queues, (queue) => Effect.map(Queue.clear(queue), ({ length }) => length))

describe("changes of a tenant", () => {
  it.effect("pages of one tenant share one query a second, and none once they closed", () => {
    const { layer, store } = eventStore()
    return Effect.gen(function* () {
      const { follow } = yield* TenantChanges.TenantChanges
      yield* Effect.scoped(
        Effect.gen(function* () {
          for (let page = 0; page < 5; page++) yield* follow(tenant, undefined)
          yield* follow(other, undefined)
          assert.deepStrictEqual(store.asked, ["sandbox", "production"])
          yield* second
          yield* second
          assert.deepStrictEqual(store.asked.toSorted(), [...Array(3).fill("production"), ...Array(3).fill("sandbox")])
        })
      )
      yield* second
      yield* second
      assert.lengthOf(store.asked, 6)
    }).pipe(Effect.provide(layer))
  })

  it.effect("those who follow a payment or its tenant hear of its changes, once for all", () => {
    const { layer, store } = eventStore()
    return Effect.scoped(
      Effect.gen(function* () {
        const { follow } = yield* TenantChanges.TenantChanges
        store.add("one")
        const all = yield* follow(tenant, undefined)
        const queues = [
          all,
          yield* follow(tenant, "one"),
          yield* follow(tenant, "two"),
          yield* follow(other, undefined)
        ]
        yield* second
        assert.deepStrictEqual(yield* sizes(queues), [0, 0, 0, 0])
        for (let event = 0; event < 3; event++) store.add("one")
        yield* second
        yield* second
        assert.deepStrictEqual(yield* sizes(queues), [1, 1, 0, 0])
        // More than it reads at once: everything may have changed, and the newest events are not missed.
        for (let event = 0; event < 250; event++) store.add("one")
        yield* second
        assert.deepStrictEqual(yield* sizes(queues), [1, 1, 1, 0])
        store.add("two")
        yield* second
        assert.deepStrictEqual(yield* sizes(queues), [1, 1, 1, 0])
        store.add("two")
        yield* second
        assert.deepStrictEqual(yield* sizes(queues), [1, 0, 1, 0])
      })
    ).pipe(Effect.provide(layer))
  })

  it.effect("a change during a storage failure is announced afterwards", () => {
    const { layer, store } = eventStore()
    return Effect.scoped(
      Effect.gen(function* () {
        const { follow } = yield* TenantChanges.TenantChanges
        const changed = yield* follow(tenant, "one")
        store.isFailing = true
        store.add("one")
        yield* second
        assert.deepStrictEqual(yield* sizes([changed]), [0])
        store.isFailing = false
        yield* second
        assert.deepStrictEqual(yield* sizes([changed]), [1])
      })
    ).pipe(Effect.provide(layer))
  })
})
